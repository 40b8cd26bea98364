// The output of an editor's command, of which each reading is the whole.
import { expect, test } from "vitest";
import { continuationOf } from "./editor-run.ts";

const long = Array.from({ length: 200 }, (_, index) => `line ${index}\n`).join("");

test.each([
  ["that continues", "one\n", "one\ntwo\n", "two\n"],
  ["that is the same", "one\n", "one\n", ""],
  ["whose beginning was dropped", long, `${long.slice(700)}more\n`, "more\n"],
  ["whose last line was drawn again", "one\n10%", "one\n100% done\n", "\n100% done\n"],
  ["whose last line is another", "one\n10%", "one\n20%", "\n20%"],
  ["that has nothing in common", "one\n", "two\n", "two\n"],
])("[B37] a text %s", (_, before, after, expected) => {
  expect(continuationOf(before, after)).toBe(expected);
});

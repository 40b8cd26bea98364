// Words and what follows them.
import { expect, it } from "vitest";
import { readCount, splitWords, takeWord } from "./slash-command.ts";

it("[S12] quotes keep a word together", () => {
  expect(splitWords(` a "b c"  'd "e' f\n`)).toEqual(["a", "b c", `d "e`, "f"]);
  expect(splitWords(` \n`)).toEqual([]);
  expect(splitWords(`"" x`)).toEqual(["", "x"]);
});

it("[S13] what follows a word is kept as it is, but for one blank or line break", () => {
  expect(takeWord(" a  b ")).toEqual({ word: "a", rest: " b " });
  expect(takeWord("a\r\n\nb")).toEqual({ word: "a", rest: "\nb" });
  expect(takeWord("a")).toEqual({ word: "a", rest: "" });
  expect(takeWord(" ")).toBeUndefined();
});

it("[S12] a count is a whole number within bounds", () => {
  expect(["1", "9", "0", "10", "-1", "1.5", "x", ""].map((word) => readCount(word, 1, 9))).toEqual([
    1,
    9,
    ...Array.from({ length: 6 }, () => undefined),
  ]);
});

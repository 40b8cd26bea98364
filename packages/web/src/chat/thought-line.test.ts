// The line that stands for a thought.
import { expect, test } from "vitest";
import { thoughtLine } from "./thought-line.ts";

test.each([
  ["I will run `cat my_file_name.txt` in /tmp/a_b.", "I will run cat my_file_name.txt in /tmp/a_b."],
  ["**Reading the files**\n\nmore", "Reading the files"],
  ["## A _plan_ for *today*", "A plan for today"],
  ["`rm *.log` and `a_b_c`", "rm *.log and a_b_c"],
  ["2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name"],
  ["#1 is first", "#1 is first"],
  ["", ""],
])("[Z987] %j is shown as %j", (text, line) => {
  expect(thoughtLine(text)).toBe(line);
});

test("[Z987] a long line is cut", () => {
  expect(thoughtLine("x".repeat(200))).toBe(`${"x".repeat(110)}…`);
});

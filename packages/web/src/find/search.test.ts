// Snippets with their matches.
import { expect, it } from "vitest";
import { cutSnippet } from "./search.ts";

it("[Z851] are cut at their matches, and leave out matches that make no sense", () => {
  const matches = [
    { start: 2, end: 4 },
    { start: 3, end: 5 },
    { start: 6, end: 6 },
    { start: 6, end: 8 },
  ];
  expect(cutSnippet("a needles", matches)).toEqual([
    { text: "a ", isMatch: false },
    { text: "ne", isMatch: true },
    { text: "ed", isMatch: false },
    { text: "le", isMatch: true },
    { text: "s", isMatch: false },
  ]);
});

it("[Z896] are shown without the marks around blocks of code", () => {
  expect(cutSnippet("```ts\nconst needle = 1;\n```", [{ start: 12, end: 18 }])).toEqual([
    { text: "const ", isMatch: false },
    { text: "needle", isMatch: true },
    { text: " = 1;\n", isMatch: false },
  ]);
  expect(cutSnippet("Use `needle` here", [])).toEqual([{ text: "Use `needle` here", isMatch: false }]);
});

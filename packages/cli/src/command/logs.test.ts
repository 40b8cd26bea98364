// The last lines of a text.
import { expect, it } from "vitest";
import { lastLines } from "./logs.ts";

it("[C48] the last lines are counted with or without an end", () => {
  expect(lastLines("a\nb\nc\n", 2)).toBe("b\nc\n");
  expect(lastLines("a\nb\nc", 2)).toBe("b\nc");
  expect(lastLines("a\n\n\n", 2)).toBe("\n\n");
  expect(lastLines("a\nb\n", 9)).toBe("a\nb\n");
  expect(lastLines("a\nb\n", 0)).toBe("");
  expect(lastLines("", 3)).toBe("");
});

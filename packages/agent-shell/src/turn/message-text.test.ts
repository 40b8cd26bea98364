// Texts in messages: tails, fences and durations.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fence, formatDuration, inlineCode, tailOf } from "./message-text.ts";

describe("a tail", () => {
  it("[S8] is the longest end of a text that fits and starts with a whole character", () => {
    const property = fc.property(fc.string({ unit: "binary" }), fc.nat({ max: 60 }), (text, maxBytes) => {
      const tail = tailOf(text, maxBytes);
      expect(text.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(maxBytes);
      const before = Array.from(text.slice(0, text.length - tail.length)).at(-1);
      if (before !== undefined) expect(Buffer.byteLength(before + tail)).toBeGreaterThan(maxBytes);
    });
    fc.assert(property);
  });
});

describe("a fence", () => {
  it("[S8] is longer than any run of backticks inside", () => {
    const backticks = fc.array(fc.constantFrom("`", "a", "\n", " ")).map((parts) => parts.join(""));
    const property = fc.property(backticks, (text) => {
      const lines = fence(text).split("\n");
      const [first = ""] = lines;
      expect(lines.at(-1)).toBe(first);
      expect(lines.slice(1, -1).some((line) => line.includes(first))).toBe(false);
      expect(`${lines.slice(1, -1).join("\n")}\n`).toBe(text.endsWith("\n") ? text : `${text}\n`);
    });
    fc.assert(property);
  });

  it("[S8] within a line holds backticks as well", () => {
    expect(inlineCode("ls")).toBe("`ls`");
    expect(inlineCode("echo `date` x")).toBe("``echo `date` x``");
    expect(inlineCode("`date`")).toBe("`` `date` ``");
  });
});

it.each([
  [0, "0 ms"],
  [12.4, "12 ms"],
  [999, "999 ms"],
  [1000, "1.0 s"],
  [59_999, "59.9 s"],
  [60_000, "1 min 0 s"],
  [125_900, "2 min 5 s"],
])("[S8] %d ms is shown as %s", (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

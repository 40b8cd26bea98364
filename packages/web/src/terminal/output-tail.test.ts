// The tail against a model of it: one long text that is cut at its front.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputTail } from "./output-tail.ts";

/** Half of a character that is written in two. */
const loneHalf = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

describe("[Z12] a tail", () => {
  it("[Z12] is the end of all that was appended, never longer than its bound", () => {
    const property = fc.property(
      fc.array(fc.string({ unit: "binary", maxLength: 30 }), { maxLength: 30 }),
      fc.integer({ min: 2, max: 40 }),
      (texts, maxChars) => {
        const tail = new OutputTail(maxChars);
        for (const text of texts) tail.append(text);
        const whole = texts.join("");
        expect(whole.endsWith(tail.read())).toBe(true);
        expect(tail.length).toBe(tail.read().length);
        expect(tail.length).toBeLessThanOrEqual(maxChars);
        expect(tail.length + tail.droppedChars).toBe(whole.length);
        // A character of two halves goes as a whole, so at most one more than needed is gone.
        expect(tail.length).toBeGreaterThanOrEqual(Math.min(whole.length, maxChars) - 1);
      },
    );
    fc.assert(property);
  });

  it("[Z12] is taken from the front in pieces that together are all of it", () => {
    const property = fc.property(
      fc.array(fc.string({ unit: "grapheme", maxLength: 20 })),
      fc.integer({ min: 1, max: 9 }),
      (texts, maxChars) => {
        const tail = new OutputTail(10_000);
        for (const text of texts) tail.append(text);
        const pieces: string[] = [];
        while (tail.length > 0) pieces.push(tail.take(maxChars).text);
        expect(pieces.join("")).toBe(texts.join(""));
        for (const piece of pieces) expect(piece).not.toMatch(loneHalf);
      },
    );
    fc.assert(property);
  });

  it("[Z12] reports once how much is missing before what is taken", () => {
    const tail = new OutputTail(4);
    tail.append("abcdefgh");
    expect(tail.take(10)).toEqual({ text: "efgh", droppedChars: 4 });
    tail.append("i");
    expect(tail.take(10)).toEqual({ text: "i", droppedChars: 0 });
  });
});

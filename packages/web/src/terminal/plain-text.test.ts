// Plain lines, however the output is cut into pieces.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlainText } from "./plain-text.ts";

function linesOf(pieces: readonly string[], maxLines = 1000): readonly string[] {
  const text = new PlainText(maxLines);
  for (const piece of pieces) text.append(piece);
  return text.lines;
}

describe("[Z13] plain text", () => {
  it.each([
    ["\u001B[1;31mred\u001B[0m\n", ["red", ""]],
    ["\u001B]0;title\u0007after", ["after"]],
    ["\u001B]8;;https://a\u001B\\link\u001B]8;;\u001B\\", ["link"]],
    ["one\r\ntwo\r\n", ["one", "two", ""]],
    ["10 %\r20 %\r30 %\n", ["30 %", ""]],
    ["a\u0007b\u0000c", ["abc"]],
    ["\u001B(Bx", ["x"]],
  ])("[Z13] %j reads as %j", (output, lines) => {
    expect(linesOf([output])).toEqual(lines);
  });

  it("[Z13] is the same however the output is cut", () => {
    const piece = fc.constantFrom(
      "a",
      "é",
      "\n",
      "\r\n",
      "\r",
      "\u001B[31m",
      "\u001B[0m",
      "\u001B]0;t\u0007",
      "word ",
    );
    const property = fc.property(
      fc.array(piece),
      fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
      (parts, sizes) => {
        const output = parts.join("");
        const pieces: string[] = [];
        for (let at = 0; at < output.length;) {
          const size = sizes.next().value as number;
          pieces.push(output.slice(at, at + size));
          at += size;
        }
        expect(linesOf(pieces)).toEqual(linesOf([output]));
      },
    );
    fc.assert(property);
  });

  it("[Z13] keeps the last lines and counts the others", () => {
    const text = new PlainText(3);
    text.append("1\n2\n3\n4\n5");
    expect(text.lines).toEqual(["3", "4", "5"]);
    expect(text.droppedLines).toBe(2);
  });

  it("[Z998] notes that a line lost its beginning, until the line is overwritten", () => {
    const isCut = (...pieces: string[]): boolean => {
      const text = new PlainText(10, 8);
      for (const piece of pieces) text.append(piece);
      return text.isCut;
    };
    expect(isCut("12345678\n", "1\n")).toBe(false);
    expect(isCut("123456789")).toBe(true);
    expect(isCut("123456789\n", "1\n")).toBe(true);
    expect(isCut("12345678", "9", "\r\n")).toBe(true);
    expect(isCut("123456789", "\r1")).toBe(false);
    expect(isCut("123456789", "\n1\r2\n")).toBe(true);
    expect(isCut("123456789\r1\n")).toBe(false);
  });

  it("[Z13] a sequence that never ends does not hold the rest back", () => {
    const text = new PlainText(10);
    text.append(`\u001B]${"x".repeat(300)}`);
    text.append("y\nseen");
    expect(text.lines.at(-1)).toBe("seen");
  });
});

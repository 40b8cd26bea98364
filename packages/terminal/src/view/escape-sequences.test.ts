// Text without its escape sequences, compared with what the parser of terminal output prints.
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutEscapes } from "./escape-sequences.ts";
import { VtParser } from "./vt-parser.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;

/** The characters that a terminal prints, and its line ends. */
function printed(text: string): string {
  let result = "";
  const bytes = Buffer.from(text);
  const parser = new VtParser({
    printAscii: (source, start, end) => void (result += Buffer.from(source.subarray(start, end)).toString()),
    print(codePoint) {
      result += String.fromCodePoint(codePoint);
      return true;
    },
    execute(code) {
      if (code === 0x0a || code === 0x0d) result += String.fromCharCode(code);
    },
    repeat: () => undefined,
    escape: () => undefined,
    control: () => undefined,
  });
  parser.parse(bytes, 0, bytes.length);
  return result;
}

function between(first: number, last: number): fc.Arbitrary<string> {
  const character = fc.integer({ min: first, max: last }).map((code) => String.fromCharCode(code));
  return fc.string({ unit: character, maxLength: 4 });
}

/** A control character does not end a sequence for a terminal, so a CAN stands before the line end. */
const text = fc.oneof(between(0x20, 0x7e), fc.constantFrom("zwölf", "\u0018\r\n", "(B", "[0m", "]"));
const final = between(0x30, 0x7e).map((characters) => characters.slice(0, 1));
/** Sequences of every kind, also without their end. */
const sequence = fc
  .oneof(
    fc.tuple(fc.constant("["), between(0x20, 0x3f), between(0x40, 0x7e)),
    fc.tuple(
      fc.constantFrom("]", "P", "X", "^", "_"),
      text,
      fc.constantFrom("\u001B\\", "\u0018", "\u001A", ""),
    ),
    fc.tuple(fc.constant("]"), text, fc.constant("\u0007")),
    fc.tuple(between(0x20, 0x2f), final),
  )
  .map((parts) => `\u001B${parts.join("")}`);

test("[B61] what stays is what a terminal prints, whatever is cut off", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(text, sequence)), (pieces) => {
      const whole = pieces.join("");
      expect(withoutEscapes(whole).replaceAll(/[\u0007\u0018\u001A]/g, "")).toBe(printed(whole));
    }),
    { numRuns: isLong ? 100_000 : 1000 },
  );
});

test("[B61] a megabyte of sequences without an end takes less than a second", () => {
  for (const begun of ["\u001B]", "\u001BP", "\u001B[1", "\u001B("]) {
    const startedMs = performance.now();
    expect(withoutEscapes(begun.repeat(2 ** 20 / begun.length))).not.toContain("\u001B");
    expect(performance.now() - startedMs).toBeLessThan(1000);
  }
});

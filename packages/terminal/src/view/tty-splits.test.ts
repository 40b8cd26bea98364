// Folding at any split: batches, polls and the bulk path make no difference to the text of a tty run.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TerminalOutput, type TerminalOutputOptions } from "./output.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const numRuns = isLong ? 20_000 : 400;

function openTty(options: Partial<TerminalOutputOptions> = {}): TerminalOutput {
  return new TerminalOutput({ kind: "tty", textLimitBytes: 1 << 20, replayBytes: 1 << 16, ...options });
}

/** Output with text of all kinds, plain lines enough for the bulk path, and sequences in between. */
const outputPieces = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom("\r\n", "text\r\n", "\t", "\x1b[31mred\x1b[0m", "漢字", "e\u0301", "🎉"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "\r",
      "\n",
      "\b",
      "\x1b[A",
      "\x1b[2K",
      "\x1b[J",
      "\x1b7",
      "\x1b8",
      "\x1b[?1049h",
      "\x1b[?1049l",
      "\x1b]0;t\x07",
      "\x1b[2;5r",
      "\x1b[r",
      "\u009b1mx",
      "\x1b[3b",
      "\x1bM",
      "\x1b[5;5H",
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom("plain", "with\ttab", "\x1b[1mbold\x1b[m\x1b[K", "wide 漢字", "", "long ".repeat(9)),
        fc.integer({ min: 1, max: 120 }),
      )
      .map(([line, count]) => `${line}\r\n`.repeat(count)),
  },
);

const ttyStreams = fc
  .array(
    fc.oneof(
      outputPieces.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 3 }),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => Buffer.concat(pieces));

/** States of the screen that plain lines may meet, and what shows a difference they left behind. */
const situations = fc.constantFrom(
  "",
  "text",
  "\r\n",
  "\x1b[3;1H",
  "\x1b[9;1Hlow\x1b[H",
  "\x1b[2;1Hx\x1b7\x1b[1;1H",
  "\x1b[12;1H\x1b7\x1b[H",
  "\x1b8",
  "\x1b[?7l",
  "\x1b[4h",
  "\x1b(0",
  "\x1b[2;3r",
  "\x1b[?1049h",
  "\x1b[?1049l",
  "\x1b]open",
  "\x07",
  "a".repeat(95),
  "\r",
  "\x1b[H\x1b[J",
  "\x1b8here",
  "\x1b[Aup",
  "\x1b[2;2Hthere",
  "\x1b[3g",
  "\x1bc",
  "\x1b[r",
);
/** Lines that are plain, and lines that look nearly so. */
const repeatedLines = fc.constantFrom(
  "plain",
  "",
  "with\ttabs\t",
  "\t".repeat(16),
  "\t".repeat(20),
  "\x1b[1mbold\x1b[m\x1b[K",
  "wide 漢字",
  "long ".repeat(30),
  "back\bspace",
  "over\rwritten",
  "e\u0301",
  "\u0301first",
  "nel\u0085",
  "zero\u200Bwidth",
  "\x1b[2Kerased",
  "\x1b]0;t\x07",
  "bell\x07",
  "🎉 party",
  "\x1b[4:3mcurly",
  "null\0",
  "\x1b[38;5;1mcolour\x1b[0K",
  "front\x1b[1K",
);
const bulkPieces = fc
  .array(
    fc.oneof(
      situations,
      // The cursor saved below the lines to come, and gone back to after them.
      fc.constantFrom("\x1b[12;1H\x1b7\x1b[H", "\x1b8here"),
      // A row that continues the one above, but is blank.
      fc.constant(`${"a".repeat(95)}\r\x1b[99X`),
      fc
        .tuple(repeatedLines, fc.integer({ min: 1, max: 3000 }))
        .map(([line, sizeBytes]) => `${line}\r\n`.repeat(Math.ceil(sizeBytes / (line.length + 2)))),
      repeatedLines.map((line) => `${line}\n`),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.map((text) => Buffer.from(text)));

/** Bytes that begin, continue or break characters. */
const brokenCharacters = fc
  .array(fc.constantFrom(0x41, 0x80, 0x9f, 0xa0, 0xbf, 0xc1, 0xc3, 0xe0, 0xe6, 0xed, 0xf0, 0xf4, 0xff), {
    maxLength: 12,
  })
  .map((values) => Buffer.from(values));

describe("splits", () => {
  it("[T66] [T64] shows invalid bytes as a decoder of UTF-8 does, at any split", () => {
    fc.assert(
      fc.property(brokenCharacters, fc.nat(12), (bytes, cut) => {
        const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
        fc.pre(!/[\u0080-\u009f\p{Mn}\p{Me}\p{Cf}]/u.test(text));
        const output = openTty();
        output.push(bytes, 0, Math.min(cut, bytes.length));
        output.tail();
        output.push(bytes, cut);
        output.exited();
        expect(output.tail().output).toBe(text);
      }),
      { numRuns },
    );
  });

  it("[T64] any split and any polls of a tty run give the same text and truncation as the whole", () => {
    const cuts = fc.array(fc.record({ at: fc.nat(5000), poll: fc.boolean() }), { maxLength: 12 });
    const sizes = fc.record({
      columns: fc.integer({ min: 2, max: 30 }),
      rows: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(
        ttyStreams,
        cuts,
        sizes,
        fc.oneof(fc.nat(50), fc.constant(1 << 20)),
        (stream, parts, size, limit) => {
          const whole = openTty({ ...size, textLimitBytes: limit });
          whole.push(stream);
          const split = openTty({ ...size, textLimitBytes: limit });
          let at = 0;
          for (const part of parts.toSorted((a, b) => a.at - b.at)) {
            const end = Math.min(part.at, stream.length);
            split.push(stream, at, end);
            at = end;
            if (part.poll) expectSameJson(split);
          }
          split.push(stream, at);
          expect(split.tail()).toEqual(whole.tail());
          expectSameJson(split);
          expectSameJson(whole);
        },
      ),
      { numRuns },
    );
  });

  it("[T64] lines that bypass the cells come out as if every cell had been written", () => {
    const sizes = fc.record({
      columns: fc.integer({ min: 2, max: 90 }),
      rows: fc.integer({ min: 1, max: 12 }),
    });
    fc.assert(
      fc.property(bulkPieces, sizes, (pieces, size) => {
        const whole = openTty(size);
        for (const piece of pieces) {
          whole.push(piece);
          whole.tail();
        }
        const small = openTty(size);
        const stream = Buffer.concat(pieces);
        // Too little at a time for the bulk path.
        for (let at = 0; at < stream.length; at += 500) {
          small.push(stream, at, Math.min(stream.length, at + 500));
          small.tail();
        }
        expect(small.tail()).toEqual(whole.tail());
      }),
      { numRuns },
    );
  });
});

it("[T64] a cursor saved before lines that bypass the cells moved up with its text", () => {
  const output = openTty({ columns: 10, rows: 8 });
  output.push(Buffer.from("\x1b[8;1H\x1b7\x1b[H"));
  output.tail();
  output.push(Buffer.from(`${"x".repeat(1100)}\r\n${"short\r\n".repeat(8)}\x1b8here`));
  expect(output.tail().output).toBe(`${"x".repeat(1100)}\nshort\nheret\n${"short\n".repeat(6)}`);
  output.push(Buffer.from("\x1b[8;1H\x1b7\x1b[H\x1b[J"));
  output.tail();
  output.push(Buffer.from(`${"short\r\n".repeat(300)}\x1b8here`));
  const lines = output.tail().output.split("\n");
  expect(lines.slice(-9)).toEqual(["short", "heret", ...Array.from({ length: 6 }, () => "short"), ""]);
});

function expectSameJson(output: TerminalOutput): void {
  const json = output.tailJson();
  const { output: text, truncated } = output.tail();
  expect(Buffer.concat(json.output).toString()).toBe(JSON.stringify(text));
  expect(json.truncated).toBe(truncated);
}

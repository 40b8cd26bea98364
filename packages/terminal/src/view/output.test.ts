// Output text of a run on pipes against its direct definition, for any bytes, splits, polls and limits.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RingBudget } from "./budget.ts";
import { TerminalOutput } from "./output.ts";
import type { JsonOutputTail } from "./text-tail.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const numRuns = isLong ? 20_000 : 400;

/** The definition: decode everything, then take the longest suffix of whole characters within the limit. */
function definedTail(stream: Uint8Array, limitBytes: number, hasExited: boolean) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const characters = Array.from(decoder.decode(stream, { stream: !hasExited }));
  let taken = 0;
  let sizeBytes = 0;
  while (taken < characters.length) {
    sizeBytes += Buffer.byteLength(characters[characters.length - 1 - taken]!);
    if (sizeBytes > limitBytes) break;
    taken++;
  }
  const first = characters.length - taken;
  return { output: characters.slice(first).join(""), truncated: first > 0 };
}

function jsonText({ output }: JsonOutputTail): string {
  return Buffer.concat(output).toString();
}

function expectTails(output: TerminalOutput, expected: { output: string; truncated: boolean }) {
  expect(output.tail()).toEqual(expected);
  expectJsonTail(output, expected);
}

function expectJsonTail(output: TerminalOutput, expected: { output: string; truncated: boolean }) {
  const json = output.tailJson();
  const exactBytes = Buffer.concat(json.output).toString("latin1");
  expect(exactBytes).toBe(Buffer.from(JSON.stringify(expected.output)).toString("latin1"));
  expect(json.truncated).toBe(expected.truncated);
}

/** Bytes with characters of every length, escapes, and every way of being invalid. */
const streamPieces = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }).map((text) => Buffer.from(text)),
  fc
    .constantFrom("a", "\n", '"', "\\", "\u001b", "é", "漢", "🎉", "\uFEFF", "\u2028")
    .map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      "c3",
      "e282",
      "f09f",
      "f09f8e",
      "c080",
      "e08080",
      "eda080",
      "f4908080",
      "80808080",
      "f5",
      "ff",
    )
    .map((hex) => Buffer.from(hex, "hex")),
);

interface Step {
  readonly bytes: Buffer;
  readonly cut: number;
  readonly poll: "none" | "text" | "json" | "both";
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    bytes: fc.array(streamPieces, { maxLength: 4 }).map((pieces) => Buffer.concat(pieces)),
    cut: fc.nat(12),
    poll: fc.constantFrom("none", "none", "text", "json", "both"),
  }),
  { maxLength: 25 },
);

/** Cuts each piece in two, so that characters fall apart between pushes. */
const splitSteps = steps.map((whole) =>
  whole.flatMap(({ bytes, cut, poll }) => [
    { bytes: bytes.subarray(0, cut), poll: "none" },
    { bytes: bytes.subarray(cut), poll },
  ]),
);

const limits = fc.oneof(fc.nat(8), fc.nat(60), fc.nat(400));

describe("output text of a run on pipes", () => {
  it("[T62] [T63] [T64] [T65] is what its definition says after any pushes and polls", () => {
    fc.assert(
      fc.property(splitSteps, limits, fc.nat(50), (parts, textLimitBytes, exitAfter) => {
        const output = new TerminalOutput({ kind: "text", textLimitBytes, replayBytes: 0 });
        let stream = Buffer.alloc(0);
        for (const [index, { bytes, poll }] of parts.entries()) {
          output.push(bytes);
          stream = Buffer.concat([stream, bytes]);
          if (index === exitAfter) output.exited();
          const expected = definedTail(stream, textLimitBytes, index >= exitAfter);
          if (poll === "text" || poll === "both") expect(output.tail()).toEqual(expected);
          if (poll === "json" || poll === "both") expectJsonTail(output, expected);
        }
        expectTails(output, definedTail(stream, textLimitBytes, exitAfter < parts.length));
      }),
      { numRuns },
    );
  });

  it("[T63] holds half a character back, shows it after exit, and still completes it", () => {
    const output = new TerminalOutput({ kind: "text", textLimitBytes: 5, replayBytes: 0 });
    output.push(Buffer.from("abc"));
    output.push(Buffer.from([0xe2, 0x82]));
    expectTails(output, { output: "abc", truncated: false });
    output.exited();
    expectTails(output, { output: "bc\uFFFD", truncated: true });
    output.push(Buffer.from([0xac]));
    expectTails(output, { output: "bc€", truncated: true });
  });

  it("[T62] is truncated only when something was left out", () => {
    const output = new TerminalOutput({ kind: "text", textLimitBytes: 4, replayBytes: 0 });
    output.push(Buffer.from("abcd"));
    expectTails(output, { output: "abcd", truncated: false });
    output.push(Buffer.from("e"));
    expectTails(output, { output: "bcde", truncated: true });
  });

  it("[T62] shows nothing within a limit of 0, and says so", () => {
    const output = new TerminalOutput({ kind: "text", textLimitBytes: 0, replayBytes: 0 });
    expectTails(output, { output: "", truncated: false });
    output.push(Buffer.from("a"));
    expectTails(output, { output: "", truncated: true });
  });

  it("[T61] is cut to what the ring holds when the budget is used up", () => {
    const budget = new RingBudget({ totalBytes: 0 });
    const output = new TerminalOutput({ kind: "text", textLimitBytes: 1_000_000, replayBytes: 0, budget });
    let stream = Buffer.alloc(0);
    for (let number = 0; number < 40; number++) {
      const chunk = Buffer.concat([Buffer.alloc(5000, `é${number} `), Buffer.from([0xff])]);
      output.push(chunk);
      stream = Buffer.concat([stream, chunk]);
      const isWhole = stream.length <= 64 * 1024;
      expectTails(output, definedTail(stream, isWhole ? 1_000_000 : 64 * 1024 - 8, false));
    }
    expect(budget.usedBytes).toBe(64 * 1024);
  });

  it("[T61] [T65] grows again with the ring when the budget allows it again", () => {
    const budget = new RingBudget({ totalBytes: 140_000 });
    const other = new TerminalOutput({ kind: "text", textLimitBytes: 90_000, replayBytes: 0, budget });
    other.push(Buffer.alloc(90_000));
    const output = new TerminalOutput({ kind: "text", textLimitBytes: 1_000_000, replayBytes: 0, budget });
    let stream = Buffer.alloc(0);
    const pushAndCheck = (bytes: Uint8Array) => {
      output.push(bytes);
      stream = Buffer.concat([stream, bytes]);
      const heldBytes = output.endOffset - output.startOffset;
      expectTails(output, definedTail(stream, heldBytes - 8, false));
    };
    for (let number = 0; number < 10; number++) {
      pushAndCheck(Buffer.alloc(70_001, "€"));
      pushAndCheck(Buffer.from("a"));
    }
    other.close();
    // While the ring grows, so does the limit, also by bytes that are held back.
    for (let number = 0; number < 10; number++) {
      for (const byte of Buffer.from("€")) pushAndCheck(Buffer.from([byte]));
    }
    pushAndCheck(Buffer.alloc(70_001, "€"));
    expect(output.endOffset - output.startOffset).toBe(128 * 1024);
  });

  it("[T65] hands out chunks that later output never changes", () => {
    const output = new TerminalOutput({ kind: "text", textLimitBytes: 30_000, replayBytes: 0 });
    const handedOut: { chunks: readonly Uint8Array[]; text: string }[] = [];
    for (let number = 0; number < 300; number++) {
      output.push(Buffer.from(`line ${number} "quoted"\t漢\n`.repeat(1 + (number % 40))));
      const tail = output.tailJson();
      handedOut.push({ chunks: tail.output, text: jsonText(tail) });
    }
    for (const { chunks, text } of handedOut) expect(Buffer.concat(chunks).toString()).toBe(text);
  });

  it("[T65] escapes only what is new: older chunks are the same memory in the next tail", () => {
    const output = new TerminalOutput({ kind: "text", textLimitBytes: 1 << 20, replayBytes: 0 });
    output.push(Buffer.alloc(1 << 20, "some output\n"));
    const before = output.tailJson().output;
    output.push(Buffer.from("and more\n"));
    const after = output.tailJson().output;
    const memory = new Set(before.map((chunk) => chunk.buffer));
    const freshChunks = after.filter((chunk) => !memory.has(chunk.buffer));
    expect(after.length).toBeGreaterThan(4);
    expect(freshChunks.length).toBeLessThanOrEqual(1);
    expect(Buffer.concat(after).toString()).toBe(JSON.stringify(output.tail().output));
  });

  it("[T65] gives the same object while nothing changed", () => {
    const output = new TerminalOutput({ kind: "text", textLimitBytes: 100, replayBytes: 0 });
    output.push(Buffer.from("hello"));
    expect(output.tail()).toBe(output.tail());
    expect(output.tailJson()).toBe(output.tailJson());
    const before = output.tailJson();
    output.push(Buffer.from("!"));
    expect(output.tailJson()).not.toBe(before);
  });

  it("[T76] says what it holds, frees the image after the end, and everything on close", () => {
    const budget = new RingBudget({ totalBytes: 1 << 20 });
    const output = new TerminalOutput({ kind: "text", textLimitBytes: 100_000, replayBytes: 0, budget });
    expect(output.allocatedBytes).toBe(0);
    output.push(Buffer.alloc(200_000, "x"));
    const ringBytes = output.allocatedBytes;
    expect(ringBytes).toBe(100_008);
    output.tailJson();
    expect(output.allocatedBytes).toBeGreaterThanOrEqual(ringBytes + 100_000);
    expect(output.allocatedBytes).toBeLessThan(ringBytes + 200_000);
    output.ended();
    output.push(Buffer.from("y"));
    expect(jsonText(output.tailJson())).toBe(`"${"x".repeat(99_999)}y"`);
    expect(output.allocatedBytes).toBe(ringBytes);
    expect(jsonText(output.tailJson())).toBe(`"${"x".repeat(99_999)}y"`);
    output.close();
    expect([output.allocatedBytes, budget.usedBytes]).toEqual([0, 0]);
    output.push(Buffer.from("late"));
    expect(output.allocatedBytes).toBe(0);
  });

  it("[T76] holds no more than a small multiple of the limit, however it is polled", () => {
    const output = new TerminalOutput({ kind: "text", textLimitBytes: 100_000, replayBytes: 0 });
    const chunk = Buffer.alloc(30_000, "some text\n");
    let largest = 0;
    for (let poll = 0; poll < 300; poll++) {
      output.push(chunk, 0, 1 + ((poll * 7919) % chunk.length));
      output.tailJson();
      largest = Math.max(largest, output.allocatedBytes);
    }
    expect(largest).toBeLessThan(1_000_000);
  });

  it("[T62] refuses limits that are no number of bytes", () => {
    for (const bad of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new TerminalOutput({ kind: "text", textLimitBytes: bad, replayBytes: 0 })).toThrow(
        /textLimitBytes/,
      );
      expect(() => new TerminalOutput({ kind: "text", textLimitBytes: 0, replayBytes: bad })).toThrow(
        /replayBytes/,
      );
    }
  });
});

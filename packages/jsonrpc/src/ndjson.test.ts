// The NDJSON splitter: every chunking gives the same lines, and odd lines do no harm.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NdjsonSplitter } from "./ndjson.ts";
import type { NdjsonOptions } from "./ndjson.ts";

type Found =
  | { kind: "message"; text: string; sizeBytes: number }
  | { kind: "noise"; text: string }
  | { kind: "too-long"; head: string };

function openSplitter(options: NdjsonOptions = {}): { splitter: NdjsonSplitter; found: Found[] } {
  const found: Found[] = [];
  const splitter = new NdjsonSplitter(
    {
      message: (text, sizeBytes) => found.push({ kind: "message", text, sizeBytes }),
      noise: (text) => found.push({ kind: "noise", text }),
      tooLong: (head) => found.push({ kind: "too-long", head }),
    },
    options,
  );
  return { splitter, found };
}

function split(bytes: Uint8Array, cuts: readonly number[], options: NdjsonOptions = {}): Found[] {
  const { splitter, found } = openSplitter(options);
  // All chunks go through one buffer that is overwritten, as a transport's read buffer is.
  const shared = new Uint8Array(bytes.length);
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  for (const [index, end] of edges.entries()) {
    const start = edges[index - 1] ?? 0;
    shared.set(bytes.subarray(start, end));
    splitter.push(shared.subarray(0, end - start));
    shared.fill(0);
  }
  splitter.end();
  return found;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const texts = (found: Found[]): string[] =>
  found.flatMap((one) => (one.kind === "message" ? [one.text] : []));

describe("NdjsonSplitter", () => {
  it("[J1] gives the same messages for any chunking of any stream", () => {
    const line = fc.oneof(
      fc.record({ jsonrpc: fc.constant("2.0"), method: fc.string({ unit: "binary" }), params: fc.json() }),
      fc.array(fc.json({ maxDepth: 1 }), { maxLength: 3 }),
    );
    const ending = fc.constantFrom("\n", "\r\n", "\n\n", "\n \r\n");
    fc.assert(
      fc.property(fc.array(fc.tuple(line, ending)), fc.array(fc.nat()), (lines, cuts) => {
        const stream = encode(lines.map(([value, end]) => JSON.stringify(value) + end).join(""));
        const parsed = texts(split(stream, cuts)).map((text) => JSON.parse(text) as unknown);
        expect(parsed).toEqual(lines.map(([value]) => JSON.parse(JSON.stringify(value)) as unknown));
      }),
    );
  });

  it("[J1] gives the same lines for any chunking of any bytes, valid UTF-8 or not", () => {
    const bytes = fc.array(
      fc.oneof(fc.constantFrom(10, 13, 32, 34, 91, 123, 0xc3, 0xe2, 0xff), fc.nat(255)),
      {
        maxLength: 200,
      },
    );
    fc.assert(
      fc.property(bytes, fc.array(fc.nat()), (values, cuts) => {
        const stream = Uint8Array.from(values);
        const options = { maxLineBytes: 40 };
        const withoutHeads = (found: Found[]): Found[] =>
          found.map((one) => (one.kind === "too-long" ? { kind: "too-long", head: "" } : one));
        expect(withoutHeads(split(stream, cuts, options))).toEqual(withoutHeads(split(stream, [], options)));
      }),
    );
  });

  it("[J1] keeps nothing of a chunk after push has returned", () => {
    const { splitter, found } = openSplitter();
    const chunk = encode('{"a":1}\n{"b":');
    splitter.push(chunk);
    chunk.fill(120);
    splitter.push(encode("2}\n"));
    expect(texts(found)).toEqual(['{"a":1}', '{"b":2}']);
  });

  it("[J2] takes CRLF, blank lines, leading blanks, a byte order mark and a last line without newline", () => {
    const found = split(encode('\uFEFF{"a":1}\r\n\r\n   \n\t{"b":2}\n\n{"c":3}'), []);
    expect(texts(found).map((text) => JSON.parse(text) as unknown)).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
    expect(found).toHaveLength(3);
  });

  it("[J2] replaces bad UTF-8 inside its own line only", () => {
    const bad = new Uint8Array([...encode('{"a":"'), 0xe2, 0x82, ...encode('"}\n{"b":"€"}\n')]);
    for (let cut = 0; cut <= bad.length; cut += 1) {
      expect(texts(split(bad, [cut]))).toEqual(['{"a":"\uFFFD"}', '{"b":"€"}']);
    }
  });

  it("[J3] reads a line of the limit, reports a longer one once and continues after its newline", () => {
    const fits = JSON.stringify({ pad: "x".repeat(90) });
    const long = JSON.stringify({ pad: "y".repeat(500) });
    const stream = encode(`${fits}\n${long}\n${fits}\n`);
    for (const cuts of [
      [],
      [150],
      [120, 200, 300, 400],
      Array.from({ length: stream.length }, (_, i) => i),
    ]) {
      const found = split(stream, cuts, { maxLineBytes: fits.length });
      expect(found.map((one) => one.kind)).toEqual(["message", "too-long", "message"]);
      expect(found[1]).toMatchObject({ head: expect.stringMatching(/^\{"pad":"yyy/) as unknown });
    }
  });

  it("[J3] reads a line of 64 MiB that arrives in pieces", () => {
    const { splitter, found } = openSplitter();
    const piece = new Uint8Array(1024 * 1024).fill(97);
    splitter.push(encode('{"pad":"'));
    for (let count = 0; count < 63; count += 1) splitter.push(piece);
    splitter.push(piece.subarray(10));
    splitter.push(encode('"}\n{"next":1}\n'));
    expect(found).toMatchObject([
      { kind: "message", sizeBytes: 64 * 1024 * 1024 },
      { kind: "message", text: '{"next":1}' },
    ]);
  });

  it("[J3] does not keep a line that is too long in memory", () => {
    const { splitter, found } = openSplitter({ maxLineBytes: 2 * 1024 * 1024 });
    const piece = new Uint8Array(1024 * 1024).fill(97);
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 300; count += 1) splitter.push(piece);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    splitter.push(encode('"}\n{"next":1}\n'));
    expect(found).toMatchObject([{ kind: "too-long" }, { kind: "message", text: '{"next":1}' }]);
  });

  it("[J4] reports what cannot be a message with its first 200 characters", () => {
    const found = split(encode(`Welcome!\n42\n"text"\n${"z".repeat(5000)}\n{"a":1}\n`), []);
    expect(found).toEqual([
      { kind: "noise", text: "Welcome!" },
      { kind: "noise", text: "42" },
      { kind: "noise", text: '"text"' },
      { kind: "noise", text: "z".repeat(200) },
      { kind: "message", text: '{"a":1}', sizeBytes: 7 },
    ]);
  });
});

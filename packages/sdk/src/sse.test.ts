// Server-sent events: the standard's rules, and any chunking.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SseParser, type SseFrame } from "./sse.ts";

const encoder = new TextEncoder();

function parse(text: string, cuts: readonly number[] = []): SseFrame[] {
  const bytes = encoder.encode(text);
  const parser = new SseParser();
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.flatMap((place, index) => parser.push(bytes.subarray(place, places[index + 1])));
}

/** Text without line ends, which a field cannot hold; with characters of every length in UTF-8. */
const lineText = fc
  .string({ unit: "binary", maxLength: 12 })
  .map((text) => text.replaceAll(/[\r\n\0\uFEFF]/g, "é€😀"));

const frame = fc.record(
  {
    event: lineText,
    data: fc.array(lineText, { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n")),
    id: lineText,
  },
  { requiredKeys: ["data"] },
);

const lineEnd = fc.constantFrom("\n", "\r\n", "\r");

function format({ event, data = "", id }: SseFrame, end: string): string {
  const lines = [
    ": a comment",
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...data.split("\n").map((line) => `data: ${line}`),
    "retry: 10",
    "",
    "",
  ];
  return lines.join(end);
}

describe("[X12] server-sent events", () => {
  it("[X12] any chunking of any frames with any line ends gives the frames", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(frame, lineEnd), { maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (frames, cuts) => {
          const text = frames.map(([each, end]) => format(each, end)).join("");
          expect(parse(text, cuts)).toEqual(frames.map(([each]) => each));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("[X12] bytes one by one give what the whole gives, whatever they are", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("\r", "\n", "data", ":", " ", "id", "event", "é", "😀", "\uFEFF")),
        (words) => {
          const text = words.join("");
          const everywhere = Array.from({ length: encoder.encode(text).length }, (_, index) => index);
          expect(parse(text, everywhere)).toEqual(parse(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ["one blank after the colon belongs to it", "data:  a\n\n", [{ data: " a" }]],
    ["no blank is needed", "event:e\ndata:a\n\n", [{ event: "e", data: "a" }]],
    ["a field without a colon is empty", "data\n\n", [{ data: "" }]],
    ["the last event line counts", "event: a\nevent: b\ndata: c\n\n", [{ event: "b", data: "c" }]],
    ["an id with a NUL is none", "id: 1\0\ndata: a\n\n", [{ data: "a" }]],
    ["an id alone is reported", "id: 7\n\n", [{ id: "7" }]],
    ["an event without data is nothing", "event: a\n\ndata: b\n\n", [{ data: "b" }]],
    ["comments and blank lines are nothing", ": heartbeat\n\n\n\n", []],
    ["half a frame at the end is nothing", "data: a\n\nid: 2\ndata: b\n", [{ data: "a" }]],
    ["a byte order mark at the beginning is dropped", "\uFEFFdata: a\n\n", [{ data: "a" }]],
    [
      "other separators end no line",
      "data: a\u2028b\u0085c\u000Bd\n\n",
      [{ data: "a\u2028b\u0085c\u000Bd" }],
    ],
  ])("[X12] %s", (_what, text, frames) => {
    expect(parse(text)).toEqual(frames);
  });

  it("[X12] a long line in many chunks costs what it is long", () => {
    const parser = new SseParser();
    const chunk = encoder.encode("x".repeat(16 * 1024));
    parser.push(encoder.encode("data: "));
    for (let count = 0; count < 1024; count += 1) parser.push(chunk);
    expect(parser.push(encoder.encode("\n\n"))[0]?.data).toHaveLength(1024 * chunk.length);
  });

  it("[X12] a frame without an end is refused before it fills the memory", () => {
    const parser = new SseParser();
    const chunk = encoder.encode("x".repeat(8 * 1024 * 1024));
    const flood = (): void => {
      for (let count = 0; count < 9; count += 1) parser.push(chunk);
    };
    expect(flood).toThrow(expect.objectContaining({ code: "INVALID_RESPONSE" }));
  });
});

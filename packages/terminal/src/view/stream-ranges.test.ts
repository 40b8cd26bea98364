// Stretches of stderr in a terminal's output: found for every offset, whatever the order of the streams.
import fc from "fast-check";
import { expect, it } from "vitest";
import { StreamRanges } from "./stream-ranges.ts";

it("[T502] gives each byte its stream, and ends a stretch where the stream changes", () => {
  const pieces = fc.array(fc.record({ isError: fc.boolean(), length: fc.integer({ min: 0, max: 5 }) }), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(pieces, (written) => {
      const ranges = new StreamRanges();
      const streams: string[] = [];
      for (const { isError, length } of written) {
        if (isError) ranges.add(streams.length, streams.length + length);
        for (let count = 0; count < length; count += 1) streams.push(isError ? "error" : "output");
      }
      for (const [offset, stream] of streams.entries()) {
        const found = ranges.at(offset);
        const next = streams.findIndex((each, index) => index > offset && each !== stream);
        expect(found.stream).toBe(stream);
        // A stretch of stderr at the very end is closed: what comes next may be either.
        expect(Math.min(found.end, streams.length)).toBe(next === -1 ? streams.length : next);
      }
    }),
  );
});

it("[T502] keeps a bounded number of stretches, the newest ones", () => {
  const ranges = new StreamRanges();
  for (let offset = 0; offset < 1_000_000; offset += 2) ranges.add(offset, offset + 1);
  expect(ranges.at(999_998)).toEqual({ stream: "error", end: 999_999 });
  expect(ranges.at(0).stream).toBe("output");
});

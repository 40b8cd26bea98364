// Bytes held back at the end, compared with the decoder of the platform.
import fc from "fast-check";
import { expect, it } from "vitest";
import { incompleteTailBytes, toWellFormed } from "./utf8.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const numRuns = isLong ? 20_000 : 1000;

/** Bytes that begin, continue or break characters, more often than not. */
const bytes = fc.array(
  fc.oneof(
    fc.constantFrom(
      0x41,
      0x80,
      0x8f,
      0x90,
      0x9f,
      0xa0,
      0xbf,
      0xc1,
      0xc2,
      0xdf,
      0xe0,
      0xed,
      0xef,
      0xf0,
      0xf4,
      0xf5,
    ),
    fc.nat(255),
  ),
  { maxLength: 8 },
);

it("[T63] holds back exactly what a streaming decoder holds back", () => {
  fc.assert(
    fc.property(bytes, (values) => {
      const stream = Buffer.from(values);
      const heldBytes = incompleteTailBytes(stream);
      const settled = stream.subarray(0, stream.length - heldBytes);
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      expect(toWellFormed(settled).toString()).toBe(
        Buffer.from(decoder.decode(stream, { stream: true })).toString(),
      );
    }),
    { numRuns },
  );
});

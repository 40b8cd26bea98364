// Frames: whatever the pieces in which they arrive, they are the same.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FRAME, FrameReader, encodeHeader } from "./frame.ts";

interface Frame {
  readonly type: number;
  readonly run: number;
  readonly stream: "output" | "error";
  readonly offset: number;
  readonly payload: Uint8Array;
}

const frames: fc.Arbitrary<Frame> = fc.record({
  type: fc.constantFrom(FRAME.bytes, FRAME.input, FRAME.request, FRAME.credit, FRAME.acknowledge),
  run: fc.nat(0xffffffff),
  stream: fc.constantFrom("output", "error"),
  offset: fc.maxSafeNat(),
  payload: fc.uint8Array({ maxLength: 300 }),
});

describe("[K729] frames", () => {
  it("[K729] are read from pieces of any size, and bytes keep their offsets", () => {
    fc.assert(
      fc.property(
        fc.array(frames),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
        (sent, sizes) => {
          const heard: { type: number; run: number; stream: string; offset: number; payload: number[] }[] =
            [];
          let openBytes:
            | { type: number; run: number; stream: string; offset: number; payload: number[] }
            | undefined;
          const reader = new FrameReader({
            part: ({ type, run, stream, offset, sizeBytes }, bytes, at) => {
              openBytes ??= { type, run, stream, offset, payload: [] };
              expect(at).toBe(offset + openBytes.payload.length);
              openBytes.payload.push(...bytes);
              if (openBytes.payload.length < sizeBytes) return;
              heard.push(openBytes);
              openBytes = undefined;
            },
            frame: ({ type, run, stream, offset }, payload) => {
              heard.push({ type, run, stream, offset, payload: [...payload] });
            },
          });
          const whole = Buffer.concat(
            sent.flatMap(({ type, run, stream, offset, payload }) => [
              encodeHeader(type, payload.length, run, stream, offset),
              payload,
            ]),
          );
          for (let at = 0, index = 0; at < whole.length; index += 1) {
            const size = sizes[index % sizes.length] ?? 1;
            // A copy, because the reader may keep nothing of what it was given.
            const piece = Buffer.from(whole.subarray(at, at + size));
            reader.push(piece);
            piece.fill(0);
            at += size;
          }
          expect(heard).toEqual(sent.map((frame) => ({ ...frame, payload: [...frame.payload] })));
        },
      ),
    );
  });
});

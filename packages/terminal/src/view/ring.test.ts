// The ring against a plain record of everything pushed, and its memory against the budget.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RingBudget } from "./budget.ts";
import { ByteRing } from "./ring.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const numRuns = isLong ? 20_000 : 400;
const KIB = 1024;

describe("ByteRing", () => {
  it("[T60] keeps the newest bytes at their absolute offsets, whatever the pushes", () => {
    const pushes = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });
    fc.assert(
      fc.property(fc.nat(50), pushes, (capacityBytes, chunks) => {
        const ring = new ByteRing({ capacityBytes });
        let all = Buffer.alloc(0);
        for (const chunk of chunks) {
          ring.push(chunk);
          all = Buffer.concat([all, chunk]);
          const start = Math.max(0, all.length - capacityBytes);
          expect([ring.startOffset, ring.endOffset]).toEqual([start, all.length]);
          expect(ring.copy(start, all.length)).toEqual(all.subarray(start));
          const middle = Math.floor((start + all.length) / 2);
          expect(Buffer.concat(ring.slices(middle, all.length))).toEqual(all.subarray(middle));
        }
      }),
      { numRuns },
    );
  });

  it("[T60] shrinks to its newest bytes at any moment, gives memory back, and continues", () => {
    const chunk = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(chunk, { maxLength: 10 }),
        fc.nat(60),
        fc.array(chunk, { maxLength: 10 }),
        (...run) => {
          const [before, capacityBytes, after] = run;
          const budget = new RingBudget({ totalBytes: 1000, floorBytes: 0 });
          const ring = new ByteRing({ capacityBytes: 50, budget });
          let all = Buffer.alloc(0);
          for (const piece of before) {
            ring.push(piece);
            all = Buffer.concat([all, piece]);
          }
          ring.shrink(capacityBytes);
          expect(budget.usedBytes).toBe(ring.allocatedBytes);
          for (const piece of [new Uint8Array(), ...after]) {
            ring.push(piece);
            all = Buffer.concat([all, piece]);
            const start = Math.max(0, all.length - Math.min(50, capacityBytes));
            expect(ring.startOffset).toBeLessThanOrEqual(start);
            expect(ring.copy(start, all.length)).toEqual(all.subarray(start));
          }
          expect(ring.allocatedBytes).toBeLessThanOrEqual(Math.max(capacityBytes, 0));
        },
      ),
      { numRuns },
    );
  });

  it("[T60] takes only the named part of what is pushed", () => {
    const ring = new ByteRing({ capacityBytes: 10 });
    ring.push(Buffer.from("abcdef"), 2, 5);
    expect(ring.copy(0, 3).toString()).toBe("cde");
  });

  it("[T60] takes memory only as it fills, up to its capacity", () => {
    const ring = new ByteRing({ capacityBytes: 100 * KIB });
    expect(ring.allocatedBytes).toBe(0);
    const sizes: number[] = [];
    for (let pushed = 0; pushed < 12; pushed++) {
      ring.push(Buffer.alloc(10 * KIB));
      sizes.push(ring.allocatedBytes / KIB);
    }
    expect(sizes).toEqual([16, 32, 32, 64, 64, 64, 100, 100, 100, 100, 100, 100]);
  });

  it("[T60] refuses bytes it does not have", () => {
    const ring = new ByteRing({ capacityBytes: 4 });
    ring.push(Buffer.from("abcdef"));
    expect(() => ring.slices(1, 6)).toThrow(RangeError);
    expect(() => ring.slices(2, 7)).toThrow(RangeError);
    expect(() => ring.slices(4, 3)).toThrow(RangeError);
    expect(ring.slices(3, 3)).toEqual([]);
  });

  it("[T60] keeps nothing once closed, but continues counting", () => {
    const budget = new RingBudget({ totalBytes: 100 * KIB });
    const ring = new ByteRing({ capacityBytes: 50 * KIB, budget });
    ring.push(Buffer.alloc(20 * KIB));
    expect(budget.usedBytes).toBe(32 * KIB);
    ring.close();
    ring.push(Buffer.from("late"));
    expect(budget.usedBytes).toBe(0);
    expect([ring.startOffset, ring.endOffset]).toEqual([20 * KIB + 4, 20 * KIB + 4]);
  });
});

describe("RingBudget", () => {
  it("[T61] lets rings grow to the total, then keep a shorter tail, then grow again", () => {
    const budget = new RingBudget({ totalBytes: 192 * KIB });
    const first = new ByteRing({ capacityBytes: 128 * KIB, budget });
    const second = new ByteRing({ capacityBytes: 128 * KIB, budget });
    first.push(Buffer.alloc(200 * KIB));
    second.push(Buffer.alloc(200 * KIB, "x"));
    expect([first.allocatedBytes, second.allocatedBytes]).toEqual([128 * KIB, 64 * KIB]);
    expect(second.startOffset).toBe(136 * KIB);
    first.close();
    second.push(Buffer.from("y"));
    expect(second.allocatedBytes).toBe(128 * KIB);
    expect(second.startOffset).toBe(136 * KIB);
    expect(second.copy(200 * KIB - 1, 200 * KIB + 1).toString()).toBe("xy");
  });

  it("[T61] grants each ring the floor even when the total is used up", () => {
    const budget = new RingBudget({ totalBytes: 0, floorBytes: 20 * KIB });
    const rings = [1, 2, 3].map(() => new ByteRing({ capacityBytes: 1024 * KIB, budget }));
    for (const ring of rings) ring.push(Buffer.alloc(50 * KIB));
    expect(rings.map((ring) => ring.allocatedBytes)).toEqual([20 * KIB, 20 * KIB, 20 * KIB]);
    expect(rings.map((ring) => ring.guaranteedBytes)).toEqual([20 * KIB, 20 * KIB, 20 * KIB]);
    expect(budget.usedBytes).toBe(60 * KIB);
  });
});

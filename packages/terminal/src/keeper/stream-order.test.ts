// The order of two streams against a list of bytes: turns, places after dropped bytes, and what is forgotten.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunStream } from "../process/port.ts";
import { StreamOrder, type StreamPlace } from "./stream-order.ts";

const stream = fc.constantFrom<RunStream>("output", "error");
const pieces = fc.array(fc.record({ stream, sizeBytes: fc.integer({ min: 0, max: 5 }) }), { maxLength: 40 });
type Pieces = readonly { readonly stream: RunStream; readonly sizeBytes: number }[];

function bytesOf(list: Pieces): RunStream[] {
  return list.flatMap((piece) => Array.from({ length: piece.sizeBytes }, () => piece.stream));
}

function orderOf(list: Pieces, maxChanges?: number): StreamOrder {
  const order = new StreamOrder(maxChanges);
  for (const piece of list) order.add(piece.stream, piece.sizeBytes);
  return order;
}

function placeAt(bytes: readonly RunStream[], joined: number): StreamPlace {
  const error = bytes.slice(0, joined).filter((each) => each === "error").length;
  return { output: joined - error, error };
}

/** The stream of each byte from a joined offset on. */
function recorded(order: StreamOrder, from: number, end: number): RunStream[] {
  const bytes: RunStream[] = [];
  while (from + bytes.length < end) {
    const turn = order.at(from + bytes.length);
    const sizeBytes = Math.min(turn.sizeBytes, end - from - bytes.length);
    for (let count = 0; count < sizeBytes; count += 1) bytes.push(turn.stream);
  }
  return bytes;
}

/** The first place with no byte after it that is gone. */
function firstWhole(bytes: readonly RunStream[], gone: StreamPlace): number {
  const counts = { output: 0, error: 0 };
  let joined = 0;
  for (const [index, each] of bytes.entries()) {
    if (counts[each] < gone[each]) joined = index + 1;
    counts[each] += 1;
  }
  return joined;
}

test("[K742] the order of two streams is that of their bytes, also after its beginning was dropped", () => {
  fc.assert(
    fc.property(pieces, fc.nat(100), fc.nat(100), (list, output, error) => {
      const bytes = bytesOf(list);
      const order = orderOf(list);
      const end = placeAt(bytes, bytes.length);
      const gone = { output: Math.min(output, end.output), error: Math.min(error, end.error) };
      expect(recorded(order, 0, bytes.length)).toEqual(bytes);
      const joined = firstWhole(bytes, gone);
      expect(order.after(gone)).toEqual(placeAt(bytes, joined));
      order.dropBelow(gone);
      expect(order.after(gone)).toEqual(placeAt(bytes, joined));
      expect(recorded(order, joined, bytes.length)).toEqual(bytes.slice(joined));
      order.add("error", 2);
      expect(recorded(order, joined, bytes.length + 2)).toEqual([...bytes.slice(joined), "error", "error"]);
    }),
  );
});

test("[K742] a full order forgets bytes that a host has, or reorders bytes that none has", () => {
  fc.assert(
    fc.property(pieces, fc.nat(100), (list, some) => {
      const bytes = bytesOf(list);
      const joined = Math.min(some, bytes.length);
      const halved = orderOf(list);
      const isHalved = halved.halve(joined);
      const { output, error } = halved.after({ output: 0, error: 0 });
      const from = output + error;
      expect({ output, error }).toEqual(placeAt(bytes, from));
      expect(from).toBeLessThanOrEqual(joined);
      expect(recorded(halved, from, bytes.length)).toEqual(bytes.slice(from));
      expect(from > 0).toBe(isHalved);

      const reordered = orderOf(list);
      const end = placeAt(bytes, bytes.length);
      reordered.reorder(joined, [end]);
      const rest = bytes.slice(joined).toSorted().toReversed();
      expect(recorded(reordered, 0, bytes.length)).toEqual([...bytes.slice(0, joined), ...rest]);
      expect(reordered.after(end)).toEqual(bytes.length === 0 ? { output: 0, error: 0 } : end);
    }),
  );
});

test("[K742] bytes that no host has received change the stream once in a batch, and no byte of one stream moves in it", () => {
  fc.assert(
    fc.property(pieces, pieces, fc.nat(100), (settledList, list, some) => {
      const before = bytesOf(settledList);
      const settled = Math.min(some, before.length);
      const order = orderOf(settledList);
      for (const piece of list) order.add(piece.stream, piece.sizeBytes, settled);
      const bytes = [...before, ...bytesOf(list)];
      const found = recorded(order, 0, bytes.length);
      expect(found.slice(0, settled)).toEqual(before.slice(0, settled));
      expect(placeAt(found, bytes.length)).toEqual(placeAt(bytes, bytes.length));
      const fresh = found.slice(before.length);
      expect(fresh.filter((each, index) => index > 0 && each !== fresh[index - 1]).length).toBeLessThan(3);
    }),
  );
});

test("[K742] in a flood of short lines the stream changes every 8 KiB or so", () => {
  const order = new StreamOrder();
  for (let line = 0; line < 64 * 1024; line += 1) order.add(line % 2 === 0 ? "output" : "error", 8, 0);
  let changes = 0;
  for (let joined = 0; joined < 512 * 1024; joined += order.at(joined).sizeBytes) changes += 1;
  expect(changes).toBeGreaterThan(40);
  expect(changes).toBeLessThanOrEqual(64);
});

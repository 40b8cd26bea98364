// Shows that numbers on the wire grow, and that a client resumes exactly where it stopped.
import fc from "fast-check";
import { expect, test } from "vitest";
import { AHP_SEQ_STRIDE, entrySeqBefore, wireSeq, wireSeqAfter } from "./sequence.ts";

const strides = fc.constantFrom({ seqStride: 1 }, { seqStride: AHP_SEQ_STRIDE });

test("[E2] every message has its own number, above those of the snapshot and of the entries before", () => {
  fc.assert(
    fc.property(fc.nat(1e6), fc.nat(AHP_SEQ_STRIDE - 2), (serverSeq, index) => {
      const numbered = { seqStride: AHP_SEQ_STRIDE };
      const seq = wireSeq(numbered, serverSeq + 1, index);
      expect(seq).toBeGreaterThan(wireSeqAfter(numbered, serverSeq));
      expect(wireSeq(numbered, serverSeq + 1, index + 1)).toBeGreaterThan(seq);
      expect(wireSeqAfter(numbered, serverSeq + 1)).toBeGreaterThanOrEqual(seq);
    }),
  );
});

test("[E2] a client that stopped anywhere is sent each later message once and no earlier one", () => {
  const entries = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(strides, entries, fc.nat(), (numbered, sizes, stop) => {
      const counts = numbered.seqStride === 1 ? sizes.map(() => 1) : sizes;
      const all = counts.flatMap((count, entry) =>
        Array.from({ length: count }, (_, index) => ({
          entry: entry + 1,
          seq: wireSeq(numbered, entry + 1, index),
        })),
      );
      const position = stop % all.length;
      const lastSeen = all[position]?.seq ?? 0;
      const from = entrySeqBefore(numbered, lastSeen);
      const sent = all.filter(({ entry, seq }) => entry > from && seq > lastSeen);
      expect(sent).toEqual(all.slice(position + 1));
    }),
  );
});

test("[E2] a client that has only seen a snapshot is sent what came after it", () => {
  fc.assert(
    fc.property(strides, fc.nat(1e6), (numbered, serverSeq) => {
      expect(entrySeqBefore(numbered, wireSeqAfter(numbered, serverSeq))).toBe(serverSeq);
    }),
  );
});

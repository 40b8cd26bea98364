// Numbers on the wire: one action of the model may be several on the wire, and each needs a number.

/** Numbers reserved for the messages of one entry; beyond that, the last messages share a number. */
export const AHP_SEQ_STRIDE = 64;

interface Numbered {
  readonly seqStride: number;
}

/** The number of a message that comes from an entry; `index` counts the entry's messages from 0. */
export function wireSeq({ seqStride }: Numbered, serverSeq: number, index: number): number {
  return serverSeq * seqStride + Math.min(index, seqStride - 1);
}

/** The number of a snapshot: it includes every message of the entry. */
export function wireSeqAfter({ seqStride }: Numbered, serverSeq: number): number {
  return serverSeq * seqStride + seqStride - 1;
}

/**
 * The entry after which a log is read again for a client that has seen a number.
 * It may have seen only some messages of the next entry: those at or below its number are not sent again.
 */
export function entrySeqBefore({ seqStride }: Numbered, lastSeenWireSeq: number): number {
  return Math.floor((lastSeenWireSeq + 1) / seqStride) - 1;
}

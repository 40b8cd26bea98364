// A circular byte buffer: keeps the tail of a stream, addressed by absolute offsets from its first byte.
import { Buffer } from "node:buffer";
import type { RingBudget } from "./budget.ts";

const FIRST_ALLOCATION_BYTES = 16 * 1024;
const NOTHING = Buffer.alloc(0);

/** The last bytes of a stream; memory is taken only as the stream fills it. */
export class ByteRing {
  readonly #budget: RingBudget | undefined;
  #capacityBytes: number;
  #store = NOTHING;
  #writeIndex = 0;
  #startOffset: number;
  #endOffset: number;

  /** `startOffset`: where a stream continues of which nobody has the beginning. Default 0. */
  constructor(options: {
    capacityBytes: number;
    budget?: RingBudget | undefined;
    startOffset?: number | undefined;
  }) {
    this.#startOffset = options.startOffset ?? 0;
    this.#endOffset = this.#startOffset;
    this.#capacityBytes = options.capacityBytes;
    this.#budget = options.budget;
  }

  /** Offset of the oldest byte still kept. */
  get startOffset(): number {
    return this.#startOffset;
  }

  /** Offset after the newest byte: the length of the stream so far. */
  get endOffset(): number {
    return this.#endOffset;
  }

  get allocatedBytes(): number {
    return this.#store.length;
  }

  /** How many of the newest bytes are kept whatever the budget says. */
  get guaranteedBytes(): number {
    return this.#budget ? Math.min(this.#capacityBytes, this.#budget.floorBytes) : this.#capacityBytes;
  }

  /** Appends a part of `source`, which the caller may reuse at once. */
  push(source: Uint8Array, start = 0, end = source.length): void {
    const length = end - start;
    if (this.#endOffset - this.#startOffset + length > this.#store.length) this.#grow(length);
    const store = this.#store;
    const size = store.length;
    this.#endOffset += length;
    if (length >= size) {
      store.set(source.subarray(end - size, end));
      this.#writeIndex = 0;
      this.#startOffset = this.#endOffset - size;
      return;
    }
    const space = size - this.#writeIndex;
    if (length < space) {
      store.set(source.subarray(start, end), this.#writeIndex);
      this.#writeIndex += length;
    } else {
      store.set(source.subarray(start, start + space), this.#writeIndex);
      store.set(source.subarray(start + space, end));
      this.#writeIndex = length - space;
    }
    if (this.#startOffset < this.#endOffset - size) this.#startOffset = this.#endOffset - size;
  }

  /** The bytes from one offset to another as 0 to 2 views, valid until the next push. */
  slices(from: number, to: number): Uint8Array[] {
    if (from < this.#startOffset || to > this.#endOffset || from > to) {
      throw new RangeError(
        `bytes ${from} to ${to} are not within ${this.#startOffset} to ${this.#endOffset}`,
      );
    }
    if (from === to) return [];
    const size = this.#store.length;
    const first = (this.#writeIndex - (this.#endOffset - from) + size) % size;
    const last = first + (to - from);
    if (last <= size) return [this.#store.subarray(first, last)];
    return [this.#store.subarray(first), this.#store.subarray(0, last - size)];
  }

  /** A copy of the bytes from one offset to another. */
  copy(from: number, to: number): Buffer {
    return Buffer.concat(this.slices(from, to));
  }

  /** Keeps no more than so many of the newest bytes from now on, and gives the rest of the memory back. */
  shrink(capacityBytes: number): void {
    if (capacityBytes >= this.#capacityBytes) return;
    this.#capacityBytes = capacityBytes;
    if (this.#store.length <= capacityBytes) return;
    const from = Math.max(this.#startOffset, this.#endOffset - capacityBytes);
    const kept = this.copy(from, this.#endOffset);
    const store = Buffer.allocUnsafeSlow(capacityBytes);
    store.set(kept);
    this.#budget?.release(this.#store.length - capacityBytes);
    this.#store = store;
    this.#startOffset = from;
    this.#writeIndex = kept.length % Math.max(1, capacityBytes);
  }

  /** Frees the memory; the offsets continue, but nothing is kept any more. */
  close(): void {
    this.#budget?.release(this.#store.length);
    this.#store = NOTHING;
    this.#capacityBytes = 0;
    this.#writeIndex = 0;
    this.#startOffset = this.#endOffset;
  }

  #grow(extraBytes: number): void {
    const neededBytes = this.#endOffset - this.#startOffset + extraBytes;
    let size = this.#store.length;
    while (size < neededBytes && size < this.#capacityBytes) {
      const next = Math.min(Math.max(size * 2, FIRST_ALLOCATION_BYTES), this.#capacityBytes);
      const granted = this.#grantedBytes(size, next);
      if (granted === size) break;
      size = granted;
    }
    if (size === this.#store.length) return;
    const grown = Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (const slice of this.slices(this.#startOffset, this.#endOffset)) {
      grown.set(slice, at);
      at += slice.length;
    }
    this.#store = grown;
    this.#writeIndex = at;
  }

  /** The part of a growth that the budget allows: all of it, up to the floor, or nothing. */
  #grantedBytes(from: number, to: number): number {
    if (!this.#budget || this.#budget.tryGrow(from, to)) return to;
    const guaranteed = this.guaranteedBytes;
    return from < guaranteed && this.#budget.tryGrow(from, guaranteed) ? guaranteed : from;
  }
}

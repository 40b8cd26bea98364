// Output that waits to be written: bounded, so that of what comes too fast the newest is left.
import { Buffer } from "node:buffer";
import type { Frame } from "./frames.ts";

interface Chunk {
  readonly offset: number;
  readonly length: number;
  readonly memory: Uint8Array;
}

/** A queue of bytes that forgets its oldest. */
export class PendingBytes {
  readonly #chunks: Chunk[] = [];
  #sizeBytes = 0;

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** Adds a copy, and forgets what is beyond `limitBytes`. The memory of what is forgotten is used again: a flood must not feed the garbage collector. */
  push(offset: number, bytes: Uint8Array, limitBytes: number): void {
    const tail = bytes.subarray(Math.max(0, bytes.length - limitBytes));
    let spare: Uint8Array | undefined;
    while (this.#sizeBytes + tail.length > limitBytes) {
      const oldest = this.#chunks.shift();
      if (oldest === undefined) break;
      this.#sizeBytes -= oldest.length;
      spare = oldest.memory;
    }
    const memory = spare !== undefined && spare.length >= tail.length ? spare : new Uint8Array(tail.length);
    memory.set(tail);
    this.#chunks.push({ offset: offset + bytes.length - tail.length, length: tail.length, memory });
    this.#sizeBytes += tail.length;
  }

  /** Takes the oldest consecutive bytes, about `maxBytes` of them: whole chunks, and at least one. */
  take(maxBytes: number): Frame | undefined {
    const [first] = this.#chunks;
    if (first === undefined) return undefined;
    let end = first.offset;
    let count = 0;
    for (const { offset, length } of this.#chunks) {
      if (offset !== end || (count > 0 && end + length - first.offset > maxBytes)) break;
      end += length;
      count += 1;
    }
    const taken = this.#chunks.splice(0, count);
    this.#sizeBytes -= end - first.offset;
    return {
      offset: first.offset,
      bytes: Buffer.concat(taken.map(({ memory, length }) => memory.subarray(0, length))),
    };
  }
}

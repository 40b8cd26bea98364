// A piece of a file in memory that is moved along it, so that no file is ever in memory whole.
import type { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { decodeHead, frameHeadBytes, type FrameHead } from "./frames.ts";

/** What is read to see one head; few bytes, because large frames are passed over. */
const headFillBytes = 512;

/** Reads one file up to an end through a memory that it was lent. */
export class FileWindow {
  readonly #handle: FileHandle;
  readonly #memory: Buffer;
  readonly #endPosition: number;
  #position = 0;
  #length = 0;

  constructor(handle: FileHandle, memory: Buffer, endPosition: number) {
    this.#handle = handle;
    this.#memory = memory;
    this.#endPosition = endPosition;
  }

  /** How many bytes from a position on are in memory. */
  heldBytes(position: number): number {
    return position < this.#position ? 0 : Math.max(0, this.#position + this.#length - position);
  }

  /** The bytes from a position on that are in memory, as long as the window is not moved. */
  view(position: number, maxBytes: number): Buffer {
    const start = position - this.#position;
    return this.#memory.subarray(start, start + Math.min(maxBytes, this.heldBytes(position)));
  }

  /** The head at a position that is in memory; undefined when it is not, or not all of it. */
  head(position: number): FrameHead | undefined {
    if (this.heldBytes(position) < frameHeadBytes) return undefined;
    return decodeHead(this.#memory, position - this.#position);
  }

  /** Moves to a position and reads as much as is wished and fits. */
  async moveTo(position: number, wishedBytes: number): Promise<void> {
    this.#position = position;
    this.#length = 0;
    const limitBytes = Math.min(wishedBytes, this.#memory.length, this.#endPosition - position);
    while (this.#length < limitBytes) {
      const restBytes = limitBytes - this.#length;
      const { bytesRead } = await this.#handle.read(
        this.#memory,
        this.#length,
        restBytes,
        position + this.#length,
      );
      if (bytesRead === 0) return;
      this.#length += bytesRead;
    }
  }

  /** Moves to a head of which nothing else is wished: reads little after a jump, ever more while heads lie close together. */
  async moveToHead(position: number): Promise<void> {
    const isNear = position - (this.#position + this.#length) <= this.#length;
    await this.moveTo(position, isNear ? Math.max(headFillBytes, 2 * this.#length) : headFillBytes);
  }
}

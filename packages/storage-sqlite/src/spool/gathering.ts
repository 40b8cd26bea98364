// The bytes that one read has found so far: consecutive ones, up to a gap or the most that was asked for.
import { Buffer } from "node:buffer";
import type { SpoolSlice } from "@holdfast/core/ports";
import { frameHeadBytes, type FrameHead } from "./frames.ts";
import type { FileWindow } from "./file-window.ts";

/** What is read beyond what is wanted, for the heads that lie between. */
const slackBytes = 512;

/** Gathers a slice from frames in the order of their offsets. */
export class Gathering {
  readonly #memory: Buffer;
  readonly #maxBytes: number;
  #startOffset: number | undefined;
  #nextOffset: number;
  #isDone = false;

  /** Takes memory for `maxBytes` at once. */
  constructor(fromOffset: number, maxBytes: number) {
    this.#nextOffset = fromOffset;
    this.#maxBytes = Math.max(0, maxBytes);
    this.#memory = Buffer.allocUnsafe(this.#maxBytes);
  }

  /** The first offset that is still wanted. */
  get nextOffset(): number {
    return this.#nextOffset;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** What was found; undefined when it is nothing. */
  get slice(): SpoolSlice | undefined {
    const startOffset = this.#startOffset;
    if (startOffset === undefined || (this.#filledBytes === 0 && this.#maxBytes > 0)) return undefined;
    const bytes = this.#memory.subarray(0, this.#filledBytes);
    return { startOffset, endOffset: this.#nextOffset, bytes };
  }

  get #filledBytes(): number {
    return this.#nextOffset - (this.#startOffset ?? this.#nextOffset);
  }

  /** Gathers from the frames between two positions of a file. A file that is shorter than it should be gives what it has. */
  async addFrom(window: FileWindow, startPosition: number, endPosition: number): Promise<void> {
    let position = startPosition;
    while (position < endPosition && !this.#isDone) {
      let head = window.head(position);
      if (head === undefined) {
        await (this.#startOffset === undefined
          ? window.moveToHead(position)
          : window.moveTo(position, this.#wishedBytes));
        head = window.head(position);
      }
      if (head === undefined) return;
      const bodyPosition = position + frameHeadBytes;
      if (this.#wants(head)) await this.#addBody(window, bodyPosition, head);
      position = bodyPosition + head.length;
    }
  }

  get #wishedBytes(): number {
    return this.#maxBytes - this.#filledBytes + slackBytes;
  }

  /** Whether a frame has bytes of the slice; one beyond a gap ends it. */
  #wants({ offset, length }: FrameHead): boolean {
    if (offset + length <= this.#nextOffset) return false;
    if (this.#startOffset === undefined) {
      this.#startOffset = Math.max(offset, this.#nextOffset);
      this.#nextOffset = this.#startOffset;
    }
    this.#isDone = offset > this.#nextOffset || this.#filledBytes >= this.#maxBytes;
    return !this.#isDone;
  }

  async #addBody(window: FileWindow, bodyPosition: number, { offset, length }: FrameHead): Promise<void> {
    while (this.#nextOffset < offset + length && !this.#isDone) {
      const position = bodyPosition + this.#nextOffset - offset;
      if (window.heldBytes(position) === 0) await window.moveTo(position, this.#wishedBytes);
      const restBytes = Math.min(offset + length - this.#nextOffset, this.#maxBytes - this.#filledBytes);
      const piece = window.view(position, restBytes);
      piece.copy(this.#memory, this.#filledBytes);
      this.#nextOffset += piece.length;
      this.#isDone = piece.length === 0 || this.#filledBytes >= this.#maxBytes;
    }
  }
}

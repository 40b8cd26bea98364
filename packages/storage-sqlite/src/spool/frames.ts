// Frames of a spool file, each with the offset of its bytes, so that gaps show; and how a read gathers them.
import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import type { SpoolSlice } from "@holdfast/core/ports";

/** Consecutive bytes of a terminal and where they begin. */
export interface Frame {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Head before the bytes of a frame. */
export interface FrameHead {
  readonly offset: number;
  readonly length: number;
}

/** Begins every file; another format would begin otherwise. */
export const heading: Uint8Array = Buffer.from("HFSPOOL1");

const offsetBytes = 6;

export const frameHeadBytes = offsetBytes + 4;

export function encodeFrame({ offset, bytes }: Frame): Buffer {
  const encoded = Buffer.allocUnsafe(frameHeadBytes + bytes.length);
  encoded.writeUIntBE(offset, 0, offsetBytes);
  encoded.writeUInt32BE(bytes.length, offsetBytes);
  encoded.set(bytes, frameHeadBytes);
  return encoded;
}

/** The head that stands at `start` of a memory. */
function decodeHead(memory: Buffer, start: number): FrameHead {
  return { offset: memory.readUIntBE(start, offsetBytes), length: memory.readUInt32BE(start + offsetBytes) };
}

/** Bytes read to see one head; few, because large frames are skipped. */
const headFillBytes = 512;

/** Reads one file up to an end through a memory that it was lent, so that no file is ever in memory whole. */
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

/** Bytes read beyond those wanted, for the heads that lie between. */
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

  /** The result; undefined when nothing was found. */
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

// The bytes of one stream that are held: from the first that is not acknowledged to the last that was read.
import type { HeldFile, HeldStorage } from "./held-storage.ts";

/** A piece of memory; what is in it never changes. */
interface Chunk {
  readonly buffer: Buffer;
  readonly from: number;
  sizeBytes: number;
}

/** An idle terminal holds a prompt, a flood a mebibyte: chunks grow with what comes. */
const firstChunkBytes = 2048;
const chunkGrowth = 4;
const largestChunkBytes = 256 * 1024;

/** Absolute offsets: files first, then memory. Its owner closes it. */
export class HeldStream {
  readonly #storage: HeldStorage;
  readonly #files: HeldFile[] = [];
  readonly #chunks: Chunk[] = [];
  #memoryBytes = 0;
  #nextChunkBytes = firstChunkBytes;
  #from = 0;
  #end = 0;

  constructor(storage: HeldStorage) {
    this.#storage = storage;
  }

  /** The first byte that is held. */
  get from(): number {
    return this.#from;
  }

  /** The offset after the last byte. */
  get end(): number {
    return this.#end;
  }

  get sizeBytes(): number {
    return this.#end - this.#from;
  }

  /** More than memory may hold, and no file takes it. */
  get isOverflowing(): boolean {
    return this.#storage.isOver(this.#memoryBytes) && this.#storage.isRefused;
  }

  append(bytes: Uint8Array): void {
    for (let taken = 0; taken < bytes.length;) {
      const chunk = this.#chunkWithRoom(bytes.length - taken);
      const piece = bytes.subarray(taken, taken + chunk.buffer.length - chunk.sizeBytes);
      chunk.buffer.set(piece, chunk.sizeBytes);
      chunk.sizeBytes += piece.length;
      this.#end += piece.length;
      taken += piece.length;
    }
    this.relieve();
  }

  /** Moves memory that is over the bounds to files, as far as they take it. */
  relieve(): void {
    while (this.#chunks.length > 1 && this.#storage.isOver(this.#memoryBytes)) {
      const [oldest] = this.#chunks;
      if (oldest === undefined || !this.#toFile(oldest)) return;
      this.#freeOldest(false);
    }
  }

  /** Bytes below this offset are not needed any more; `isUnused`: none of them is on its way to a host. */
  dropBelow(offset: number, isUnused = false): void {
    if (offset <= this.#from) return;
    this.#from = Math.min(offset, this.#end);
    for (let file = this.#files[0]; file !== undefined; file = this.#files[0]) {
      if (file.from + file.sizeBytes > this.#from) break;
      this.#storage.remove(file);
      this.#files.shift();
    }
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      // The last one has room for what comes next.
      const hasRoom = chunk.sizeBytes < chunk.buffer.length;
      if (chunk.from + chunk.sizeBytes > this.#from || hasRoom) break;
      this.#freeOldest(isUnused);
    }
  }

  /** Some of the bytes from a held offset on; they stay as they are until they are dropped as unused. */
  read(offset: number, maxBytes: number): Uint8Array {
    for (let index = this.#chunks.length - 1; index >= 0; index -= 1) {
      const chunk = this.#chunks[index];
      if (chunk === undefined || chunk.from > offset) continue;
      const start = offset - chunk.from;
      return chunk.buffer.subarray(start, Math.min(chunk.sizeBytes, start + maxBytes));
    }
    const file = this.#files.findLast(({ from }) => from <= offset);
    if (file === undefined) throw new RangeError(`no byte ${offset}: ${this.#from} to ${this.#end} are held`);
    return this.#storage.read(file, offset, Math.min(maxBytes, largestChunkBytes));
  }

  close(): void {
    this.#from = this.#end;
    for (const file of this.#files.splice(0)) this.#storage.remove(file);
    while (this.#chunks.length > 0) this.#freeOldest(false);
  }

  #chunkWithRoom(neededBytes: number): Chunk {
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.sizeBytes < last.buffer.length) return last;
    while (this.#nextChunkBytes < neededBytes && this.#nextChunkBytes < largestChunkBytes) this.#growChunks();
    const chunk: Chunk = {
      buffer: this.#storage.allocate(this.#nextChunkBytes),
      from: this.#end,
      sizeBytes: 0,
    };
    this.#growChunks();
    this.#chunks.push(chunk);
    this.#memoryBytes += chunk.buffer.length;
    return chunk;
  }

  #growChunks(): void {
    this.#nextChunkBytes = Math.min(this.#nextChunkBytes * chunkGrowth, largestChunkBytes);
  }

  #toFile(chunk: Chunk): boolean {
    const start = Math.max(chunk.from, this.#from);
    const bytes = chunk.buffer.subarray(start - chunk.from, chunk.sizeBytes);
    if (bytes.length === 0) return true;
    const last = this.#files.at(-1);
    const file = this.#storage.write(last, start, bytes);
    if (file === undefined) return false;
    if (file !== last) this.#files.push(file);
    return true;
  }

  #freeOldest(isUnused: boolean): void {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return;
    this.#memoryBytes -= chunk.buffer.length;
    this.#storage.free(chunk.buffer, isUnused);
  }
}

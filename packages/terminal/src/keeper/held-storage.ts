// Memory and files of all held streams: a bound on the memory, and files for what is beyond it.
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** Bounds on what is held. */
export interface HeldBounds {
  /** Memory of one stream; what is beyond it goes to a file. */
  readonly streamMemoryBytes: number;
  /** Memory of all streams together. */
  readonly totalMemoryBytes: number;
  /** A `keep` stream with this much that is not acknowledged makes its command wait. */
  readonly keepBytes: number;
  /** Bytes that a `tail` stream keeps at least while no host is attached. */
  readonly tailBytes: number;
  /** Bytes that a `tail` stream keeps of those that an attached host has taken and not acknowledged. */
  readonly takenTailBytes: number;
}

const mebibyte = 1024 * 1024;

export const DEFAULT_BOUNDS: HeldBounds = {
  // Hosts acknowledge in steps: with less, each flood would go through files.
  streamMemoryBytes: 4 * mebibyte,
  totalMemoryBytes: 32 * mebibyte,
  keepBytes: 64 * mebibyte,
  tailBytes: mebibyte,
  takenTailBytes: 8 * mebibyte,
};

/** A file of held bytes: those of one stream from an offset on. */
export interface HeldFile {
  readonly path: string;
  readonly from: number;
  sizeBytes: number;
}

/** Large pieces of memory that are kept for the next flood: to allocate them costs more than to copy into them. */
const pooledBytes = 256 * 1024;
const maxPooled = 16;

/** A file that is this large is full; dropping bytes frees whole files only. */
const fullFileBytes = 4 * mebibyte;

/** After a failed write, files are not tried again for this long. */
const retryMs = 1000;

/** The memory and the files of all streams of a keeper. */
export class HeldStorage {
  readonly bounds: HeldBounds;
  readonly #folder: string | undefined;
  readonly #pool: Buffer[] = [];
  #pins = 0;
  #memoryBytes = 0;
  #nextFile = 1;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  /** Without a folder everything is held in memory. */
  constructor(bounds: HeldBounds, folder: string | undefined) {
    this.bounds = bounds;
    this.#folder = folder;
    if (folder === undefined) return;
    // Files of an earlier keeper: the runs that they belong to are gone.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Whether a file was refused a moment ago, as it is on a full disk. */
  get isRefused(): boolean {
    return performance.now() - this.#failedAtMs < retryMs;
  }

  /** Memory for a stream. */
  allocate(sizeBytes: number): Buffer {
    this.#memoryBytes += sizeBytes;
    const pooled = sizeBytes === pooledBytes ? this.#pool.pop() : undefined;
    return pooled ?? Buffer.allocUnsafeSlow(sizeBytes);
  }

  /** A stream does not need it any more; `isUnused`: nothing on its way to the attached host refers to it. */
  free(buffer: Buffer, isUnused: boolean): void {
    this.#memoryBytes -= buffer.length;
    const canPool = isUnused && this.#pins === 0 && buffer.length === pooledBytes;
    if (canPool && this.#pool.length < maxPooled) this.#pool.push(buffer);
  }

  /** Something is on its way to a host that was fenced: until `unpin`, no memory is used again. */
  pin(): void {
    this.#pins += 1;
    this.#pool.length = 0;
  }

  unpin(): void {
    this.#pins -= 1;
  }

  /** Whether a stream with so much memory has to write some of it to a file. */
  isOver(streamMemoryBytes: number): boolean {
    if (this.#folder === undefined) return false;
    const { streamMemoryBytes: most, totalMemoryBytes } = this.bounds;
    return streamMemoryBytes > most || this.#memoryBytes > totalMemoryBytes;
  }

  /** Writes bytes to the end of a stream's last file, or to a new one; undefined when that fails. */
  write(last: HeldFile | undefined, from: number, bytes: Uint8Array): HeldFile | undefined {
    if (this.isRefused || this.#folder === undefined) return undefined;
    const canGrow =
      last !== undefined && last.sizeBytes < fullFileBytes && last.from + last.sizeBytes === from;
    const file = canGrow ? last : { path: join(this.#folder, String(this.#nextFile++)), from, sizeBytes: 0 };
    try {
      append(file, bytes);
      return file;
    } catch {
      // A full disk, most likely. The bytes stay in memory.
      this.#failedAtMs = performance.now();
      if (file !== last) this.remove(file);
      return undefined;
    }
  }

  /** Reads a part of a file. */
  read(file: HeldFile, offset: number, maxBytes: number): Uint8Array {
    const start = offset - file.from;
    const buffer = Buffer.allocUnsafeSlow(Math.min(maxBytes, file.sizeBytes - start));
    const fd = openSync(file.path, "r");
    try {
      return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, start));
    } finally {
      closeSync(fd);
    }
  }

  remove(file: HeldFile): void {
    try {
      unlinkSync(file.path);
    } catch {
      // Removed with the keeper's folder: then there is nothing to free.
    }
  }

  close(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** All of the bytes, or none: a file that could not take them is cut back. */
function append(file: HeldFile, bytes: Uint8Array): void {
  const fd = openSync(file.path, "a", 0o600);
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
    file.sizeBytes += bytes.length;
  } catch (error) {
    ftruncateSync(fd, file.sizeBytes);
    throw error;
  } finally {
    closeSync(fd);
  }
}

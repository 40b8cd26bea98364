// The files of one terminal: one that grows, and the one before it, so that the oldest bytes can go without a copy.
import { Buffer } from "node:buffer";
import { open, readFile, rename, rm, truncate, type FileHandle } from "node:fs/promises";
import { decodeFile, encodeFrame, heading, type DecodedFile, type Frame } from "./frames.ts";

/** Appends frames and reads them back; one call at a time. */
export class Segments {
  readonly #current: string;
  readonly #older: string;
  readonly #limitBytes: number;
  #handle: FileHandle | undefined;
  #currentBytes = 0;
  #olderBytes = 0;

  /** `limitBytes` bounds each of the two files. */
  constructor(base: string, limitBytes: number) {
    this.#current = `${base}.new`;
    this.#older = `${base}.old`;
    this.#limitBytes = limitBytes;
  }

  get sizeBytes(): number {
    return this.#currentBytes + this.#olderBytes;
  }

  /** Prepares for appending; half a frame at the end is cut off. Gives the offset after the last byte that is kept. */
  async prepare(): Promise<number> {
    const older = await readIfThere(this.#older);
    const current = await readIfThere(this.#current);
    this.#olderBytes = older.validBytes;
    this.#currentBytes = current.validBytes;
    if (current.validBytes > 0) await truncate(this.#current, current.validBytes);
    else await rm(this.#current, { force: true });
    const last = current.frames.at(-1) ?? older.frames.at(-1);
    return last === undefined ? 0 : last.offset + last.bytes.length;
  }

  async append(frame: Frame): Promise<void> {
    const encoded = encodeFrame(frame);
    if (this.#currentBytes > heading.length && this.#currentBytes + encoded.length > this.#limitBytes) {
      await this.#turnOver();
    }
    this.#handle ??= await open(this.#current, "a", 0o600);
    const bytes = this.#currentBytes === 0 ? Buffer.concat([heading, encoded]) : encoded;
    await this.#handle.appendFile(bytes);
    this.#currentBytes += bytes.length;
  }

  /** All that is kept, oldest first. */
  async read(): Promise<readonly Frame[]> {
    const [older, current] = [await readIfThere(this.#older), await readIfThere(this.#current)];
    return [...older.frames, ...current.frames];
  }

  /** Removes the older half. */
  async dropOlder(): Promise<void> {
    await rm(this.#older, { force: true });
    this.#olderBytes = 0;
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.#current, { force: true });
    await this.dropOlder();
    this.#currentBytes = 0;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #turnOver(): Promise<void> {
    await this.close();
    await rename(this.#current, this.#older);
    this.#olderBytes = this.#currentBytes;
    this.#currentBytes = 0;
  }
}

async function readIfThere(file: string): Promise<DecodedFile> {
  try {
    return decodeFile(await readFile(file));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return { frames: [], validBytes: 0 };
    }
    throw error;
  }
}

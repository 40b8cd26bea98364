// One file of a terminal's spool: frames are added at its end and found again by offset.
import { Buffer } from "node:buffer";
import { open, rename, rm, truncate, type FileHandle } from "node:fs/promises";
import { FileWindow } from "./file-window.ts";
import { encodeFrame, heading, type Frame } from "./frames.ts";
import type { Gathering } from "./gathering.ts";
import { SegmentIndex } from "./segment-index.ts";
import { scanSegment } from "./segment-scan.ts";

/** A file and what is known of it; its owner sees to the order of calls. */
export class SegmentFile {
  #path: string;
  #index = new SegmentIndex();
  /** Open while the file grows. */
  #handle: FileHandle | undefined;
  /** Whether the file may go on after its last whole frame. */
  #isTorn = false;

  constructor(path: string) {
    this.#path = path;
  }

  get index(): SegmentIndex {
    return this.#index;
  }

  /** Learns what an earlier host has left. */
  async load(memory: Buffer): Promise<void> {
    const scanned = await withFile(this.#path, (handle) => scanSegment(handle, memory));
    this.#index = scanned?.index ?? new SegmentIndex();
    this.#isTorn = scanned?.isTorn ?? false;
  }

  /** Adds a frame whose offset is not before the end. */
  async append(frame: Frame): Promise<void> {
    if (this.#isTorn) await this.#cut();
    this.#handle ??= await open(this.#path, "a", 0o600);
    const encoded = encodeFrame(frame);
    this.#isTorn = true;
    await this.#handle.appendFile(this.#index.isEmpty ? Buffer.concat([heading, encoded]) : encoded);
    this.#isTorn = false;
    this.#index.add({ offset: frame.offset, length: frame.bytes.length });
  }

  /** Adds what the file has for a read. Frames may be appended meanwhile: they are not seen. */
  async gather(gathering: Gathering, memory: Buffer): Promise<void> {
    const { sizeBytes, endOffset } = this.#index;
    if (endOffset <= gathering.nextOffset) return;
    const startPosition = this.#index.positionBefore(gathering.nextOffset);
    await withFile(this.#path, async (handle) => {
      const window = new FileWindow(handle, memory, sizeBytes);
      await gathering.addFrom(window, startPosition, sizeBytes);
    });
  }

  /** Gives the file another name, in place of the one that had it. */
  async rename(path: string): Promise<void> {
    await this.close();
    await rename(this.#path, path);
    this.#path = path;
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.#path, { force: true });
    this.#index = new SegmentIndex();
    this.#isTorn = false;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  /** Cuts off what follows the last whole frame (D23). */
  async #cut(): Promise<void> {
    if (this.#index.isEmpty) return this.remove();
    await this.close();
    await truncate(this.#path, this.#index.sizeBytes);
    this.#isTorn = false;
  }
}

/** Works with a file that is open meanwhile; undefined when there is no such file. */
async function withFile<Result>(
  path: string,
  work: (handle: FileHandle) => Promise<Result>,
): Promise<Result | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

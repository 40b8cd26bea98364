// One file of a terminal's spool: frames are added at its end and found again by offset.
import { Buffer } from "node:buffer";
import { type FileHandle, open, rename, rm, truncate } from "node:fs/promises";
import {
  encodeFrame,
  FileWindow,
  type Frame,
  type FrameHead,
  frameHeadBytes,
  type Gathering,
  heading,
} from "./frames.ts";

/** A file and what is known of it; its owner sees to the order of calls. */
export class SegmentFile {
  #path: string;
  #index = new SegmentIndex();
  /** Open while the file grows. */
  #handle: FileHandle | undefined;
  /** Whether the file may continue after its last whole frame. */
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

interface ScannedSegment {
  readonly index: SegmentIndex;
  /** Whether something follows the last whole frame: a host that was killed may have left half of one. */
  readonly isTorn: boolean;
}

/** Goes from head to head up to where the frames are no longer whole; a file that is none of ours has none. */
async function scanSegment(handle: FileHandle, memory: Buffer): Promise<ScannedSegment> {
  const index = new SegmentIndex();
  const { size } = await handle.stat();
  const window = new FileWindow(handle, memory, size);
  await window.moveToHead(0);
  if (!window.view(0, heading.length).equals(heading)) return { index, isTorn: size > 0 };
  let position = heading.length;
  while (position + frameHeadBytes <= size) {
    if (window.head(position) === undefined) await window.moveToHead(position);
    const head = window.head(position);
    // Neither an empty frame nor one that goes back is ever written: a file system may leave zeros after a power cut.
    if (head === undefined || head.length === 0 || head.offset < index.endOffset) break;
    const endPosition = position + frameHeadBytes + head.length;
    if (endPosition > size) break;
    index.add(head);
    position = endPosition;
  }
  return { index, isTorn: size > index.sizeBytes };
}

interface IndexEntry {
  readonly offset: number;
  readonly position: number;
}

/** How far entries lie apart in the file, at least: what a read may have to pass over before it finds its frame. */
const entryDistanceBytes = 16 * 1024;

/** Counts the frames of one file and remembers the place of some; frames come in the order of their offsets. */
class SegmentIndex {
  readonly #entries: IndexEntry[] = [];
  #sizeBytes = 0;
  #keptBytes = 0;
  #endOffset = 0;

  /** Where the last whole frame ends in the file; 0 when there is none. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** The first byte that is kept. */
  get startOffset(): number {
    return this.#entries[0]?.offset ?? 0;
  }

  /** The offset after the last byte that is kept. */
  get endOffset(): number {
    return this.#endOffset;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Counts the frame that follows the last one. */
  add({ offset, length }: FrameHead): void {
    const position = Math.max(this.#sizeBytes, heading.length);
    const last = this.#entries.at(-1);
    if (last === undefined || position - last.position >= entryDistanceBytes) {
      this.#entries.push({ offset, position });
    }
    this.#sizeBytes = position + frameHeadBytes + length;
    this.#keptBytes += length;
    this.#endOffset = offset + length;
  }

  /** The position of a frame from which on an offset is found: the nearest known one that does not begin after it. */
  positionBefore(offset: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.offset ?? Infinity) <= offset) low = middle;
      else high = middle;
    }
    return this.#entries[low]?.position ?? heading.length;
  }
}

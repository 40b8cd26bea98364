// The files of one terminal: one that grows, and the one before it, so that the oldest bytes can go without a copy.
import type { SpoolExtent, SpoolSlice } from "@holdfast/core/ports";
import { frameHeadBytes, type Frame } from "./frames.ts";
import { Gathering } from "./gathering.ts";
import type { ReadPlaces } from "./read-places.ts";
import { SegmentFile } from "./segment-file.ts";

/**
 * Appends frames and reads them back. Changes are made one after the other; reads go on beside appending, and only a
 * change that takes a file away waits for those under way. There must be one such object for the same files.
 */
export class Segments {
  readonly #base: string;
  readonly #limitBytes: number;
  readonly #places: ReadPlaces;
  #current: SegmentFile;
  #older: SegmentFile;
  #isLoaded = false;
  #changes: Promise<void> = Promise.resolve();
  readonly #reads = new Set<Promise<unknown>>();
  /** Whether a file is being taken away, so that no read may begin. */
  #isClosedToReads = false;
  #useCount = 0;

  /** `limitBytes` bounds each of the two files. */
  constructor(base: string, limitBytes: number, places: ReadPlaces) {
    this.#base = base;
    this.#limitBytes = limitBytes;
    this.#places = places;
    this.#current = new SegmentFile(`${base}.new`);
    this.#older = new SegmentFile(`${base}.old`);
  }

  /** What the files hold, as far as it is known. */
  get sizeBytes(): number {
    return this.#current.index.sizeBytes + this.#older.index.sizeBytes;
  }

  /** Whether nothing is being done with the files. */
  get isIdle(): boolean {
    return this.#useCount === 0;
  }

  /** Adds a frame; what it has of bytes that are kept already is the caller's to leave out. */
  append(frame: Frame): Promise<void> {
    return this.#change(async () => {
      await this.#load();
      const sizeBytes = this.#current.index.sizeBytes + frameHeadBytes + frame.bytes.length;
      if (!this.#current.index.isEmpty && sizeBytes > this.#limitBytes) await this.#turnOver();
      await this.#current.append(frame);
    });
  }

  /** The bytes from an offset on, up to the next gap or `maxBytes`. */
  async read(fromOffset: number, maxBytes: number): Promise<SpoolSlice | undefined> {
    this.#useCount += 1;
    try {
      do await this.#known();
      while (this.#isClosedToReads);
      // A read is registered in the step in which it was let in: the next change must know of it.
      const read = this.#gather(fromOffset, maxBytes);
      this.#reads.add(read);
      return await read.finally(() => this.#reads.delete(read));
    } finally {
      this.#useCount -= 1;
    }
  }

  async extent(): Promise<SpoolExtent | undefined> {
    await this.#known();
    const [first, last] = this.#files.map(({ index }) => index).filter(({ isEmpty }) => !isEmpty);
    if (first === undefined) return undefined;
    const { startOffset } = first;
    const { endOffset } = last ?? first;
    const keptBytes = first.keptBytes + (last?.keptBytes ?? 0);
    return { startOffset, endOffset, keptBytes, skippedBytes: endOffset - startOffset - keptBytes };
  }

  /** The offset after the last byte that is kept; 0 when none is. */
  async endOffset(): Promise<number> {
    return (await this.extent())?.endOffset ?? 0;
  }

  /** Removes the older half. */
  dropOlder(): Promise<void> {
    return this.#change(() => this.#withoutReads(() => this.#older.remove()));
  }

  remove(): Promise<void> {
    return this.#change(() =>
      this.#withoutReads(async () => {
        await this.#current.remove();
        await this.#older.remove();
        this.#isLoaded = true;
      }),
    );
  }

  /** Lets go of the files, when what was begun is done; they can still be used. */
  close(): Promise<void> {
    return this.#change(() => this.#withoutReads(() => this.#current.close()));
  }

  get #files(): readonly SegmentFile[] {
    return [this.#older, this.#current];
  }

  /** Waits for the changes before, and until it is known what is in the files. */
  async #known(): Promise<void> {
    if (this.#isLoaded) await this.#changes;
    else await this.#change(() => this.#load());
  }

  async #gather(fromOffset: number, maxBytes: number): Promise<SpoolSlice | undefined> {
    const files = this.#files.filter(({ index }) => index.endOffset > fromOffset);
    const last = files.at(-1);
    if (last === undefined) return undefined;
    return this.#places.use(async (memory) => {
      const keptBytes = files.reduce((sum, { index }) => sum + index.keptBytes, 0);
      const thereBytes = Math.min(keptBytes, last.index.endOffset - fromOffset);
      const gathering = new Gathering(fromOffset, Math.min(maxBytes, thereBytes));
      for (const file of files) {
        if (!gathering.isDone) await file.gather(gathering, memory);
      }
      return gathering.slice;
    });
  }

  async #load(): Promise<void> {
    if (this.#isLoaded) return;
    await this.#places.use(async (memory) => {
      await this.#older.load(memory);
      await this.#current.load(memory);
    });
    this.#isLoaded = true;
  }

  async #turnOver(): Promise<void> {
    await this.#withoutReads(async () => {
      await this.#current.rename(`${this.#base}.old`);
      this.#older = this.#current;
      this.#current = new SegmentFile(`${this.#base}.new`);
    });
  }

  async #withoutReads(work: () => Promise<void>): Promise<void> {
    this.#isClosedToReads = true;
    try {
      await Promise.allSettled(this.#reads);
      await work();
    } finally {
      this.#isClosedToReads = false;
    }
  }

  /** Does something after the changes before it. */
  #change(work: () => Promise<void>): Promise<void> {
    this.#useCount += 1;
    const done = this.#changes.then(work).finally(() => {
      this.#useCount -= 1;
    });
    this.#changes = done.catch(() => {
      // Whoever asked for the change is told.
    });
    return done;
  }
}

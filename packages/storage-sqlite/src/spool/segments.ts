// The files of one terminal: one that grows, and the one before it, so that the oldest bytes can go without a copy.
import { Buffer } from "node:buffer";
import type { SpoolExtent, SpoolSlice } from "@holdfast/core/ports";
import { type Frame, frameHeadBytes, Gathering } from "./frames.ts";
import { SegmentFile } from "./segment-file.ts";

/**
 * Appends frames and reads them back. Changes are made one after the other; reads run beside appending, and only a
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

  /** Size of the files, as far as it is known. */
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

  /** Closes the files once pending work is done; they can still be used. */
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
      // The caller of the change gets the error.
    });
    return done;
  }
}

/** Number of idle terminals whose state stays in memory. */
const idleCount = 32;

/** Gives one object for the files of one terminal, as long as anybody uses it. */
export class RecentSegments {
  readonly #make: (name: string) => Segments;
  readonly #isGrowing: (name: string) => boolean;
  /** By name; the one that was asked for last is last. */
  readonly #segments = new Map<string, Segments>();

  constructor(make: (name: string) => Segments, isGrowing: (name: string) => boolean) {
    this.#make = make;
    this.#isGrowing = isGrowing;
  }

  get(name: string): Segments {
    const known = this.#segments.get(name);
    if (known) this.#segments.delete(name);
    else this.#forgetOldest();
    const segments = known ?? this.#make(name);
    this.#segments.set(name, segments);
    return segments;
  }

  /** Waits until nobody reads any more. */
  async close(): Promise<void> {
    await Promise.all([...this.#segments.values()].map((segments) => segments.close()));
    this.#segments.clear();
  }

  /** Drops the oldest idle entries to admit one more. Idle files are not open, so there is nothing to close. */
  #forgetOldest(): void {
    if (this.#segments.size < idleCount) return;
    const idle = [...this.#segments].filter(([name, segments]) => segments.isIdle && !this.#isGrowing(name));
    const excessCount = Math.max(0, idle.length + 1 - idleCount);
    for (const [name] of idle.slice(0, excessCount)) this.#segments.delete(name);
  }
}

/** More would not be faster: the threads that read files are fewer. */
const placeCount = 8;

/** One piece that a follower asks for, and the heads around it, fit. */
const memoryBytes = 68 * 1024;

/**
 * Bound on the open files and the memory that reads take at once: a few places, each with a memory. A read that finds
 * none free waits. A read that has one must not wait for another.
 */
export class ReadPlaces {
  readonly #free: Buffer[] = [];
  readonly #waiting: ((memory: Buffer) => void)[] = [];
  #madeCount = 0;

  /** Works with the memory of a place, which is lent until the work is done. */
  async use<Result>(work: (memory: Buffer) => Promise<Result>): Promise<Result> {
    const memory = await this.#take();
    try {
      return await work(memory);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(memory);
      else this.#free.push(memory);
    }
  }

  async #take(): Promise<Buffer> {
    const free = this.#free.pop();
    if (free) return free;
    if (this.#madeCount < placeCount) {
      this.#madeCount += 1;
      return Buffer.allocUnsafe(memoryBytes);
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

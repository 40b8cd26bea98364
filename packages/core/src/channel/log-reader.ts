// Reader of a channel's log: a position, not a queue, so a stalled reader costs nothing.
import type { LogPage } from "../ports.ts";
import { LogEntry } from "./log-entry.ts";

/** Why there is no next entry: none yet, entries were evicted unread, or the channel or the reader is closed. */
export type NoEntry = "nothing" | "gap" | "closed";

/** The result of reading several entries at once. */
export type Reading =
  /** The next entries in order; empty when there is nothing new. */
  | { readonly kind: "entries"; readonly entries: readonly LogEntry[] }
  /** The number of entries that were evicted unread; the reader closes and subscribes again. */
  | { readonly kind: "gap"; readonly lostEntries: number }
  /** The channel is closed and everything was read, or the reader is closed. */
  | { readonly kind: "closed" };

/** A channel's log in memory, and the readers to wake. */
export interface LogSource {
  readonly log: {
    readonly start: number;
    readonly end: number;
    /** Entries up to this number are no longer in memory. */
    readonly evictedSeq: number;
    at(position: number): LogEntry | undefined;
    positionAfter(serverSeq: number): number | undefined;
  };
  readonly uri: string;
  readonly isClosed: boolean;
  /** Entries beyond this number must not be read yet. */
  readonly publishedSeq: number;
  addReader(reader: LogReader): void;
  removeReader(reader: LogReader): void;
}

/** The part of a log that storage holds, for readers that must not lose anything. */
export interface LogHistory {
  readonly uri: string;
  readPage(afterSeq: number, limit: number): LogPage;
  /** The channel in memory, loaded if it is still open; undefined when it is closed. */
  open(): LogSource | undefined;
}

/** Where a reader begins: at a position in memory, or after any number with a history behind it. */
export type LogStart =
  | { readonly source: LogSource; readonly position: number }
  | { readonly history: LogHistory; readonly afterSeq: number };

const defaultEntries = 64;
const noEntries: readonly LogEntry[] = [];

/**
 * Reads one log at its own pace: `peek` and `take` one entry at a time, or `read` several.
 * With a history it continues from storage when memory no longer reaches back; without one it reports a gap.
 */
export class LogReader {
  readonly #history: LogHistory | undefined;
  readonly #onReadable: (() => void) | undefined;
  #onClosed: (() => void) | undefined;
  /** Undefined while the history is read, and once the reader is closed. */
  #source: LogSource | undefined;
  #position = 0;
  /** The last number taken. */
  #afterSeq = 0;
  /** The last result of `peek`, until it is taken. */
  #next: LogEntry | undefined;
  /** The source's `publishedSeq` when it was last needed; it only grows. */
  #publishedSeq = 0;
  /** Whether the owner knows that there is more; otherwise the next entry wakes it (H7). */
  #isAwake = false;
  /** Entries from the history; those from `#pageIndex` on are not peeked yet. */
  #page = noEntries;
  #pageIndex = 0;
  /** Up to this number everything was read once the page is taken. */
  #pageEndSeq = 0;
  #isClosed = false;

  constructor(start: LogStart, onReadable?: () => void) {
    this.#onReadable = onReadable;
    if ("history" in start) {
      this.#history = start.history;
      this.#afterSeq = start.afterSeq;
    } else this.#attach(start.source, start.position);
  }

  /** Whether `peek` would return anything but "nothing". */
  get hasMore(): boolean {
    const source = this.#source;
    if (source === undefined || this.#next !== undefined) return true;
    const entry = source.log.at(this.#position);
    if (entry !== undefined) return this.#isPublished(entry, source);
    return this.#position < source.log.start || source.isClosed;
  }

  /** Whether its channel is closed; entries may be left to read. */
  get isOver(): boolean {
    return this.#isClosed || this.#source?.isClosed === true;
  }

  /** How many entries in memory it has not taken. */
  get lagEntries(): number {
    return this.#source === undefined ? 0 : this.#source.log.end - this.#position;
  }

  /** The next entry, without taking it. */
  peek(): LogEntry | NoEntry {
    if (this.#next !== undefined) return this.#next;
    const source = this.#source;
    if (source === undefined) return this.#peekHistory();
    const entry = source.log.at(this.#position);
    this.#isAwake = true;
    if (entry !== undefined && this.#isPublished(entry, source)) {
      this.#next = entry;
      return entry;
    }
    if (this.#position < source.log.start) return this.#fallBehind();
    if (entry === undefined && source.isClosed) return "closed";
    this.#isAwake = false;
    return "nothing";
  }

  /** Takes the entry that `peek` returned. */
  take(): LogEntry | undefined {
    const entry = this.#next;
    if (entry === undefined) return undefined;
    this.#next = undefined;
    this.#afterSeq = entry.serverSeq;
    if (this.#source !== undefined) {
      this.#position += 1;
      this.#isAwake = this.hasMore;
    } else if (this.#pageIndex === this.#page.length) this.#finishPage();
    return entry;
  }

  /** Takes the next entries. */
  read(maxEntries: number = defaultEntries): Reading {
    const entries: LogEntry[] = [];
    let next = this.peek();
    while (typeof next !== "string" && entries.length < maxEntries) {
      entries.push(next);
      this.take();
      next = entries.length < maxEntries ? this.peek() : "nothing";
    }
    if (entries.length > 0 || typeof next !== "string" || next === "nothing") {
      return { kind: "entries", entries };
    }
    if (next === "closed") return { kind: "closed" };
    const { start } = this.#source?.log ?? { start: this.#position + 1 };
    return { kind: "gap", lostEntries: start - this.#position };
  }

  /** Notifies an owner that knows of nothing to read; called by the channel. */
  wake(): void {
    if (this.#isAwake || !this.hasMore) return;
    this.#isAwake = true;
    this.#onReadable?.();
  }

  /** Calls `listener` once when the reader is closed by its owner. */
  onClosed(listener: () => void): this {
    this.#onClosed = listener;
    return this;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#next = undefined;
    this.#detach();
    this.#onClosed?.();
    this.#onClosed = undefined;
  }

  #isPublished({ serverSeq }: LogEntry, source: LogSource): boolean {
    if (serverSeq > this.#publishedSeq) this.#publishedSeq = source.publishedSeq;
    return serverSeq <= this.#publishedSeq;
  }

  #attach(source: LogSource, position: number): void {
    this.#source = source;
    this.#position = position;
    source.addReader(this);
  }

  #detach(): void {
    this.#source?.removeReader(this);
    this.#source = undefined;
  }

  #fallBehind(): LogEntry | NoEntry {
    if (this.#history === undefined) return "gap";
    this.#detach();
    return this.#peekHistory();
  }

  /** The next entry from storage, or from memory once storage has no earlier one. */
  #peekHistory(): LogEntry | NoEntry {
    const history = this.#history;
    if (this.#isClosed || history === undefined) return "closed";
    if (this.#pageIndex === this.#page.length) {
      const source = history.open();
      const startSeq = source?.log.evictedSeq;
      // Entries in memory are read there: the transient ones are nowhere else.
      if (startSeq === undefined || this.#afterSeq < startSeq) {
        const page = history.readPage(this.#afterSeq, defaultEntries);
        if (!page.isComplete) return "gap";
        this.#keepPage(history.uri, page, startSeq);
      }
      if (this.#page.length === 0) return this.#continueLive(source);
    }
    this.#next = this.#page[this.#pageIndex];
    this.#pageIndex += 1;
    return this.#next ?? "nothing";
  }

  #continueLive(source: LogSource | undefined): LogEntry | NoEntry {
    if (source === undefined) return "closed";
    const position = source.log.positionAfter(this.#afterSeq);
    if (position === undefined) return "gap";
    this.#attach(source, position);
    return this.peek();
  }

  /** Keeps the part of a page that is not in memory. */
  #keepPage(uri: string, page: LogPage, startSeq: number | undefined): void {
    const earlier = page.entries.filter(({ serverSeq }) => startSeq === undefined || serverSeq <= startSeq);
    this.#page = earlier.map((stored) => new LogEntry({ ...stored, channel: uri, sizeBytes: 0 }));
    const isLastPage = !page.hasMore || earlier.length < page.entries.length;
    const lastSeq = earlier.at(-1)?.serverSeq ?? this.#afterSeq;
    // After the last page memory continues, also where the last number belonged to a transient entry.
    this.#pageEndSeq = isLastPage ? Math.max(lastSeq, startSeq ?? lastSeq) : lastSeq;
    if (earlier.length === 0) this.#finishPage();
  }

  #finishPage(): void {
    this.#page = noEntries;
    this.#pageIndex = 0;
    this.#afterSeq = this.#pageEndSeq;
  }
}

/**
 * The reader whose next entry has the lowest number; this is where several logs become one order.
 * Readers without an entry are passed to `onNone`, which may remove them from the set.
 * Always a set: a loop over both sets and arrays costs three times as much per entry.
 */
export function earliest<Reader extends { peek(): LogEntry | NoEntry }>(
  readers: ReadonlySet<Reader>,
  onNone: (reader: Reader, why: NoEntry) => void,
): Reader | undefined {
  let first: Reader | undefined;
  let firstSeq = Number.POSITIVE_INFINITY;
  for (const reader of readers) {
    const next = reader.peek();
    if (typeof next === "string") onNone(reader, next);
    else if (next.serverSeq < firstSeq) {
      first = reader;
      firstSeq = next.serverSeq;
    }
  }
  return first;
}

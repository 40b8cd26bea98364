// A reader's place in the log of a channel: it is woken when there is something to read, and reads at its own pace.
import type { LogEntry } from "./log-entry.ts";

/** What a read gives. */
export type Reading =
  /** The next entries in order; none when there is nothing new. */
  | { readonly kind: "entries"; readonly entries: readonly LogEntry[] }
  /** The reader was too slow, and so many entries are evicted unread; it closes the cursor and subscribes anew. */
  | { readonly kind: "gap"; readonly lostEntries: number }
  /** The channel is closed and everything has been read, or the cursor itself is closed. */
  | { readonly kind: "closed" };

/** What a cursor reads from. */
export interface CursorSource {
  readonly log: {
    readonly start: number;
    readonly end: number;
    at(position: number): LogEntry | undefined;
  };
  readonly isClosed: boolean;
  /** Entries beyond this number are not to be read yet. */
  readonly publishedSeq: number;
  /** The cursor will not read again. */
  forget(cursor: Cursor): void;
}

const defaultEntries = 64;

/** A place in a log; never a queue, so a reader who stalls costs nothing. */
export class Cursor {
  readonly #source: CursorSource;
  readonly #onReadable: (() => void) | undefined;
  #position: number;
  /** `waiting`: everything is read, so the next entry wakes the reader. `behind`: it knows that there is more. */
  #state: "waiting" | "behind" | "closed" = "waiting";

  constructor(source: CursorSource, position: number, onReadable: (() => void) | undefined) {
    this.#source = source;
    this.#position = position;
    this.#onReadable = onReadable;
  }

  /** Whether a read would give anything but an empty list. */
  get hasMore(): boolean {
    const { log, isClosed, publishedSeq } = this.#source;
    if (this.#state === "closed" || this.#position < log.start) return true;
    const next = log.at(this.#position);
    return next === undefined ? isClosed : next.serverSeq <= publishedSeq;
  }

  /** How many entries it has not read. */
  get lagEntries(): number {
    return this.#state === "closed" ? 0 : this.#source.log.end - this.#position;
  }

  /** The next entries. A reader is woken again once it has read all; while `hasMore` says so, it knows by itself (H7). */
  read(maxEntries: number = defaultEntries): Reading {
    if (this.#state === "closed") return { kind: "closed" };
    const { log, isClosed, publishedSeq } = this.#source;
    const lostEntries = log.start - this.#position;
    const entries: LogEntry[] = [];
    let next = log.at(this.#position);
    while (next !== undefined && next.serverSeq <= publishedSeq && entries.length < maxEntries) {
      entries.push(next);
      this.#position += 1;
      next = log.at(this.#position);
    }
    this.#state = this.hasMore ? "behind" : "waiting";
    if (lostEntries > 0) return { kind: "gap", lostEntries };
    if (next === undefined && isClosed && entries.length === 0) return { kind: "closed" };
    return { kind: "entries", entries };
  }

  /** Tells a waiting reader that there is something to read; called by the channel. */
  wake(): void {
    if (this.#state !== "waiting" || !this.hasMore) return;
    this.#state = "behind";
    this.#onReadable?.();
  }

  /** Lets go of the channel. */
  close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#source.forget(this);
  }
}

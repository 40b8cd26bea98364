// Follows a channel from any number on: first from what is kept, then from memory, as one.
import type { LogPage } from "../ports.ts";
import type { Cursor, Reading } from "./cursor.ts";
import type { EntryFeed } from "./entry-feed.ts";
import type { Hub } from "./hub.ts";
import { LogEntry } from "./log-entry.ts";

/** What a feed reads from. */
export interface LogFeedParts {
  readonly hub: Hub;
  readonly uri: string;
  readonly readLog: (uri: string, afterSeq: number, limit: number) => LogPage;
  /** Brings the channel into memory if it is one that goes on. */
  readonly load: () => void;
  readonly onReadable: () => void;
}

const defaultEntries = 64;

/** A reader's place in a channel, however far back it is. */
export class LogFeed implements EntryFeed {
  readonly #parts: LogFeedParts;
  #afterSeq: number;
  #state:
    | { readonly name: "kept" }
    | { readonly name: "live"; readonly cursor: Cursor }
    | { name: "closed" } = {
    name: "kept",
  };

  /** Begins after a number. */
  constructor(parts: LogFeedParts, afterSeq: number) {
    this.#parts = parts;
    this.#afterSeq = afterSeq;
  }

  get hasMore(): boolean {
    return this.#state.name === "live" ? this.#state.cursor.hasMore : true;
  }

  read(maxEntries: number = defaultEntries): Reading {
    if (this.#state.name === "closed") return { kind: "closed" };
    if (this.#state.name === "live") {
      const reading = this.#readLive(this.#state.cursor, maxEntries);
      if (reading !== undefined) return reading;
    }
    const { hub, uri, load, onReadable } = this.#parts;
    load();
    const startSeq = hub.logStart(uri);
    // What memory holds is read there: it has the transient actions too.
    if (startSeq === undefined || this.#afterSeq < startSeq) {
      const kept = this.#readKept(maxEntries, startSeq);
      if (kept !== undefined) return kept;
    }
    const cursor = startSeq === undefined ? undefined : hub.resume(uri, this.#afterSeq, onReadable);
    if (cursor === undefined) {
      return startSeq === undefined ? { kind: "closed" } : { kind: "gap", lostEntries: 1 };
    }
    this.#state = { name: "live", cursor };
    return this.#readLive(cursor, maxEntries) ?? { kind: "gap", lostEntries: 1 };
  }

  close(): void {
    if (this.#state.name === "live") this.#state.cursor.close();
    this.#state = { name: "closed" };
  }

  /** The next entries in memory; undefined when the reader was too slow for it, and goes on with what is kept. */
  #readLive(cursor: Cursor, maxEntries: number): Reading | undefined {
    const reading = cursor.read(maxEntries);
    if (reading.kind === "gap") {
      cursor.close();
      this.#state = { name: "kept" };
      return undefined;
    }
    const last = reading.kind === "entries" ? reading.entries.at(-1) : undefined;
    if (last !== undefined) this.#afterSeq = last.serverSeq;
    return reading;
  }

  /** The next entries that are kept; undefined when there are none before those in memory. */
  #readKept(maxEntries: number, startSeq: number | undefined): Reading | undefined {
    const { uri, readLog } = this.#parts;
    const page = readLog(uri, this.#afterSeq, maxEntries);
    if (!page.isComplete) return { kind: "gap", lostEntries: 1 };
    const wanted = page.entries.filter(({ serverSeq }) => startSeq === undefined || serverSeq <= startSeq);
    const isWhole = !page.hasMore || wanted.length < page.entries.length;
    const lastSeq = wanted.at(-1)?.serverSeq ?? this.#afterSeq;
    // All that is not in memory was read: from there on memory goes on, also where the last number was a transient one.
    this.#afterSeq = isWhole ? Math.max(lastSeq, startSeq ?? lastSeq) : lastSeq;
    if (wanted.length === 0) return undefined;
    const entries = wanted.map((stored) => new LogEntry({ ...stored, channel: uri, sizeBytes: 0 }));
    return { kind: "entries", entries };
  }
}

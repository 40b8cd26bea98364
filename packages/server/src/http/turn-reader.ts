// Reads the logs of a turn's chat and session as one, in the order of the host.
import type { EntryFeed, LogEntry } from "@holdfast/core";

/** What comes next: an entry, nothing yet, or the reason why nothing more can come. */
export type TurnReading =
  | { readonly kind: "entry"; readonly entry: LogEntry }
  | { readonly kind: "nothing" }
  | { readonly kind: "gap" }
  | { readonly kind: "closed" };

const nothing: TurnReading = { kind: "nothing" };

/** The two logs that tell a turn. */
export interface TurnFeeds {
  readonly chat: EntryFeed;
  readonly session: EntryFeed;
}

/** Merges two feeds by `serverSeq`. `close` lets go of both. */
export class TurnReader {
  readonly #chat: LogReader;
  readonly #session: LogReader;

  constructor({ chat, session }: TurnFeeds) {
    this.#chat = new LogReader(chat);
    this.#session = new LogReader(session);
  }

  /** The next entry of the two logs; the chat's end is the end, the session's is not. */
  next(): TurnReading {
    const said = this.#chat.peek();
    const told = this.#session.peek();
    if (said.kind === "gap" || told.kind === "gap") return { kind: "gap" };
    if (said.kind !== "entry" && told.kind !== "entry") return said;
    if (told.kind !== "entry" || (said.kind === "entry" && said.entry.serverSeq < told.entry.serverSeq)) {
      this.#chat.take();
      return said;
    }
    this.#session.take();
    return told;
  }

  close(): void {
    this.#chat.close();
    this.#session.close();
  }
}

/** One log, read in batches and given out one by one. */
class LogReader {
  readonly #feed: EntryFeed;
  #entries: readonly LogEntry[] = [];
  #taken = 0;
  #next: TurnReading = nothing;

  constructor(feed: EntryFeed) {
    this.#feed = feed;
  }

  peek(): TurnReading {
    if (this.#next.kind === "nothing") this.#next = this.#look();
    return this.#next;
  }

  take(): void {
    this.#taken += 1;
    this.#next = nothing;
  }

  close(): void {
    this.#feed.close();
    this.#next = { kind: "closed" };
  }

  #look(): TurnReading {
    const entry = this.#entries[this.#taken];
    if (entry !== undefined) return { kind: "entry", entry };
    if (!this.#feed.hasMore) return nothing;
    const reading = this.#feed.read();
    if (reading.kind !== "entries") return { kind: reading.kind };
    this.#entries = reading.entries;
    this.#taken = 0;
    const first = reading.entries[0];
    return first === undefined ? nothing : { kind: "entry", entry: first };
  }
}

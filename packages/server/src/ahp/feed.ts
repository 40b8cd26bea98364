// What one connection follows of one channel: a place in its log, read one entry at a time.
import type { ChannelKind } from "@holdfast/ahp";
import type { EntryFeed, LogEntry } from "@holdfast/core";
import type { ChannelView } from "./channel-view.ts";

/** What comes next in a feed. */
export type FeedNext =
  | { readonly kind: "entry"; readonly entry: LogEntry }
  | { readonly kind: "nothing" }
  /** Entries are gone that were not read. */
  | { readonly kind: "gap" }
  /** The channel is no more. */
  | { readonly kind: "closed" };

const nothing: FeedNext = { kind: "nothing" };

/** A place in no log, for a channel that has to be caught up first. */
export const NOWHERE: EntryFeed = {
  hasMore: false,
  read: () => ({ kind: "entries", entries: [] }),
  close: () => {
    // It holds nothing.
  },
};

/** A followed channel. Whoever made it closes it. */
export class Feed {
  readonly uri: string;
  readonly kind: ChannelKind;
  readonly view: ChannelView;
  /** Up to which byte a terminal's viewer has been told. */
  toldOffset = 0;
  #cursor: EntryFeed;
  #next: FeedNext = nothing;

  constructor(kind: ChannelKind, view: ChannelView, cursor: EntryFeed) {
    this.uri = view.uri;
    this.kind = kind;
    this.view = view;
    this.#cursor = cursor;
  }

  /** What comes next, without taking it. */
  peek(): FeedNext {
    if (this.#next.kind !== "nothing") return this.#next;
    const reading = this.#cursor.read(1);
    if (reading.kind !== "entries") this.#next = { kind: reading.kind };
    else {
      const [entry] = reading.entries;
      this.#next = entry === undefined ? nothing : { kind: "entry", entry };
    }
    return this.#next;
  }

  /** Takes what `peek` gave. */
  take(): void {
    const next = this.#next;
    if (next.kind !== "entry") return;
    const { action } = next.entry;
    if (action.type === "terminal/data") this.toldOffset = action.endOffset;
    this.#next = nothing;
  }

  /** Stops reading the log, and goes on later from another place in it. */
  leave(): void {
    this.#cursor.close();
    this.#next = nothing;
  }

  /** Goes on from another place in the log. */
  goOn(cursor: EntryFeed): void {
    this.#cursor.close();
    this.#cursor = cursor;
    this.#next = nothing;
  }
}

// The cursor of somebody who watches a terminal: as any other, and its end is noticed.
import type { Reading } from "../channel/cursor.ts";
import type { EntryFeed } from "../channel/entry-feed.ts";

/** A cursor whose owner wants to know when it is closed. */
export class ViewerCursor implements EntryFeed {
  readonly #cursor: EntryFeed;
  #onClosed: (() => void) | undefined;

  constructor(cursor: EntryFeed, onClosed: () => void) {
    this.#cursor = cursor;
    this.#onClosed = onClosed;
  }

  get hasMore(): boolean {
    return this.#cursor.hasMore;
  }

  read(maxEntries?: number): Reading {
    return this.#cursor.read(maxEntries);
  }

  close(): void {
    this.#cursor.close();
    this.#onClosed?.();
    this.#onClosed = undefined;
  }
}

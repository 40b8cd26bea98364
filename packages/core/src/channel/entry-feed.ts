// What follows a channel: entries in order, wherever they come from.
import type { Reading } from "./cursor.ts";

/** A reader's place in the actions of one channel; a `Cursor` is one. */
export interface EntryFeed {
  /** Whether a read would give anything but an empty list. */
  readonly hasMore: boolean;
  /** The next entries. Who has read all is told when there is more. */
  read(maxEntries?: number): Reading;
  close(): void;
}

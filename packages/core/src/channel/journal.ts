// The journal port: it keeps every change of a channel before readers see it.
import type { StateByKind } from "./channel.ts";
import type { LogEntry } from "./log-entry.ts";

/** Something that happened to a channel. */
export type JournalRecord =
  | { readonly type: "opened"; readonly channel: string; readonly opened: StateByKind }
  | { readonly type: "applied"; readonly entry: LogEntry }
  | { readonly type: "closed"; readonly channel: string };

/** Keeps what happens to channels. */
export interface Journal {
  /**
   * Called at the end of a tick with all that happened since the last call, in order.
   * When it returns, or its promise resolves, the records are kept, and only then are readers notified.
   * Until then it is not called again. When it fails, it gets the same records again, with those that came since.
   */
  commit(records: readonly JournalRecord[]): void | Promise<void>;
  /** Throws a `StorageError` when there is too little space for what may come next; it is asked before work begins. */
  checkRoom?(): void;
}

/** Gives out `serverSeq`s; after a restart it begins above every number it ever gave. */
export interface SequenceSource {
  /** The last number given; before the first, the number below it. */
  readonly last: number;
  next(): number;
}

/** Counts in memory. */
export class CountingSequence implements SequenceSource {
  #last: number;

  /** Begins after `last`. */
  constructor(last = 0) {
    this.#last = last;
  }

  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }
}

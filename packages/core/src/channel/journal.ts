// The journal port: it keeps every change of a channel before readers see it.
import type { StateByKind } from "./channel.ts";
import type { LogEntry } from "./log-entry.ts";

/** Something that happened to a channel, or to the run of an agent. */
export type JournalRecord =
  | { readonly type: "opened"; readonly channel: string; readonly opened: StateByKind }
  | { readonly type: "applied"; readonly entry: LogEntry }
  | { readonly type: "closed"; readonly channel: string }
  | { readonly type: "reopened"; readonly channel: string }
  | ({ readonly type: "run" } & RunProgress)
  | { readonly type: "runEnded"; readonly run: string };

/** A text at its place in one of the two streams of an agent's run. */
export interface RunText {
  readonly offset: number;
  readonly text: string;
}

/** How far the run of an agent has come: committed with the actions that it caused, so that both survive or neither. */
export interface RunProgress {
  /** The host's name for the run. */
  readonly run: string;
  readonly session: string;
  /** Everything that the agent wrote before this offset is handled, except for its open requests. */
  readonly handledOffset: number;
  /** Offset after the last frame for the agent. */
  readonly sentOffset: number;
  /** Frames before this offset have arrived, and are not needed again. */
  readonly takenOffset: number;
  /** New frames for the agent. */
  readonly frames: readonly RunText[];
  /** New requests of the agent that wait for a response. */
  readonly opened: readonly RunText[];
  /** Offsets of requests that have their response. */
  readonly answered: readonly number[];
  /** The rest of what the next host needs to know, as JSON; absent where it has not changed. */
  readonly state?: string | undefined;
}

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

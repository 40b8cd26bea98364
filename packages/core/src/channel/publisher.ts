// The end of a tick: what happened goes to the journal, and when it is kept the readers are woken.
import type { Journal, JournalRecord } from "./journal.ts";

/** Something whose readers can be woken; a reader that throws is reported and keeps no other one waiting. */
export interface Wakeable {
  wake(onFault: (error: unknown) => void): void;
}

interface Batch {
  readonly records: readonly JournalRecord[];
  readonly channels: ReadonlySet<Wakeable>;
  readonly seq: number;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** How long a journal that has failed is left alone, unless there is something new for it. */
const retryMs = 1000;

/** What a publisher needs from the hub. */
export interface PublisherParts {
  readonly journal: Journal | undefined;
  /** The host's last number. */
  readonly lastSeq: () => number;
  /** Told when the journal or a reader fails. */
  readonly onFault: (error: unknown) => void;
}

/** Publishes for all channels of a hub (H6). */
export class Publisher {
  readonly #parts: PublisherParts;
  readonly #waiters: Waiter[] = [];
  #state: "idle" | "scheduled" | "committing" = "idle";
  #records: JournalRecord[] = [];
  #channels = new Set<Wakeable>();
  #publishedSeq: number;
  #retry: NodeJS.Timeout | undefined;
  #hasFailed = false;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    this.#publishedSeq = parts.lastSeq();
  }

  get hasJournal(): boolean {
    return this.#parts.journal !== undefined;
  }

  /** Entries up to this number may be read: without a journal all, else what it has kept. */
  get publishedSeq(): number {
    return this.hasJournal ? this.#publishedSeq : Number.POSITIVE_INFINITY;
  }

  /** Whether the journal keeps what it is given: it did the last time. */
  get isKeeping(): boolean {
    return !this.#hasFailed;
  }

  /** Hands a record to the journal at the end of this tick; only needed when there is one. */
  record(record: JournalRecord): void {
    this.#records.push(record);
    this.#schedule();
  }

  /** Wakes the readers of a channel at the end of this tick. */
  wakeLater(channel: Wakeable): void {
    this.#channels.add(channel);
    this.#schedule();
  }

  /** Resolves when everything so far is kept and told; rejects when the journal fails. */
  settled(): Promise<void> {
    if (this.#state === "idle" && !this.#hasMore) return Promise.resolve();
    this.#schedule();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
  }

  get #hasMore(): boolean {
    return this.#records.length > 0 || this.#channels.size > 0;
  }

  /** A microtask: late enough that a burst is one batch, early enough that nothing else runs in between. */
  #schedule(): void {
    if (this.#state !== "idle") return;
    this.#state = "scheduled";
    queueMicrotask(() => this.#commit());
  }

  #commit(): void {
    const batch: Batch = { records: this.#records, channels: this.#channels, seq: this.#parts.lastSeq() };
    this.#records = [];
    this.#channels = new Set();
    this.#state = "committing";
    let committed: void | Promise<void> = undefined;
    try {
      if (batch.records.length > 0) committed = this.#parts.journal?.commit(batch.records);
    } catch (error) {
      return this.#takeBack(batch, error);
    }
    if (committed === undefined) return this.#publish(batch);
    committed.then(
      () => this.#publish(batch),
      (error: unknown) => this.#takeBack(batch, error),
    );
  }

  #publish({ channels, seq }: Batch): void {
    this.#publishedSeq = seq;
    this.#hasFailed = false;
    this.#state = "idle";
    for (const channel of channels) channel.wake(this.#parts.onFault);
    if (this.#hasMore) this.#schedule();
    else for (const waiter of this.#waiters.splice(0)) waiter.resolve();
  }

  /** Nothing is told that is not kept: the batch waits, and goes with the next one. */
  #takeBack({ records, channels }: Batch, error: unknown): void {
    this.#records = [...records, ...this.#records];
    this.#channels = new Set([...channels, ...this.#channels]);
    this.#state = "idle";
    this.#hasFailed = true;
    this.#parts.onFault(error);
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
    // A full disk is emptied, a lock let go: readers must not wait for the next action to learn of the last.
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      if (this.#hasMore) this.#schedule();
    }, retryMs);
    this.#retry.unref();
  }
}

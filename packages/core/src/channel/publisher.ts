// The end of a tick: writes its actions to the journal, and wakes the readers once they are stored.
import { isDurable } from "../storage/durable.ts";
import type { Journal, JournalRecord } from "./journal.ts";

/** Something whose readers can be woken; a reader that throws is reported and keeps no other one waiting. */
export interface Wakeable {
  wake(onFault: (error: unknown) => void): void;
}

/** Something whose records belong into the commit of the actions that it caused. */
export interface CommitParticipant {
  /** Its records; asked for just before the commit. */
  takeRecords(): readonly JournalRecord[];
  /** All records that it gave so far are kept. */
  committed(): void;
}

interface Batch {
  readonly records: readonly JournalRecord[];
  readonly channels: ReadonlySet<Wakeable>;
  readonly participants: ReadonlySet<CommitParticipant>;
  readonly seq: number;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** How long a journal that has failed is left alone, unless there is something new for it or somebody waits. */
const retryMs = 1000;

/** With more than this to repeat, a new record alone is no reason to try again: the cost would be quadratic. */
const cheapRetryBytes = 64 * 1024;

/** Parts of the hub that a publisher needs. */
export interface PublisherParts {
  readonly journal: Journal | undefined;
  /** The host's last number. */
  readonly lastSeq: () => number;
  /** Called when a reader throws. */
  readonly onFault: (error: unknown) => void;
  /** Called once when the journal begins to fail, and once when it works again. */
  readonly onOutage: (failure: unknown) => void;
  readonly onRecovery: () => void;
}

/** How often a commit with participants waits again because more has happened. */
const maxWaits = 8;

/** Publishes for all channels of a hub (H6). */
export class Publisher {
  readonly #parts: PublisherParts;
  readonly #waiters: Waiter[] = [];
  #state: "idle" | "scheduled" | "committing" = "idle";
  #records: JournalRecord[] = [];
  #channels = new Set<Wakeable>();
  #participants = new Set<CommitParticipant>();
  /** Counts what was added for the next commit. */
  #additions = 0;
  #publishedSeq: number;
  #retry: NodeJS.Timeout | undefined;
  #outage: { readonly failure: unknown } | undefined;
  #pendingBytes = 0;
  readonly #wakesInOutage = new Set<Wakeable>();

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
  get isStoring(): boolean {
    return this.#outage === undefined;
  }

  /** Why the journal did not keep what it was last given; undefined while it does. */
  get failure(): unknown {
    return this.#outage?.failure;
  }

  /** Size of the records in memory that wait for the journal. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Asks a participant for its records at the end of this tick. */
  join(participant: CommitParticipant): void {
    this.#additions += 1;
    if (this.#participants.has(participant)) return;
    this.#participants.add(participant);
    if (this.#outage === undefined) this.#schedule();
  }

  /** Hands a record to the journal at the end of this tick; only needed when there is one. */
  record(record: JournalRecord): void {
    this.#additions += 1;
    if (this.#outage !== undefined) {
      // Actions that no journal keeps need not wait for it: memory would grow with a terminal's output.
      if (isTransient(record)) return;
      this.#pendingBytes += sizeOf(record);
    }
    this.#records.push(record);
    if (this.#pendingBytes <= cheapRetryBytes) this.#schedule();
  }

  /** Wakes the readers of a channel at the end of this tick. */
  wakeLater(channel: Wakeable): void {
    this.#channels.add(channel);
    if (this.#outage === undefined) this.#schedule();
    else this.#wakeInOutage(channel);
  }

  /** Resolves when everything so far is kept and published; rejects when the journal fails. */
  settled(): Promise<void> {
    if (this.#state === "idle" && !this.#hasMore && this.#outage === undefined) return Promise.resolve();
    this.#schedule();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
  }

  get #hasMore(): boolean {
    return this.#records.length > 0 || this.#channels.size > 0 || this.#participants.size > 0;
  }

  /** A microtask: late enough that a burst is one batch, early enough that nothing else runs in between. */
  #schedule(): void {
    if (this.#state !== "idle") return;
    this.#state = "scheduled";
    queueMicrotask(() => this.#commitAtEnd(0));
  }

  /**
   * With participants, the commit comes after all promises that are settled in this tick have been followed: what an
   * agent's message causes is then kept as a whole or not at all (H720).
   */
  #commitAtEnd(waits: number): void {
    if (this.#participants.size === 0 || waits >= maxWaits) return this.#commit();
    const additions = this.#additions;
    process.nextTick(() => {
      if (this.#additions === additions && waits > 0) this.#commit();
      else queueMicrotask(() => this.#commitAtEnd(waits + 1));
    });
  }

  #commit(): void {
    const participants = this.#participants;
    this.#participants = new Set();
    for (const participant of participants) this.#records.push(...participant.takeRecords());
    const batch: Batch = {
      records: this.#records,
      channels: this.#channels,
      participants,
      seq: this.#parts.lastSeq(),
    };
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

  #publish({ channels, participants, seq }: Batch): void {
    this.#publishedSeq = seq;
    this.#state = "idle";
    if (this.#outage !== undefined) {
      this.#outage = undefined;
      this.#pendingBytes = 0;
      this.#parts.onRecovery();
    }
    for (const participant of participants) this.#notify(participant);
    for (const channel of channels) channel.wake(this.#parts.onFault);
    if (this.#hasMore) this.#schedule();
    else for (const waiter of this.#waiters.splice(0)) waiter.resolve();
  }

  /** Nothing is published that is not kept: the batch waits, and goes with the next one. */
  #takeBack({ records, channels, participants }: Batch, error: unknown): void {
    this.#participants = new Set([...participants, ...this.#participants]);
    this.#records = [...records, ...this.#records].filter((record) => !isTransient(record));
    this.#channels = new Set([...channels, ...this.#channels]);
    this.#pendingBytes = this.#records.reduce((sum, record) => sum + sizeOf(record), 0);
    this.#state = "idle";
    const isNew = this.#outage === undefined;
    this.#outage = { failure: error };
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
    // A full disk is emptied, a lock released: readers must not wait for the next action to learn of the last.
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      if (this.#outage !== undefined) this.#schedule();
    }, retryMs);
    this.#retry.unref();
    if (isNew) this.#parts.onOutage(error);
  }

  #notify(participant: CommitParticipant): void {
    try {
      participant.committed();
    } catch (error) {
      this.#parts.onFault(error);
    }
  }

  /** A reader that resumes may read what was published before; the rest waits. */
  #wakeInOutage(channel: Wakeable): void {
    if (this.#wakesInOutage.size === 0) {
      queueMicrotask(() => {
        const woken = [...this.#wakesInOutage];
        this.#wakesInOutage.clear();
        for (const each of woken) each.wake(this.#parts.onFault);
      });
    }
    this.#wakesInOutage.add(channel);
  }
}

function isTransient(record: JournalRecord): boolean {
  return record.type === "applied" && !isDurable(record.entry.action);
}

/** Of a channel that is opened, only its name and an estimate: its state is in memory anyway. */
function sizeOf(record: JournalRecord): number {
  if (record.type === "run") return record.frames.reduce((sum, { text }) => sum + text.length, 1024);
  return record.type === "applied" ? record.entry.sizeBytes : 1024;
}

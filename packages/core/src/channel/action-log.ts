// The newest entries of one channel, as many as fit into its bytes.
import type { LogEntry } from "./log-entry.ts";

/** How many empty places may gather at the front before the list is moved up. */
const slackEntries = 1024;

/**
 * A list that grows at its end and is evicted at its front (H5).
 * A place in it is a position: the count of all entries before it, evicted ones included.
 */
export class ActionLog {
  readonly #limitBytes: number;
  /** Places before `#head` are empty. */
  readonly #entries: (LogEntry | undefined)[] = [];
  #head = 0;
  #evicted = 0;
  #evictedSeq: number;
  #sizeBytes = 0;

  /** `seq` is the host's last number when the channel is opened. */
  constructor(limitBytes: number, seq: number) {
    this.#limitBytes = limitBytes;
    this.#evictedSeq = seq;
  }

  /** The position of the oldest entry that is kept. */
  get start(): number {
    return this.#evicted;
  }

  /** The position that the next entry will have. */
  get end(): number {
    return this.#evicted + this.#entries.length - this.#head;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Entries up to this number are not here any more. */
  get evictedSeq(): number {
    return this.#evictedSeq;
  }

  /** The entry at a position; undefined when it is evicted or not there yet. */
  at(position: number): LogEntry | undefined {
    return position < this.#evicted ? undefined : this.#entries[this.#head + position - this.#evicted];
  }

  /**
   * Adds an entry and evicts the oldest. The newest stays, whatever its size: its readers are about to be notified.
   * So do those above `keptSeq`: they can be read nowhere else yet, and the journal holds them in memory anyway.
   */
  append(entry: LogEntry, keptSeq: number = Number.POSITIVE_INFINITY): void {
    this.#entries.push(entry);
    this.#sizeBytes += entry.sizeBytes;
    while (this.#sizeBytes > this.#limitBytes && this.#head < this.#entries.length - 1) {
      if ((this.#entries[this.#head]?.serverSeq ?? 0) > keptSeq) break;
      this.#evictOldest();
    }
  }

  /** Evicts everything: nobody is about to read it, and it is kept elsewhere. */
  clear(): void {
    while (this.#head < this.#entries.length) this.#evictOldest();
    this.#entries.length = 0;
    this.#head = 0;
  }

  /** The position after all entries up to a `serverSeq`; undefined when one after it is evicted already (H8). */
  positionAfter(serverSeq: number): number | undefined {
    if (serverSeq < this.#evictedSeq) return undefined;
    let low = this.start;
    let high = this.end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const entry = this.at(middle);
      if (entry !== undefined && entry.serverSeq <= serverSeq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #evictOldest(): void {
    const entry = this.#entries[this.#head];
    if (entry === undefined) return;
    this.#entries[this.#head] = undefined;
    this.#head += 1;
    this.#evicted += 1;
    this.#evictedSeq = entry.serverSeq;
    this.#sizeBytes -= entry.sizeBytes;
    // Moved up only when half of the list is empty: then each entry is moved once at most, on average.
    if (this.#head > slackEntries && this.#head * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#head);
      this.#head = 0;
    }
  }
}

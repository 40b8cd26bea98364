// Numbers that are never given twice: reserved in blocks, so that counting costs no write.
import { StorageError, type SequenceSource } from "@holdfast/core/ports";
import { numberOf } from "./driver.ts";
import type { Database } from "./database.ts";

/** How many numbers are reserved at once; after a crash at most twice as many are passed over. */
const blockSize = 4096;

/**
 * Counts on from the end of the last reservation (D3).
 * A reservation is synced to the disk, so that a power failure, too, gives no number a second time.
 */
export class BlockSequence implements SequenceSource {
  readonly #database: Database;
  #last: number;
  #reserved: number;

  constructor(database: Database) {
    this.#database = database;
    const row = database.get("SELECT reserved FROM sequence");
    this.#reserved = row === undefined ? 0 : numberOf(row, "reserved");
    this.#last = this.#reserved;
  }

  get last(): number {
    return this.#last;
  }

  next(): number {
    if (this.#last >= this.#reserved) this.#reserveNow();
    this.#last += 1;
    return this.#last;
  }

  /**
   * Counting continues even without disk space for the reservation: nothing is published before the next commit, and
   * that commit reserves first.
   */
  #reserveNow(): void {
    try {
      this.reserved(this.#database.transaction(() => this.reserve(), true));
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== "unavailable") throw error;
    }
  }

  /** Whether the next transaction should reserve more: with it, it costs little, and `next` need not wait. */
  get isLow(): boolean {
    return this.#reserved - this.#last < blockSize / 2;
  }

  /** Writes a reservation, inside of a synced transaction; its result goes to `reserved` when that is committed. */
  reserve(): number {
    const end = this.#last + blockSize;
    this.#database.run("UPDATE sequence SET reserved = ?", end);
    return end;
  }

  reserved(end: number): void {
    this.#reserved = end;
  }

  /** Gives back what was not used; nothing may be counted afterwards. */
  close(): void {
    const isUsed = this.#reserved !== this.#last;
    this.#reserved = this.#last;
    if (!isUsed) return;
    this.#database.transaction(
      () => this.#database.run("UPDATE sequence SET reserved = ?", this.#last),
      true,
    );
  }
}

// Shares the event loop between terminals: one that floods waits for the next tick, so that others stay quick (T13).

/** A reader that can be paused. */
export interface BudgetedReader {
  /** Called when a reader that had to wait may continue. */
  resume(): void;
}

/** Bytes that one reader may deliver in a tick, and its pause while somebody types. */
const quietBudgetBytes = 512 * 1024;
const typingBudgetBytes = 32 * 1024;
const typingRestMs = 4;
/** Somebody who typed within this time is likely to type more. */
const typingMs = 1000;

interface Account {
  readonly reader: BudgetedReader;
  /** Reset each tick; while somebody types, only after a pause: a pipe gives little in a tick, but in every tick. */
  bytes: number;
  isActive: boolean;
  waiting: boolean;
}

/** One for all readers of an engine. */
export class ReadBudget {
  readonly #accounts = new Map<BudgetedReader, Account>();
  #active: Account[] = [];
  #tickScheduled = false;
  #typedAt = -Infinity;

  /** Somebody typed: for a while, floods pause between their ticks. */
  noteInput(): void {
    this.#typedAt = performance.now();
  }

  /** Counts bytes that a reader delivered; on false it must stop until `resume`. */
  spend(reader: BudgetedReader, bytes: number): boolean {
    let account = this.#accounts.get(reader);
    if (account === undefined) {
      account = { reader, bytes: 0, isActive: false, waiting: false };
      this.#accounts.set(reader, account);
    }
    if (!account.isActive) this.#activate(account);
    account.bytes += bytes;
    if (account.bytes < (this.#isTyping() ? typingBudgetBytes : quietBudgetBytes)) return true;
    account.waiting = true;
    return false;
  }

  /** The reader is closed. */
  forget(reader: BudgetedReader): void {
    const account = this.#accounts.get(reader);
    if (account !== undefined) account.waiting = false;
    this.#accounts.delete(reader);
  }

  #isTyping(): boolean {
    return performance.now() - this.#typedAt < typingMs;
  }

  #activate(account: Account): void {
    account.isActive = true;
    this.#active.push(account);
    if (this.#tickScheduled) return;
    this.#tickScheduled = true;
    // Immediates run after the poll phase: exactly once a turn.
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#tickScheduled = false;
    const active = this.#active;
    this.#active = [];
    const isTyping = this.#isTyping();
    const waiting: Account[] = [];
    for (const account of active) {
      account.isActive = false;
      if (account.waiting || !isTyping) account.bytes = 0;
      if (account.waiting) waiting.push(account);
    }
    if (waiting.length === 0) return;
    if (isTyping) setTimeout(resumeAll, typingRestMs, waiting);
    else resumeAll(waiting);
  }
}

function resumeAll(accounts: readonly Account[]): void {
  for (const account of accounts) {
    if (!account.waiting) continue;
    account.waiting = false;
    account.reader.resume();
  }
}

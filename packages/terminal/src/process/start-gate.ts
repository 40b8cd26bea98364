// Bounds what is on its way to the spawn helper: starts wait for each other, and too many are refused (T241).
import { TerminalError } from "../terminal-error.ts";

/** How much may be on its way, and how much may wait for it. */
export interface StartLimits {
  readonly runningBytes: number;
  readonly running: number;
  readonly waitingBytes: number;
  readonly waiting: number;
}

const defaultLimits: StartLimits = {
  runningBytes: 4 * 1024 * 1024,
  running: 64,
  waitingBytes: 64 * 1024 * 1024,
  waiting: 4096,
};

interface Waiter {
  readonly sizeBytes: number;
  enter(): void;
  refuse(error: TerminalError): void;
}

/** Lets starts through in their order. */
export class StartGate {
  readonly #limits: StartLimits;
  readonly #waiters: Waiter[] = [];
  #running = 0;
  #runningBytes = 0;
  #waitingBytes = 0;

  constructor(limits: StartLimits = defaultLimits) {
    this.#limits = limits;
  }

  /** Runs `start` as soon as the limits admit a request of this size. */
  async pass<Result>(sizeBytes: number, start: () => Promise<Result>): Promise<Result> {
    if (this.#waiters.length > 0 || !this.#admits(sizeBytes)) await this.#wait(sizeBytes);
    else this.#admit(sizeBytes);
    try {
      return await start();
    } finally {
      this.#running -= 1;
      this.#runningBytes -= sizeBytes;
      this.#letIn();
    }
  }

  /** Refuses what waits. */
  close(error: TerminalError): void {
    for (const waiter of this.#waiters.splice(0)) waiter.refuse(error);
    this.#waitingBytes = 0;
  }

  #admits(sizeBytes: number): boolean {
    const { running, runningBytes } = this.#limits;
    // One of any size goes alone.
    if (this.#running === 0) return true;
    return this.#running < running && this.#runningBytes + sizeBytes <= runningBytes;
  }

  async #wait(sizeBytes: number): Promise<void> {
    const { waiting, waitingBytes } = this.#limits;
    if (this.#waiters.length >= waiting || this.#waitingBytes + sizeBytes > waitingBytes) {
      throw new TerminalError(
        "too_many_terminals",
        "Too many commands wait to be started. Try again when some of them have started.",
      );
    }
    this.#waitingBytes += sizeBytes;
    await new Promise<void>((resolve, reject) => {
      this.#waiters.push({ sizeBytes, enter: resolve, refuse: reject });
    });
  }

  #admit(sizeBytes: number): void {
    this.#running += 1;
    this.#runningBytes += sizeBytes;
  }

  #letIn(): void {
    for (;;) {
      const [next] = this.#waiters;
      if (next === undefined || !this.#admits(next.sizeBytes)) return;
      this.#waiters.shift();
      this.#waitingBytes -= next.sizeBytes;
      this.#admit(next.sizeBytes);
      next.enter();
    }
  }
}

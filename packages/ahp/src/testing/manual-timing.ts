// A clock that stands still until a test moves it.
import type { Timing } from "../client/timing.ts";

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Time that a test moves, and chance that it sets. */
export class ManualTiming implements Timing {
  chance = 0.5;
  #nowMs = 0;
  #timers: readonly Timer[] = [];

  /** How long until the next timer; undefined when there is none. */
  get nextInMs(): number | undefined {
    const dueMs = this.#timers.map((timer) => timer.dueMs);
    return dueMs.length === 0 ? undefined : Math.min(...dueMs) - this.#nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  random(): number {
    return this.chance;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers = [...this.#timers, timer];
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Moves the clock and calls what is due, in order. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      const due = this.#timers.filter(({ dueMs }) => dueMs <= untilMs);
      const [next] = due.toSorted((one, other) => one.dueMs - other.dueMs);
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
    }
    this.#nowMs = untilMs;
  }
}

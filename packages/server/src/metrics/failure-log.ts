// Writes to the log that somebody was not let in, without letting them fill it.
import type { Log } from "@holdfast/core";

/** How often a line is written at most. */
const intervalMs = 10_000;

/** The failures of one server. */
export class FailureLog {
  readonly #log: Log;
  readonly #nowMs: () => number;
  #lastLineMs = Number.NEGATIVE_INFINITY;
  #unsaid = 0;

  constructor(log: Log, nowMs: () => number = () => performance.now()) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** Tells of a failure, or counts it for the next line (O7). */
  note(facts: Readonly<Record<string, unknown>>): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#lastLineMs < intervalMs) {
      this.#unsaid += 1;
      return;
    }
    const unsaid = this.#unsaid;
    this.#lastLineMs = nowMs;
    this.#unsaid = 0;
    this.#log("warn", "A request was not let in", {
      ...facts,
      ...(unsaid > 0 && { othersSinceLastLine: unsaid }),
    });
  }
}

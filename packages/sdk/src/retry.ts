// How often, and after what time, a broken stream is tried to be taken up again.

/** How hard a broken stream is tried to be taken up again. */
export interface RetryOptions {
  /** Attempts in a row that bring nothing new, after which the stream counts as lost. */
  readonly attempts?: number;
  /** The wait before the first attempt; each further one waits twice as long. */
  readonly baseDelayMs?: number;
  readonly maxDelayMs?: number;
  /** The silence after which a connection counts as broken, whatever TCP thinks. */
  readonly maxSilenceMs?: number;
}

/** Enough for a host that restarts: half a minute in all. A host gives a sign of life every 15 s. */
const defaults = { attempts: 10, baseDelayMs: 100, maxDelayMs: 5000, maxSilenceMs: 60_000 };

/** When to try again, and when no more. */
export class Retry {
  readonly attempts: number;
  readonly maxSilenceMs: number;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;

  constructor(options: RetryOptions = {}) {
    const { attempts, baseDelayMs, maxDelayMs, maxSilenceMs } = { ...defaults, ...options };
    this.attempts = attempts;
    this.maxSilenceMs = maxSilenceMs;
    this.#baseDelayMs = baseDelayMs;
    this.#maxDelayMs = maxDelayMs;
  }

  /** The wait before an attempt, counted from 0; spread, so that all clients of a host do not come at once. */
  delayMs(attempt: number, random: () => number = Math.random): number {
    const longestMs = Math.min(this.#maxDelayMs, this.#baseDelayMs * 2 ** attempt);
    return longestMs * (0.5 + random() / 2);
  }
}

// The clock, the timers and the chance that the client uses, so that tests can bring their own.

/** Time and chance. */
export interface Timing {
  nowMs(): number;
  /** A number from 0 up to, and without, 1. */
  random(): number;
  /** Calls back once, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void;
}

export const realTiming: Timing = {
  nowMs: () => Date.now(),
  random: () => Math.random(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** How long the client waits before it tries again. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

export const defaultBackoff: Backoff = { firstMs: 500, maxMs: 30_000 };

/** For a host that said that it restarts: so long it is expected back at any moment. */
export const restartBackoff: Backoff = { firstMs: 100, maxMs: 100 };
export const restartBoundMs = 10_000;

/**
 * The wait before an attempt, counted from 0: twice as long each time, of which the second half is left to chance,
 * so that many clients of one host do not come back at the same moment (E46).
 */
export function backoffMs({ firstMs, maxMs }: Backoff, attempt: number, random: number): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));
  return fullMs / 2 + (fullMs / 2) * random;
}

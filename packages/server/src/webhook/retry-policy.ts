// How often a delivery is tried, and how long is waited in between.

/** When to try again. */
export interface RetryPolicy {
  /** The waits between attempts; one attempt more than waits, then a delivery is given up. */
  readonly delaysMs: readonly number[];
  /** By which part a wait may be longer or shorter, so that not all come back at once. */
  readonly jitter: number;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Eight attempts in about two and a half hours. */
export const DEFAULT_RETRY: RetryPolicy = {
  delaysMs: [second, 5 * second, 30 * second, 5 * minute, 30 * minute, hour, hour],
  jitter: 0.2,
};

/** How long to wait after so many failed attempts; undefined when there were enough. */
export function retryDelayMs(
  policy: RetryPolicy,
  attempts: number,
  random: () => number,
): number | undefined {
  const delayMs = policy.delaysMs[attempts - 1];
  return delayMs === undefined ? undefined : delayMs * (1 + policy.jitter * (2 * random() - 1));
}

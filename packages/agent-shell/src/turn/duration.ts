// How long something took, for people.

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** Writes a duration as `12 ms`, `3.4 s` or `2 min 5 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < SECOND_MS) return `${Math.round(durationMs)} ms`;
  if (durationMs < MINUTE_MS) return `${(Math.floor(durationMs / 100) / 10).toFixed(1)} s`;
  const minutes = Math.floor(durationMs / MINUTE_MS);
  return `${minutes} min ${Math.floor((durationMs % MINUTE_MS) / SECOND_MS)} s`;
}

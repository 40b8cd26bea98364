// Progress of the benchmark on stderr; stdout belongs to the result.

const startedMs = performance.now();

/** Writes one line to stderr, with the time since the start. */
export function progress(text: string): void {
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0).padStart(4);
  process.stderr.write(`${seconds} s  ${text}\n`);
}

// The few statistics that the benchmark reports.

/** The value below which the share `fraction` of the values lies; not a number when there are none. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}

/** The middle value. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value with so many digits that noise is not reported as knowledge. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

/** Milliseconds of a clock that all processes of the machine share and nobody sets. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

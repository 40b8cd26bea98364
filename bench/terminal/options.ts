// How much is measured: in full, or shortened for a quick look.

/** How often and how much each part measures. */
export interface BenchmarkOptions {
  readonly short: boolean;
  /** How long to wait for a quiet machine before each part. */
  readonly quietLimitMs: number;
  readonly rounds: { readonly quick: number; readonly slow: number };
  readonly lossyRuns: number;
  readonly spawns: number;
  readonly pollSeconds: number;
  readonly fiftyRounds: number;
  readonly thousandCommands: number;
  readonly floodBytes: number;
  readonly keystrokes: number;
  readonly guardRuns: number;
}

const full: BenchmarkOptions = {
  short: false,
  quietLimitMs: 6000,
  rounds: { quick: 9, slow: 2 },
  lossyRuns: 500,
  spawns: 200,
  pollSeconds: 15,
  fiftyRounds: 7,
  thousandCommands: 1000,
  floodBytes: 2e9,
  keystrokes: 600,
  guardRuns: 200,
};

const short: BenchmarkOptions = {
  short: true,
  quietLimitMs: 0,
  rounds: { quick: 3, slow: 1 },
  lossyRuns: 40,
  spawns: 30,
  pollSeconds: 3,
  fiftyRounds: 3,
  thousandCommands: 200,
  floodBytes: 5e8,
  keystrokes: 100,
  guardRuns: 40,
};

/** Reads the command line; its one option is `--short`. */
export function readOptions(words: readonly string[]): BenchmarkOptions {
  const unknown = words.find((word) => word !== "--short");
  if (unknown !== undefined) throw new Error(`Unknown option ${unknown}; there is only --short`);
  return words.includes("--short") ? short : full;
}

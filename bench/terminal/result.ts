// The shape of the benchmark's result: one JSON object.
import type { GuardCost } from "./measures/guard-cost.ts";
import type { Rates } from "./throughput.ts";

/** Milliseconds by the size of the host. */
export interface BySize {
  readonly small: number;
  readonly at1GB: number;
}

/** Medians of the time that the loop was taken, and beside them the 95th percentiles and the mean of CPU time. */
export interface BlockedMs extends BySize {
  readonly p95: BySize;
  readonly cpu: BySize;
  /** Blocked by the whole life of the run: spawn, output, exit and release. */
  readonly wholeLife: BySize;
}

/** Everything that was measured; null where something it needs is not there. */
export interface Result {
  /** Runs of `seq 1 20000` in a terminal that came up short. */
  readonly lossyRuns: {
    readonly runs: number;
    readonly ours: number;
    /** In a host that is busy for 15 of every 20 ms. */
    readonly oursBusy: number;
    readonly plainLibrary: number;
  };
  /** Throughput of a terminal as a share of a C reader's, mean over three kinds of text. */
  readonly ptyOfLimit: number | null;
  readonly pipeOfLimit: number | null;
  /** Throughput of a pipe as a multiple of a string that grows and is cut. */
  readonly naiveTimes: number | null;
  /** How long one spawn, from call to release, keeps the host's event loop busy. */
  readonly spawnBlockMs: BlockedMs & { readonly tty: BlockedMs; readonly childProcess: BlockedMs };
  /** 20 polls a second of 10 MiB, command at 1 MB/s, answers into a pipe; percent of one core. */
  readonly pollCorePercent: number;
  /** What of it is the bare write of those bytes to that pipe. */
  readonly pollPipeWritePercent: number;
  readonly fiftyCommandsMs: number;
  /** A run under guard, beside a plain one and one in bare bubblewrap; null without bubblewrap. */
  readonly guardCost: GuardCost | null;
  /** The same in a host that has run nothing yet. */
  readonly fiftyCommandsColdMs: number;
  readonly thousandCommandsMs: number;
  readonly rssGrowthMiB: number;
  readonly echoP50Ms: number;
  readonly echoP99Ms: number;
  readonly peers: Rates;
  readonly machine: {
    readonly cores: number;
    /** How idle it was before each part, in the median: foreign work spoils latencies first. */
    readonly idlePercent: number;
  };
}

// Limits on one run: what may be asked for, and what is in force by which means.
import { invalidRequest } from "../terminal-error.ts";

/** The limits that the kernel enforces. */
export interface KernelLimits {
  /** Memory of the whole tree (cgroup), or data segment of each process (rlimit). */
  readonly memoryBytes?: number | undefined;
  /** Processes alive at once in the tree (cgroup), or of the user (rlimit). */
  readonly processes?: number | undefined;
  /** CPU time of the whole tree (cgroup), or of each process (rlimit). */
  readonly cpuSeconds?: number | undefined;
  /** CPU cores that the tree may use at once, e.g. 0.5; cgroup only. It slows down and never ends a run. */
  readonly cpuCores?: number | undefined;
}

/** The limits that a caller may set on one run. */
export interface RunLimits extends KernelLimits {
  readonly wallClockMs?: number | undefined;
  /** The run is ended when it has written more than this. */
  readonly outputBytes?: number | undefined;
}

/** The limits by name, as exit information names the one that fired. */
export type LimitName = keyof RunLimits;

/** What enforces a limit; `none` means that this machine has no means for it. */
export type LimitMeans = "host" | "cgroup2" | "cgroup1" | "rlimit" | "none";

/** Each limit that was asked for, its value, and what enforces it. */
export type LimitsInForce = {
  readonly [Name in LimitName]?: { readonly value: number; readonly by: LimitMeans };
};

/** The limits of the ACP documentation's own example: five minutes and ten megabytes. */
export const DOCUMENTED_LIMITS: RunLimits = { wallClockMs: 5 * 60_000, outputBytes: 10 * 1024 * 1024 };

const names = ["memoryBytes", "processes", "cpuSeconds", "cpuCores", "wallClockMs", "outputBytes"] as const;

/** Refuses a limit that is not a positive number; `cpuCores` alone may be a fraction. */
export function checkLimits(limits: RunLimits | undefined): RunLimits {
  if (limits === undefined) return {};
  if (typeof limits !== "object" || limits === null) throw invalidRequest("limits", "an object");
  for (const name of names) {
    const value = limits[name];
    if (value === undefined) continue;
    if (!Number.isFinite(value) || value <= 0) throw invalidRequest(`limits.${name}`, "a number above 0");
    if (name !== "cpuCores" && !Number.isSafeInteger(value)) {
      throw invalidRequest(`limits.${name}`, "a whole number");
    }
  }
  return limits;
}

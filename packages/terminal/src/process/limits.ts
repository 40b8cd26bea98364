// The check of a run's limits, and the limits that ACP's documentation uses.
import { invalidRequest } from "../terminal-error.ts";
import type { RunLimits } from "./port.ts";

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

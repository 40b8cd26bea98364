// Limits as people write them, with units in their names, and as the kernel takes them.
import { invalidRequest } from "../terminal-error.ts";
import type { RunLimits } from "./port.ts";

/** Limits of one command in seconds, mebibytes and counts. */
export interface NamedLimits {
  readonly wallClockSeconds?: number | undefined;
  readonly outputMebibytes?: number | undefined;
  readonly memoryMebibytes?: number | undefined;
  readonly processes?: number | undefined;
  readonly cpuSeconds?: number | undefined;
  readonly cpuCores?: number | undefined;
  readonly diskWriteMebibytes?: number | undefined;
}

const mebibyte = 1024 * 1024;

/** The limit and the factor of each name. */
export const LIMIT_UNITS = {
  wallClockSeconds: { limit: "wallClockMs", factor: 1000 },
  outputMebibytes: { limit: "outputBytes", factor: mebibyte },
  memoryMebibytes: { limit: "memoryBytes", factor: mebibyte },
  processes: { limit: "processes", factor: 1 },
  cpuSeconds: { limit: "cpuSeconds", factor: 1 },
  cpuCores: { limit: "cpuCores", factor: 1 },
  diskWriteMebibytes: { limit: "diskWriteBytes", factor: mebibyte },
} as const satisfies {
  readonly [Name in keyof NamedLimits]-?: { readonly limit: keyof RunLimits; readonly factor: number };
};

/** The limits in bytes, milliseconds and counts; `cpuCores` alone may be a fraction. */
export function toRunLimits(named: NamedLimits): RunLimits {
  const limits: { -readonly [Name in keyof RunLimits]: number } = {};
  for (const [name, { limit, factor }] of Object.entries(LIMIT_UNITS)) {
    const value = named[name as keyof NamedLimits];
    if (value === undefined) continue;
    limits[limit] = limit === "cpuCores" ? value : Math.max(1, Math.round(value * factor));
  }
  return limits;
}

/** Reads limits that came over a wire; a name that does not exist is an error. */
export function readNamedLimits(field: string, value: unknown): RunLimits {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidRequest(field, "an object");
  }
  for (const [name, amount] of Object.entries(value)) {
    if (!Object.hasOwn(LIMIT_UNITS, name)) {
      throw invalidRequest(
        `${field}.${name}`,
        `left out: the limits are ${Object.keys(LIMIT_UNITS).join(", ")}`,
      );
    }
    if (typeof amount !== "number" || !Number.isFinite(amount) || amount <= 0) {
      throw invalidRequest(`${field}.${name}`, "a number above 0");
    }
  }
  return toRunLimits(value);
}

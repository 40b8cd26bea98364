// Limits of runs: their check, the strictest of several, and the limits that ACP's documentation uses (T25, T660).
import { invalidRequest } from "../terminal-error.ts";
import type { FiredLimit, LimitName, LimitScope, RunLimits, SharedLimits } from "./port.ts";

/** The limits of the ACP documentation's own example: five minutes and ten megabytes. */
export const DOCUMENTED_LIMITS: RunLimits = { wallClockMs: 5 * 60_000, outputBytes: 10 * 1024 * 1024 };

const sharedNames = ["memoryBytes", "processes", "cpuCores"] as const satisfies (keyof SharedLimits)[];

/** The names of all limits. */
export const LIMIT_NAMES = [
  ...sharedNames,
  "cpuSeconds",
  "diskWriteBytes",
  "wallClockMs",
  "outputBytes",
] as const satisfies LimitName[];

/** Refuses a limit that is not a positive number; `cpuCores` alone may be a fraction. */
export function checkLimits(limits: RunLimits | undefined): RunLimits {
  checkNumbers("limits", limits, LIMIT_NAMES);
  return limits ?? {};
}

/** The same for the limits that runs share. */
export function checkScopes(scopes: readonly LimitScope[] = []): readonly LimitScope[] {
  for (const [index, { limits }] of scopes.entries()) {
    checkNumbers(`scopes[${index}].limits`, limits, sharedNames);
  }
  return scopes;
}

/** The scopes that limit something; the others would only cost folders. */
export function limitingScopes(scopes: readonly LimitScope[]): readonly LimitScope[] {
  return scopes.filter(({ limits }) => sharedNames.some((name) => limits[name] !== undefined));
}

function checkNumbers<Name extends LimitName>(
  field: string,
  limits: { readonly [Each in Name]?: number | undefined } | undefined,
  names: readonly Name[],
): void {
  if (limits === undefined) return;
  if (typeof limits !== "object" || limits === null) throw invalidRequest(field, "an object");
  for (const name of names) {
    const value = limits[name];
    if (value === undefined) continue;
    if (!Number.isFinite(value) || value <= 0) throw invalidRequest(`${field}.${name}`, "a number above 0");
    if (name !== "cpuCores" && !Number.isSafeInteger(value)) {
      throw invalidRequest(`${field}.${name}`, "a whole number");
    }
  }
}

/** The lowest value that any of them has for each limit. */
export function strictestLimits(...all: readonly (RunLimits | undefined)[]): RunLimits {
  const strictest: { -readonly [Name in LimitName]?: number } = {};
  for (const name of LIMIT_NAMES) {
    const values = all.map((limits) => limits?.[name]).filter((value) => value !== undefined);
    if (values.length > 0) strictest[name] = Math.min(...values);
  }
  return strictest;
}

/** The first requested limit that is above its ceiling; one that is not requested never is. */
export function findExcess(
  requested: RunLimits,
  ceiling: RunLimits,
): { readonly name: LimitName; readonly requested: number; readonly ceiling: number } | undefined {
  for (const name of LIMIT_NAMES) {
    const [value, most] = [requested[name], ceiling[name]];
    if (value !== undefined && most !== undefined && value > most) {
      return { name, requested: value, ceiling: most };
    }
  }
  return undefined;
}

/**
 * The limits of one run: for each the lowest value of the command's own and of all scopes that it runs in, with the
 * level that it comes from; of equal values, the innermost.
 */
export function effectiveLimits(
  command: RunLimits,
  scopes: readonly LimitScope[],
): ReadonlyMap<LimitName, FiredLimit> {
  const effective = new Map<LimitName, FiredLimit>();
  const levels = [...scopes, { level: "command" as const, limits: command }];
  for (const { level, limits } of levels) {
    for (const name of LIMIT_NAMES) {
      const value = (limits as RunLimits)[name];
      if (value !== undefined && value <= (effective.get(name)?.value ?? Number.POSITIVE_INFINITY)) {
        effective.set(name, { name, value, level });
      }
    }
  }
  return effective;
}

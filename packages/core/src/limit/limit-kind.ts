// Limits of the process port as the model shows them: by kind, with a value and its unit.
import type { LimitFired, LimitInForce, LimitLevel } from "@holdfast/ahp";
import type { FiredLimit, LimitBackend, LimitName } from "@holdfast/terminal/port";

type Kind = Pick<LimitFired, "name" | "unit"> & { readonly factor?: number };

const kinds: Readonly<Record<LimitName, Kind>> = {
  wallClockMs: { name: "wall-clock", unit: "ms" },
  outputBytes: { name: "output", unit: "bytes" },
  memoryBytes: { name: "memory", unit: "bytes" },
  processes: { name: "processes", unit: "count" },
  cpuSeconds: { name: "cpu-time", unit: "ms", factor: 1000 },
  cpuCores: { name: "cpu-cores", unit: "count" },
  diskWriteBytes: { name: "disk-writes", unit: "bytes" },
};

export function describeLimit({ name, value, level }: FiredLimit): Required<LimitFired> {
  const { factor = 1, ...kind } = kinds[name];
  return { ...kind, value: value * factor, level };
}

/** A limit of an agent's run: what is the run's own is the agent's. */
export function describeAgentLimit(limit: FiredLimit): Required<LimitFired> {
  const described = describeLimit(limit);
  return described.level === "command" ? { ...described, level: "agent" } : described;
}

/** The name of a limit at the process port, by which the audit has it. */
export function portNameOf(limit: LimitFired): string {
  return Object.entries(kinds).find(([, { name }]) => name === limit.name)?.[0] ?? limit.name;
}

export function describeInForce(
  name: LimitName,
  value: number,
  level: LimitLevel,
  by: LimitBackend,
): LimitInForce {
  const { factor = 1, ...kind } = kinds[name];
  return { ...kind, value: value * factor, level, by };
}

// Limits of the process port as the model shows them: by kind, with a value and its unit.
import type { LimitFired, LimitInForce } from "@holdfast/ahp";
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

export function describeInForce(limit: FiredLimit, by: LimitBackend): LimitInForce {
  return { ...describeLimit(limit), by };
}

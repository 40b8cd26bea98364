// The limits that hold for a run, and the enforcer of each on this machine (T25).
import type { CgroupLayout } from "../tree/cgroup-layout.ts";
import type {
  FiredLimit,
  LimitBackend,
  LimitBackends,
  LimitName,
  LimitsInForce,
  TreeMechanism,
} from "../port.ts";
import { diskBackend } from "./limit-watch.ts";

/** The limits of one run: taken over by a group, set as an rlimit, watched, or by nothing. */
export function limitsInForce(
  effective: ReadonlyMap<LimitName, FiredLimit>,
  enforcers: ReadonlyMap<LimitName, LimitBackend>,
  rlimits: readonly LimitName[],
): LimitsInForce {
  const entries = [...effective.values()].map(({ name, value, level }) => {
    const other = name === "diskWriteBytes" ? diskBackend(false) : "none";
    const by = enforcers.get(name) ?? (rlimits.includes(name) ? "rlimit" : other);
    return [name, { value, level, by }] as const;
  });
  return Object.fromEntries(entries);
}

/** The enforcer of each limit for a run with this tree backend. */
export function limitBackends(layout: CgroupLayout, mechanism: TreeMechanism): LimitBackends {
  const { memory, pids, cpu, io } = layout.controllers;
  const isGroup = mechanism === "cgroup";
  return {
    memoryBytes: memory?.version ?? "rlimit",
    // The kernel does not hold root to its rlimit.
    processes: pids?.version ?? (process.getuid?.() === 0 ? "none" : "rlimit"),
    cpuSeconds: isGroup ? "cgroup2" : "rlimit",
    cpuCores: cpu?.version ?? "none",
    diskWriteBytes: diskBackend(isGroup && io !== undefined),
  };
}

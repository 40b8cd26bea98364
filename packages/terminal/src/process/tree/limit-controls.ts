// The kernel's control files for each limit that a cgroup can hold, in both versions (T25).
import type { SharedLimits } from "../port.ts";
import { type Controller, type ControllerName, readControl, writeControl } from "./cgroup-layout.ts";

/** A limit that a group holds for all that is in it. */
export type SharedLimitName = keyof SharedLimits;

type Version = Controller["version"];

/** How a limit is set in a group, and how to learn that it was reached. */
interface LimitControl {
  readonly controller: ControllerName;
  /** False when the kernel refuses. */
  readonly set: (folder: string, version: Version, value: number) => boolean;
  readonly lift: (folder: string, version: Version) => void;
  /** The file that has the value in force. */
  readonly file: Readonly<Record<Version, string>>;
  /** How often the group's own limit was reached. */
  readonly hits: (folder: string, version: Version) => number;
}

/** A group with a limit. */
export interface LimitedGroup {
  readonly version: Version;
  readonly folder: string;
  /** How often its limit had been reached when it was entered. */
  readonly hitsBefore: number;
}

/** CPU quotas are given per period of this many microseconds. */
const periodUs = 100_000;
/** The largest pages in use: those of some ARM machines. */
const pageBytes = 64 * 1024;

export const LIMIT_CONTROLS: Readonly<Record<SharedLimitName, LimitControl>> = {
  memoryBytes: {
    controller: "memory",
    set: setMemory,
    lift: liftMemory,
    file: { cgroup2: "memory.max", cgroup1: "memory.limit_in_bytes" },
    hits: (folder, version) =>
      version === "cgroup2"
        ? readCounter(folder, "memory.events.local", "oom")
        : readNumber(folder, "memory.failcnt") + Number(isFullV1(folder)),
  },
  processes: {
    controller: "pids",
    set: (folder, _version, value) => writeControl(folder, "pids.max", String(value)),
    lift: (folder) => void writeControl(folder, "pids.max", "max"),
    file: { cgroup2: "pids.max", cgroup1: "pids.max" },
    hits: (folder, version) => (version === "cgroup2" ? readCounter(folder, "pids.events", "max") : 0),
  },
  cpuCores: {
    controller: "cpu",
    set: setCores,
    lift: liftCores,
    file: { cgroup2: "cpu.max", cgroup1: "cpu.cfs_quota_us" },
    hits: () => 0,
  },
};

export const sharedNames = Object.keys(LIMIT_CONTROLS) as SharedLimitName[];

/** The number after a name in a control file that has one pair in each line; 0 where there is none. */
export function readCounter(folder: string, file: string, name: string): number {
  const match = new RegExp(`^${name} (\\d+)`, "m").exec(readControl(folder, file) ?? "");
  return Number(match?.[1] ?? 0);
}

/** Newer kernels do not count failures in version 1; the peak says that the limit was reached. */
function isFullV1(folder: string): boolean {
  return (
    readNumber(folder, "memory.max_usage_in_bytes") >= readNumber(folder, "memory.limit_in_bytes") - pageBytes
  );
}

function readNumber(folder: string, file: string): number {
  return Number(readControl(folder, file) ?? 0);
}

/** The value in force of a group's limit, which may have been changed since it was set to `known`. */
export function readLimit(name: SharedLimitName, { folder, version }: LimitedGroup, known: number): number {
  const value = Number(readControl(folder, LIMIT_CONTROLS[name].file[version]) ?? Number.NaN);
  // The kernel rounds memory to whole pages.
  return Number.isFinite(value) && Math.abs(value - known) >= (name === "memoryBytes" ? pageBytes : 1)
    ? value
    : known;
}

/** Bytes that a v2 group has written to all disks. */
export function readWrittenBytes(folder: string): number {
  const counters = (readControl(folder, "io.stat") ?? "").matchAll(/\bwbytes=(\d+)/g);
  return [...counters].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

function setMemory(folder: string, version: Version, value: number): boolean {
  const text = String(value);
  if (version === "cgroup1") {
    const set = writeControl(folder, "memory.limit_in_bytes", text);
    // Swap would let it grow on; the file exists only where swap is counted.
    writeControl(folder, "memory.memsw.limit_in_bytes", text);
    // Memory alone must never be above memory and swap: a limit that is raised is taken only now.
    return writeControl(folder, "memory.limit_in_bytes", text) || set;
  }
  writeControl(folder, "memory.swap.max", "0");
  return writeControl(folder, "memory.max", text);
}

function liftMemory(folder: string, version: Version): void {
  if (version === "cgroup2") {
    for (const file of ["memory.max", "memory.swap.max"]) writeControl(folder, file, "max");
    return;
  }
  // The one with swap first: memory alone must never be above it.
  for (const file of ["memory.memsw.limit_in_bytes", "memory.limit_in_bytes"]) {
    writeControl(folder, file, "-1");
  }
}

function liftCores(folder: string, version: Version): void {
  if (version === "cgroup2") writeControl(folder, "cpu.max", "max");
  else writeControl(folder, "cpu.cfs_quota_us", "-1");
}

function setCores(folder: string, version: Version, value: number): boolean {
  const quotaUs = Math.max(1000, Math.round(value * periodUs));
  if (version === "cgroup2") return writeControl(folder, "cpu.max", `${quotaUs} ${periodUs}`);
  return (
    writeControl(folder, "cpu.cfs_period_us", String(periodUs)) &&
    writeControl(folder, "cpu.cfs_quota_us", String(quotaUs))
  );
}

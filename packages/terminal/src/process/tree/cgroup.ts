// The cgroups of one run: the v2 group that holds its tree, and the groups that limit it (T20, T25).
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { KernelLimits, LimitBackend, LimitName } from "../port.ts";
import {
  type CgroupLayout,
  type Controller,
  listFolders,
  readControl,
  removeGroup,
  writeControl,
} from "./cgroup-layout.ts";
import { isSameProcess } from "./process-table.ts";
import { signalPid, type Tree, type TreeLeader } from "./tree.ts";

/** CPU quotas are given per period of this many microseconds. */
const periodUs = 100_000;

/** The groups that a run's processes join, made before it starts. */
export class RunCgroups {
  /** Folders whose `cgroup.procs` the child writes itself into. */
  readonly folders: readonly string[];
  /** The v2 group that can be killed as one; undefined when only limits are held by groups. */
  readonly killFolder: string | undefined;
  /** Enforcer of each limit that a group took over. */
  readonly enforcers: ReadonlyMap<LimitName, LimitBackend>;
  readonly #memory: Controller | undefined;
  readonly #pids: Controller | undefined;

  constructor(layout: CgroupLayout, name: string, holdTree: boolean, limits: KernelLimits) {
    const folders = new Set<string>();
    const enforcers = new Map<LimitName, LimitBackend>();
    const group = (parent: string): string => {
      const folder = join(parent, name);
      mkdirSync(folder, { recursive: true });
      folders.add(folder);
      return folder;
    };
    if (holdTree && layout.killFolder !== undefined) this.killFolder = group(layout.killFolder);
    const limit = (
      limitName: LimitName,
      controller: Controller | undefined,
      value: number | undefined,
      set: ControlWriter,
    ): Controller | undefined => {
      if (value === undefined || controller === undefined) return undefined;
      const folder = group(controller.folder);
      if (!set(folder, controller.version, value)) return undefined;
      enforcers.set(limitName, controller.version);
      return { version: controller.version, folder };
    };
    const { memory, pids, cpu } = layout.controllers;
    this.#memory = limit("memoryBytes", memory, limits.memoryBytes, setMemory);
    this.#pids = limit("processes", pids, limits.processes, setProcesses);
    limit("cpuCores", cpu, limits.cpuCores, setCores);
    // Every v2 group counts its CPU time, whether or not it has the controller.
    if (limits.cpuSeconds !== undefined && this.killFolder !== undefined) {
      enforcers.set("cpuSeconds", "cgroup2");
    }
    this.folders = [...folders];
    this.enforcers = enforcers;
  }

  /** The limit that the kernel has enforced, if any. */
  fired(): LimitName | undefined {
    if (this.#memory !== undefined) {
      const file = this.#memory.version === "cgroup2" ? "memory.events" : "memory.oom_control";
      if (readCounter(this.#memory.folder, file, "oom_kill") > 0) return "memoryBytes";
    }
    if (this.#pids !== undefined && readCounter(this.#pids.folder, "pids.events", "max") > 0) {
      return "processes";
    }
    return undefined;
  }

  /** CPU time that the whole tree has used. */
  cpuSeconds(): number {
    return this.killFolder === undefined ? 0 : readCounter(this.killFolder, "cpu.stat", "usage_usec") / 1e6;
  }

  close(): void {
    for (const folder of this.folders) removeGroup(folder);
  }
}

type ControlWriter = (folder: string, version: Controller["version"], value: number) => boolean;

const setMemory: ControlWriter = (folder, version, value) => {
  if (version === "cgroup1") {
    const set = writeControl(folder, "memory.limit_in_bytes", String(value));
    // Swap would let it grow on; the file exists only where swap is counted.
    writeControl(folder, "memory.memsw.limit_in_bytes", String(value));
    return set;
  }
  writeControl(folder, "memory.swap.max", "0");
  writeControl(folder, "memory.oom.group", "1");
  return writeControl(folder, "memory.max", String(value));
};

const setProcesses: ControlWriter = (folder, _version, value) =>
  writeControl(folder, "pids.max", String(value));

const setCores: ControlWriter = (folder, version, value) => {
  const quotaUs = Math.max(1000, Math.round(value * periodUs));
  if (version === "cgroup2") return writeControl(folder, "cpu.max", `${quotaUs} ${periodUs}`);
  return (
    writeControl(folder, "cpu.cfs_period_us", String(periodUs)) &&
    writeControl(folder, "cpu.cfs_quota_us", String(quotaUs))
  );
};

function readCounter(folder: string, file: string, name: string): number {
  const match = new RegExp(`^${name} (\\d+)`, "m").exec(readControl(folder, file) ?? "");
  return Number(match?.[1] ?? 0);
}

/**
 * A tree that the kernel keeps: nothing that a process does takes it out of its group. The leader is looked after by
 * its pid as well, because in its first moment it has not joined the group yet.
 */
export class CgroupTree implements Tree {
  readonly mechanism = "cgroup";
  readonly #folder: string;
  readonly #leader: TreeLeader;

  constructor(folder: string, leader: TreeLeader) {
    this.#folder = folder;
    this.#leader = leader;
  }

  async members(): Promise<number[]> {
    const { pid, startTime } = this.#leader;
    const pids = readCounter(this.#folder, "cgroup.events", "populated") === 0 ? [] : readPids(this.#folder);
    return pids.includes(pid) || !isSameProcess(pid, startTime) ? pids : [pid, ...pids];
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    for (const pid of await this.members()) signalPid(pid, signal);
  }

  async kill(): Promise<void> {
    const { pid, startTime } = this.#leader;
    if (isSameProcess(pid, startTime)) signalPid(pid, "SIGKILL");
    writeControl(this.#folder, "cgroup.kill", "1");
  }

  close(): void {
    removeGroup(this.#folder);
  }
}

/** With the subgroups that the command may have made itself. */
function readPids(folder: string): number[] {
  const own = (readControl(folder, "cgroup.procs") ?? "").split("\n").filter(Boolean).map(Number);
  return [...own, ...listFolders(folder).flatMap((name) => readPids(join(folder, name)))];
}

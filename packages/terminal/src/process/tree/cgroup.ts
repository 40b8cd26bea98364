// The cgroups of one run: the v2 group that holds its tree, and the groups that limit it (T20, T25).
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { effectiveLimits } from "../limits.ts";
import type { FiredLimit, KernelLimits, LimitBackend, LimitName, LimitScope } from "../port.ts";
import { type CgroupLayout, listFolders, readControl, removeGroup, writeControl } from "./cgroup-layout.ts";
import {
  LIMIT_CONTROLS,
  type LimitedGroup,
  type SharedLimitName,
  readCounter,
  readLimit,
  readWrittenBytes,
  sharedNames,
} from "./limit-controls.ts";
import type { MarkerSearch } from "./marker-search.ts";
import { isSameProcess } from "./process-table.ts";
import { ScopeGroups } from "./scope-groups.ts";
import { signalPid, type Tree, type TreeLeader } from "./tree.ts";

/** Parameters of a run's groups. */
export interface RunCgroupsRequest {
  readonly name: string;
  /** Whether a group holds the tree together. */
  readonly holdTree: boolean;
  readonly limits: KernelLimits;
  readonly scopes: readonly LimitScope[];
  /** Processes of ours that are in the group, and do not count for the caller: the one that waits for a sandboxed command. */
  readonly ownProcesses: number;
}

/** The groups that a run's processes join, made before it starts. */
export class RunCgroups {
  /** Folders whose `cgroup.procs` the child writes itself into. */
  readonly folders: readonly string[];
  /** The v2 group that can be killed as one; undefined when only limits are held by groups. */
  readonly killFolder: string | undefined;
  /** Enforcer of each limit that a group took over. */
  readonly enforcers: ReadonlyMap<LimitName, LimitBackend>;
  readonly #effective: ReadonlyMap<LimitName, FiredLimit>;
  readonly #scopes: ScopeGroups;
  readonly #groups: Partial<Record<SharedLimitName, LimitedGroup>> = {};
  readonly #countsIo: boolean;
  readonly #limits: KernelLimits;
  readonly #ownProcesses: number;

  constructor(layout: CgroupLayout, request: RunCgroupsRequest) {
    const { name, holdTree, limits, scopes, ownProcesses } = request;
    this.#limits = limits;
    this.#ownProcesses = ownProcesses;
    this.#effective = effectiveLimits(limits, scopes);
    this.#scopes = new ScopeGroups(layout, scopes);
    const folders = new Set<string>();
    const enforcers = new Map<LimitName, LimitBackend>();
    const group = (parent: string): string => {
      const folder = join(parent, this.#scopes.path, name);
      mkdirSync(folder, { recursive: true });
      folders.add(folder);
      return folder;
    };
    if (holdTree && layout.killFolder !== undefined) this.killFolder = group(layout.killFolder);
    for (const limit of sharedNames) {
      const { controller: controllerName, set, hits } = LIMIT_CONTROLS[limit];
      const controller = layout.controllers[controllerName];
      if (controller === undefined || !this.#effective.has(limit)) continue;
      const { version } = controller;
      const folder = group(controller.folder);
      // A scope's limits are held by its own group alone, so that it can be changed for all at once.
      const value = this.#heldValue(limit);
      if (value !== undefined && !set(folder, version, value)) continue;
      // A tree of which the kernel killed one process is ended as a whole.
      if (limit === "memoryBytes") writeControl(folder, "memory.oom.group", "1");
      enforcers.set(limit, version);
      this.#groups[limit] = { version, folder, hitsBefore: hits(folder, version) };
    }
    // Every v2 group counts its CPU time, whether or not it has the controller.
    if (limits.cpuSeconds !== undefined && this.killFolder !== undefined) {
      enforcers.set("cpuSeconds", "cgroup2");
    }
    this.#countsIo = layout.controllers.io !== undefined && this.killFolder !== undefined;
    if (limits.diskWriteBytes !== undefined && this.#countsIo) enforcers.set("diskWriteBytes", "cgroup2");
    this.folders = [...folders];
    this.enforcers = enforcers;
  }

  /** The limit that the kernel has enforced, if any. */
  fired(): FiredLimit | undefined {
    const { memoryBytes: memory, processes } = this.#groups;
    if (memory !== undefined) {
      const file = memory.version === "cgroup2" ? "memory.events" : "memory.oom_control";
      if (readCounter(memory.folder, file, "oom_kill") > 0) return this.#reached("memoryBytes", memory);
    }
    if (processes !== undefined) {
      const isRefused = readCounter(processes.folder, "pids.events", "max") > 0;
      if (isRefused || this.#scopeReached("processes") !== undefined) {
        return this.#reached("processes", processes);
      }
    }
    return undefined;
  }

  /** CPU time that the whole tree has used. */
  cpuSeconds(): number {
    return this.killFolder === undefined ? 0 : readCounter(this.killFolder, "cpu.stat", "usage_usec") / 1e6;
  }

  /** Bytes that the whole tree has written to disks, where a controller counts them. */
  writtenBytes(): number {
    return this.#countsIo && this.killFolder !== undefined ? readWrittenBytes(this.killFolder) : 0;
  }

  close(): void {
    for (const folder of this.folders) removeGroup(folder);
    this.#scopes.close();
  }

  /** The level at which a limit was reached: the run's own, or that of a scope around it. */
  #reached(name: SharedLimitName, group: LimitedGroup): FiredLimit | undefined {
    const value = this.#limits[name];
    const own = value === undefined ? undefined : ({ name, value, level: "command" } as const);
    const isOwn =
      name === "processes"
        ? Number(readControl(group.folder, "pids.peak") ?? 0) >= (this.#heldValue(name) ?? Infinity)
        : LIMIT_CONTROLS[name].hits(group.folder, group.version) > group.hitsBefore;
    if (own !== undefined && isOwn) return own;
    return this.#scopeReached(name) ?? this.#strictestScope(name) ?? own;
  }

  /** The value that the run's own group is given. */
  #heldValue(name: SharedLimitName): number | undefined {
    const value = this.#limits[name];
    return value === undefined || name !== "processes" ? value : value + this.#ownProcesses;
  }

  #scopeReached(name: SharedLimitName): FiredLimit | undefined {
    for (const { scope, groups } of this.#scopes.entered) {
      const group = groups[name];
      const value = scope.limits[name];
      if (group === undefined || value === undefined) continue;
      const hits = LIMIT_CONTROLS[name].hits(group.folder, group.version);
      if (hits > group.hitsBefore) {
        return { name, value: readLimit(name, group, value), level: scope.level };
      }
    }
    return undefined;
  }

  /** Version 1 does not count at which group a fork was refused: it is taken to be the scope with the lowest limit. */
  #strictestScope(name: SharedLimitName): FiredLimit | undefined {
    const current = this.#scopes.entered.flatMap(({ scope, groups }): LimitScope[] => {
      const [group, value] = [groups[name], scope.limits[name]];
      if (group === undefined || value === undefined) return [];
      return [{ ...scope, limits: { [name]: readLimit(name, group, value) } }];
    });
    return effectiveLimits({}, current.toReversed()).get(name);
  }
}

/** While something is in its group, a tree's processes outside of it are looked for no more often than this. */
const straySearchMs = 10_000;
/** TERM, HUP and CONT of one end share a search. */
const signalSearchMs = 100;

/**
 * A tree that the kernel keeps. The leader is looked after by its pid as well, because in its first moment it has not
 * joined the group yet. A process that may write to other groups can leave: it is found by its marker, when its group
 * is empty, when the tree is ended, and every ten seconds in between (T661).
 */
export class CgroupTree implements Tree {
  readonly mechanism = "cgroup";
  readonly #folder: string;
  readonly #leader: TreeLeader;
  readonly #markers: MarkerSearch;

  constructor(folder: string, leader: TreeLeader, markers: MarkerSearch) {
    this.#folder = folder;
    this.#leader = leader;
    this.#markers = markers;
  }

  async members(): Promise<number[]> {
    const inside = this.#inside();
    return this.#withStrays(inside, inside.length === 0 ? 0 : straySearchMs);
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    for (const pid of this.#withStrays(this.#inside(), signalSearchMs)) signalPid(pid, signal);
  }

  async kill(): Promise<void> {
    const { pid, startTime } = this.#leader;
    if (isSameProcess(pid, startTime)) signalPid(pid, "SIGKILL");
    writeControl(this.#folder, "cgroup.kill", "1");
    this.#killStrays();
  }

  close(): void {
    removeGroup(this.#folder);
  }

  #inside(): number[] {
    const { pid, startTime } = this.#leader;
    const pids = readCounter(this.#folder, "cgroup.events", "populated") === 0 ? [] : readPids(this.#folder);
    return pids.includes(pid) || !isSameProcess(pid, startTime) ? pids : [pid, ...pids];
  }

  #withStrays(inside: readonly number[], maxAgeMs: number): number[] {
    return [...new Set([...inside, ...this.#markers.find(this.#leader.marker, maxAgeMs)])];
  }

  /** Stops them first, so that none can fork away between the look and the KILL. */
  #killStrays(): void {
    const stopped = new Set<number>();
    for (let found = true; found;) {
      found = false;
      for (const pid of this.#markers.find(this.#leader.marker, 0)) {
        if (stopped.has(pid)) continue;
        stopped.add(pid);
        found = signalPid(pid, "SIGSTOP") || found;
      }
    }
    for (const pid of this.#markers.find(this.#leader.marker, 0)) signalPid(pid, "SIGKILL");
  }
}

/** With the subgroups that the command may have made itself. */
function readPids(folder: string): number[] {
  const own = (readControl(folder, "cgroup.procs") ?? "").split("\n").filter(Boolean).map(Number);
  return [...own, ...listFolders(folder).flatMap((name) => readPids(join(folder, name)))];
}

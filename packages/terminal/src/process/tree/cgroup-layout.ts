// Finds out which cgroup hierarchies this machine has and which of them the engine may use.
import { execFileSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isSameProcess, readStartTime } from "./process-table.ts";

/** A controller that can limit, and the folder under which groups for it are made. */
export interface Controller {
  readonly version: "cgroup2" | "cgroup1";
  readonly folder: string;
}

/** The limits that need a controller. */
export type ControllerName = "memory" | "pids" | "cpu" | "io";

/** cgroups that may be used on this machine. */
export interface CgroupLayout {
  /** Our folder in the v2 hierarchy, where `cgroup.kill` works; undefined where there is none. */
  readonly killFolder: string | undefined;
  readonly controllers: Readonly<Partial<Record<ControllerName, Controller>>>;
}

/** The name of our folder in each hierarchy; pid and start time say whose it is. */
export const ownFolderName = (): string => `holdfast-${process.pid}-${readStartTime(process.pid) ?? 0}`;

/** Looks once, making the folder that all our groups will live in. */
export function findCgroups(): CgroupLayout {
  const mounts = readMounts();
  const paths = readOwnPaths();
  const killFolder = findKillFolder(mounts.get("cgroup2"), paths.get(""));
  const controllers: Partial<Record<ControllerName, Controller>> = {};
  for (const name of ["memory", "pids", "cpu"] as const) {
    const controller = findController(name, killFolder, mounts.get(name), paths.get(name));
    if (controller !== undefined) controllers[name] = controller;
  }
  // Version 1 counts only what bypasses the page cache: of use to nobody.
  const io = findController("io", killFolder, undefined, undefined);
  if (io !== undefined) controllers.io = io;
  return { killFolder, controllers };
}

/** Removes the folder again; nothing may be running in it. */
export function leaveCgroups(layout: CgroupLayout): void {
  const { memory, pids, cpu } = layout.controllers;
  const folders = [layout.killFolder, memory?.folder, pids?.folder, cpu?.folder];
  for (const folder of new Set(folders)) if (folder !== undefined) removeGroup(folder);
}

/** Removes an empty group and its empty subgroups; a group that is still in use is left alone. */
export function removeGroup(folder: string): boolean {
  try {
    for (const name of listFolders(folder)) removeGroup(join(folder, name));
    rmdirSync(folder);
    return true;
  } catch {
    // EBUSY: something lives in it. ENOENT: somebody removed it before us.
    return !existsSync(folder);
  }
}

/** Mount points: the v2 hierarchy as `cgroup2`, each v1 controller by its name. */
function readMounts(): Map<string, string> {
  const mounts = new Map<string, string>();
  for (const line of readFileSync("/proc/self/mounts", "utf8").split("\n")) {
    const [, point = "", type, options = ""] = line.split(" ");
    if (type === "cgroup2") mounts.set("cgroup2", point);
    if (type === "cgroup") for (const option of options.split(",")) mounts.set(option, point);
  }
  return mounts;
}

/** Our own place in each hierarchy: the v2 one under the empty name. */
function readOwnPaths(): Map<string, string> {
  const paths = new Map<string, string>();
  for (const line of readFileSync("/proc/self/cgroup", "utf8").split("\n")) {
    const match = /^\d+:([^:]*):(.*)$/.exec(line);
    if (match !== null) for (const name of (match[1] ?? "").split(",")) paths.set(name, match[2] ?? "/");
  }
  return paths;
}

/**
 * Tries our own group first, then its parent: a service manager that delegates a subtree puts the service into a
 * leaf of it, and only the group above may have children with controllers.
 */
function findKillFolder(mount: string | undefined, own: string | undefined): string | undefined {
  if (mount === undefined || own === undefined) return undefined;
  for (const base of new Set([join(mount, own), dirname(join(mount, own))])) {
    if (!base.startsWith(mount)) continue;
    reapLeftovers(base);
    const folder = join(base, ownFolderName());
    if (canHold(folder)) return folder;
  }
  return undefined;
}

/** The only proof that a process can be moved into a group is to move one. */
function canHold(folder: string): boolean {
  const probe = join(folder, "probe");
  try {
    mkdirSync(probe, { recursive: true });
    accessSync(join(probe, "cgroup.kill"), constants.W_OK);
    execFileSync("/bin/sh", ["-c", 'echo 0 > "$0/cgroup.procs"', probe], { stdio: "ignore", timeout: 5000 });
    return true;
  } catch {
    // Not writable for us, or a kernel before 5.14: the engine continues without.
    removeGroup(folder);
    return false;
  } finally {
    removeGroup(probe);
  }
}

/** Ends what a host left behind that died together with its helper; the folder's name says who made it. */
function reapLeftovers(base: string): void {
  for (const name of listFolders(base)) {
    const match = /^holdfast-(\d+)-(\d+)$/.exec(name);
    if (match === null || isSameProcess(Number(match[1]), Number(match[2]))) continue;
    const folder = join(base, name);
    for (const group of listFolders(folder)) writeControl(join(folder, group), "cgroup.kill", "1");
    removeGroup(folder);
  }
}

/** The groups inside a group, by name. */
export function listFolders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch {
    // Gone, or not ours to read: then nothing in it is ours either.
    return [];
  }
}

/** Writes one control file; false when the kernel refuses. */
export function writeControl(folder: string, file: string, value: string): boolean {
  try {
    writeFileSync(join(folder, file), value);
    return true;
  } catch {
    // The caller knows what a refusal means for it.
    return false;
  }
}

/** Reads one control file; undefined when it is not there. */
export function readControl(folder: string, file: string): string | undefined {
  try {
    return readFileSync(join(folder, file), "utf8");
  } catch {
    // The group or the controller is gone.
    return undefined;
  }
}

function findController(
  name: ControllerName,
  killFolder: string | undefined,
  mount: string | undefined,
  own: string | undefined,
): Controller | undefined {
  if (killFolder !== undefined && enableController(killFolder, name)) {
    return { version: "cgroup2", folder: killFolder };
  }
  if (mount === undefined || own === undefined) return undefined;
  reapLeftovers(join(mount, own));
  const folder = join(mount, own, ownFolderName());
  try {
    mkdirSync(folder, { recursive: true });
    // Made again when a run is limited: most hosts never need it, and what is not there cannot be left behind.
    removeGroup(folder);
    return { version: "cgroup1", folder };
  } catch {
    // Read-only, or not delegated to us.
    return undefined;
  }
}

/** A controller reaches our groups only if each group above passes it on. */
function enableController(killFolder: string, name: ControllerName): boolean {
  const parent = dirname(killFolder);
  const offered = (folder: string): boolean =>
    (readControl(folder, "cgroup.controllers") ?? "").split(/\s+/).includes(name);
  if (
    !offered(killFolder) &&
    !(offered(parent) && writeControl(parent, "cgroup.subtree_control", `+${name}`))
  ) {
    return false;
  }
  return offered(killFolder) && writeControl(killFolder, "cgroup.subtree_control", `+${name}`);
}

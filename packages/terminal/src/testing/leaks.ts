// Counts what a test file could leave behind: descriptors, processes, files, cgroups.
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { readCommandLine } from "../process/tree/process-table.ts";
import { afterAll, expect } from "vitest";

interface Inventory {
  readonly descriptors: string[];
  readonly processes: string[];
  readonly files: string[];
  readonly groups: string[];
}

/** Fails the test file if anything is there after it that was not there before. To be called first of all. */
export function guardLeaks(): void {
  const before = takeInventory();
  afterAll(async () => {
    // What is closing may take a moment; what leaks stays.
    for (let tries = 0; tries < 100 && !isClean(takeInventory(), before); tries += 1) await sleep(20);
    const { descriptors, ...after } = takeInventory();
    // The test runner closes descriptors of its own meanwhile: only what is new counts.
    expect(subtract(descriptors, before.descriptors)).toEqual([]);
    expect(after).toEqual({ processes: before.processes, files: before.files, groups: before.groups });
  });
}

function isClean(now: Inventory, before: Inventory): boolean {
  return (
    subtract(now.descriptors, before.descriptors).length === 0 &&
    String(now.processes) === String(before.processes) &&
    String([now.files, now.groups]) === String([before.files, before.groups])
  );
}

/** What is in `all` more often than in `known`. */
function subtract(all: readonly string[], known: readonly string[]): string[] {
  const left = [...known];
  return all.filter((item) => {
    const at = left.indexOf(item);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function takeInventory(): Inventory {
  return {
    descriptors: listDescriptors(),
    processes: listDescendants(process.pid),
    files: listOurs(tmpdir(), /^holdfast-fifos-(\d+)-/),
    groups: groupRoots.flatMap((root) => listOurs(root, /^holdfast-(\d+)-/)),
  };
}

const groupRoots = [
  "/sys/fs/cgroup",
  "/sys/fs/cgroup/unified",
  "/sys/fs/cgroup/memory",
  "/sys/fs/cgroup/pids",
  "/sys/fs/cgroup/cpu",
];

/** Entries named after a spawn helper of ours, or after one that is dead; those of a test file beside us are not ours. */
function listOurs(folder: string, pattern: RegExp): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // This hierarchy is not mounted here.
    return [];
  }
  return names.filter((name) => {
    const pid = pattern.exec(name)?.[1];
    if (pid === undefined) return false;
    const parent = readParent(Number(pid));
    return parent === undefined || parent === process.pid;
  });
}

function readParent(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    // It ended while we looked.
    return undefined;
  }
}

function listDescriptors(): string[] {
  const kinds: string[] = [];
  for (const name of readdirSync("/proc/self/fd")) {
    try {
      // Numbers and inodes change; what counts is how many of which kind.
      kinds.push(readlinkSync(`/proc/self/fd/${name}`).replace(/\[?\d+\]?/g, ""));
    } catch {
      // The descriptor of this listing.
    }
  }
  return kinds.filter((kind) => !kind.includes("/proc/")).toSorted();
}

function listDescendants(root: number): string[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const parent = readParent(Number(name));
    if (parent !== undefined) parents.set(Number(name), parent);
  }
  const isDescendant = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || isDescendant(parent));
  };
  return [...parents.keys()]
    .filter(isDescendant)
    .map((pid) => readCommandLine(pid))
    .toSorted();
}

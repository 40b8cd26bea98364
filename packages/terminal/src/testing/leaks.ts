// Counts what a test file could leave behind: descriptors, processes, files, cgroups.
import { subscribe } from "node:diagnostics_channel";
import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sharedFolder } from "../process/helper/fifo-folder.ts";
import { readCommandLine } from "../process/tree/process-table.ts";
import { afterAll, expect } from "vitest";

interface Inventory {
  readonly descriptors: string[];
  readonly processes: string[];
  readonly files: string[];
  readonly groups: string[];
}

/** Children of this test file; the name of a cgroup identifies its maker, also when that one is dead. */
const children: ChildProcess[] = [];
subscribe("child_process", (message) => {
  children.push((message as { process: ChildProcess }).process);
});

/** Fails the test file if anything is there after it that was not there before. To be called first of all. */
export function guardLeaks(): void {
  const temporary = useOwnTemporaryFolder();
  const before = takeInventory();
  afterAll(async () => {
    // A resource that is closing may take a moment; one that leaks stays.
    for (let tries = 0; tries < 500 && !isClean(takeInventory(), before); tries += 1) await sleep(20);
    const { descriptors, ...after } = takeInventory();
    // The test runner closes descriptors meanwhile: only what is new counts.
    expect(subtract(descriptors, before.descriptors)).toEqual([]);
    temporary.remove();
    // A group that an earlier file's killed helper left may be removed meanwhile.
    const groups = subtract(after.groups, before.groups);
    expect({ ...after, groups }).toEqual({ processes: before.processes, files: before.files, groups: [] });
  });
}

/** Test files run side by side, and the folders that one has in use are no leaks of another. */
function useOwnTemporaryFolder(): { remove: () => void } {
  const shared = process.env["TMPDIR"];
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-leaks-"));
  // Some tests run programs as another user.
  chmodSync(folder, 0o755);
  process.env["TMPDIR"] = folder;
  return {
    remove: () => {
      if (shared === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = shared;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isClean(now: Inventory, before: Inventory): boolean {
  return (
    subtract(now.descriptors, before.descriptors).length === 0 &&
    String(now.processes) === String(before.processes) &&
    String(now.files) === String(before.files) &&
    subtract(now.groups, before.groups).length === 0
  );
}

/** Elements that are in `all` more often than in `known`. */
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
    files: [tmpdir(), sharedFolder()].flatMap(listFifoFolders),
    groups: groupRoots.flatMap(listOurGroups),
  };
}

function listFifoFolders(parent: string): string[] {
  try {
    return readdirSync(parent).filter((name) => name.startsWith("holdfast-fifos-"));
  } catch {
    // No helper has run yet.
    return [];
  }
}

const groupRoots = [
  "/sys/fs/cgroup",
  "/sys/fs/cgroup/unified",
  "/sys/fs/cgroup/memory",
  "/sys/fs/cgroup/pids",
  "/sys/fs/cgroup/cpu",
];

function listOurGroups(root: string): string[] {
  let names: string[];
  try {
    names = readdirSync(root);
  } catch {
    // This hierarchy is not mounted here.
    return [];
  }
  const pids = new Set(children.map((child) => String(child.pid)));
  return names.filter((name) => pids.has(/^holdfast-(\d+)-/.exec(name)?.[1] ?? ""));
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

/** The browser that page tests share stays for later files, and starts and ends processes when it likes. */
function isSharedBrowser(pid: number): boolean {
  return readCommandLine(pid).includes("--remote-debugging-pipe");
}

function listDescendants(root: number): string[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const parent = readParent(Number(name));
    if (parent !== undefined) parents.set(Number(name), parent);
  }
  const isDescendant = (pid: number): boolean => {
    const parent = parents.get(pid);
    if (parent === root) return !isSharedBrowser(pid);
    return parent !== undefined && isDescendant(parent);
  };
  return [...parents.keys()]
    .filter(isDescendant)
    .map((pid) => readCommandLine(pid))
    .toSorted();
}

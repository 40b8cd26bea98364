// Finds processes by an argument that no other process has, and what a test file leaves behind.
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect } from "vitest";
import { sharedProcessPort } from "./shared-process-port.ts";

let count = 0;

/** A number of seconds for `sleep`, long and unlike any other. */
export function uniqueSeconds(): string {
  count += 1;
  return `${80_000 + (process.pid % 9000)}.${Date.now() % 1_000_000}${count}`;
}

/** The processes whose command line holds this text. */
export function findByArgument(argument: string): string[] {
  return listProcesses()
    .filter(({ pid, line }) => pid !== process.pid && line.includes(argument))
    .map(({ pid, line }) => `${pid} ${line}`);
}

/** Waits until there is none, or three seconds have passed; returns what is still there. */
export async function untilGone(argument: string): Promise<string[]> {
  for (let tries = 0; tries < 150 && findByArgument(argument).length > 0; tries += 1) await sleep(20);
  return findByArgument(argument);
}

/** Whether a process is alive. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat[stat.lastIndexOf(")") + 2] !== "Z";
  } catch {
    // It is gone.
    return false;
  }
}

/** Fails the test file if processes, descriptors or files are there after it that were not before. Call it first. */
export function guardLeaks(): void {
  // Its helper stays for later files.
  sharedProcessPort();
  const before = takeInventory();
  afterAll(async () => {
    // Handles that are closing may take a moment; those that leak stay.
    for (let tries = 0; tries < 100 && subtract(takeInventory(), before).length > 0; tries += 1) {
      await sleep(20);
    }
    expect(subtract(takeInventory(), before)).toEqual([]);
  });
}

function takeInventory(): string[] {
  // The browser that page tests share stays for later files, and starts and ends processes when it likes.
  const others = listProcesses().filter(({ line }) => !line.includes("--remote-debugging-pipe"));
  const parents = new Map(others.map(({ pid, parent }) => [pid, parent]));
  const descends = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === process.pid || descends(parent));
  };
  const children = others.filter(({ pid }) => descends(pid));
  return [...children.map(({ line }) => `process ${line}`), ...listDescriptors()];
}

function listDescriptors(): string[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      // Numbers and inodes change; what counts is how many of which kind.
      const target = readlinkSync(`/proc/self/fd/${name}`).replaceAll(/\d+/g, "N");
      return target.startsWith("/proc/") ? [] : [`descriptor ${target}`];
    } catch {
      // The descriptor of this listing.
      return [];
    }
  });
}

/** The items that `all` has more often than `known`. */
function subtract(all: readonly string[], known: readonly string[]): string[] {
  const left = [...known];
  return all.filter((item) => {
    const at = left.indexOf(item);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function listProcesses(): { pid: number; parent: number; line: string }[] {
  const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return names.flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const line = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      return state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent), line }];
    } catch {
      // It ended while we looked.
      return [];
    }
  });
}

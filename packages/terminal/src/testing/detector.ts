// Finds processes by an argument that no other process has: not by the marker, the group or anything the engine uses.
import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

let count = 0;

/** A number of seconds for `sleep`, long and unlike any other. */
export function uniqueSeconds(): string {
  count += 1;
  return `${90_000 + (process.pid % 9000)}.${Date.now() % 1_000_000}${count}`;
}

/** The command lines of all live processes that have this text in an argument. */
export function findByArgument(argument: string): string[] {
  const found: string[] = [];
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      if (Number(name) === process.pid || !words.includes(argument)) continue;
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const state = stat.slice(stat.lastIndexOf(")") + 2)[0];
      if (state !== "Z") found.push(`${name} ${words}`);
    } catch {
      // It ended while we looked.
    }
  }
  return found;
}

/** Waits until none is left, or four seconds have passed; returns what is still there. */
export async function untilGone(argument: string): Promise<string[]> {
  for (let tries = 0; tries < 200 && findByArgument(argument).length > 0; tries += 1) await sleep(20);
  return findByArgument(argument);
}

// A list on disk of the first process of each run, so that a keeper can end what one before it left when it was killed.
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readStartTime } from "../process/tree/process-table.ts";
import type { TreeLeader } from "../process/tree/tree.ts";

/** The list is written again when it has this many lines more than runs. */
const slackLines = 1000;

/** Lines: `+ id JSON` for a start, `- id` for a release. */
export class Leaders {
  readonly #path: string;
  readonly #leaders = new Map<string, TreeLeader>();
  #lines = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The processes that an earlier keeper's list names; then the list is empty. */
  takeLeftovers(): TreeLeader[] {
    const found = readLeaders(this.#path);
    rmSync(this.#path, { force: true });
    return found;
  }

  add(id: string, pid: number, marker: string): void {
    const leader: TreeLeader = { pid, startTime: readStartTime(pid), marker };
    this.#leaders.set(id, leader);
    this.#append(`+ ${id} ${JSON.stringify(leader)}\n`);
  }

  remove(id: string): void {
    if (this.#leaders.delete(id)) this.#append(`- ${id}\n`);
  }

  close(): void {
    rmSync(this.#path, { force: true });
  }

  #append(line: string): void {
    this.#lines += 1;
    try {
      if (this.#lines <= this.#leaders.size + slackLines) {
        appendFileSync(this.#path, line, { mode: 0o600 });
        return;
      }
      this.#lines = this.#leaders.size;
      const lines = [...this.#leaders].map(([id, leader]) => `+ ${id} ${JSON.stringify(leader)}\n`);
      writeFileSync(this.#path, lines.join(""), { mode: 0o600 });
    } catch {
      // A full disk: the spawn helper ends what a killed keeper left; only if it is killed too is the list missed.
    }
  }
}

function readLeaders(path: string): TreeLeader[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // There was no keeper, or it ended in order.
    return [];
  }
  const leaders = new Map<string, TreeLeader>();
  for (const line of text.split("\n")) {
    const [, sign, id = "", json = ""] = /^([+-]) (\S+)(?: (.*))?$/.exec(line) ?? [];
    if (sign === "-") leaders.delete(id);
    const leader = sign === "+" ? parseLeader(json) : undefined;
    if (leader !== undefined) leaders.set(id, leader);
  }
  return [...leaders.values()];
}

function parseLeader(json: string): TreeLeader | undefined {
  try {
    return JSON.parse(json) as TreeLeader;
  } catch {
    // The last line of a keeper that was killed while it wrote.
    return undefined;
  }
}

// The lock of a keeper: one for each home, held by a process that is alive.
import { execFileSync } from "node:child_process";
import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { platform } from "../process/platform.ts";
import { systemProgramPath } from "../sandbox/system-program.ts";
import { isSameProcess, readStartTime } from "../process/tree/process-table.ts";

/** A process that has a lock. */
export interface LockHolder {
  readonly pid: number;
  readonly isAlive: () => boolean;
}

/** The file names its holder by pid and start time. */
export class KeeperLock {
  readonly #path: string;
  readonly #text = `${process.pid} ${startOf(process.pid)}\n`;

  constructor(path: string) {
    this.#path = path;
  }

  /** Takes the lock; else the pid of the keeper that has it. */
  take(): number | undefined {
    const own = `${this.#path}.${process.pid}`;
    writeFileSync(own, this.#text, { mode: 0o600 });
    try {
      for (;;) {
        if (link(own, this.#path)) return undefined;
        const holder = readHolder(this.#path);
        if (holder === undefined) continue;
        if (holder.isAlive) return holder.pid;
        this.#removeStale(holder.text);
      }
    } finally {
      rmSync(own, { force: true });
    }
  }

  /** Gives it back, if it is still ours. */
  close(): void {
    if (readHolder(this.#path)?.text === this.#text) rmSync(this.#path, { force: true });
  }

  /** Another keeper may have removed it and taken the lock meanwhile: then that one gets it back. */
  #removeStale(text: string): void {
    const aside = `${this.#path}.stale.${process.pid}`;
    try {
      renameSync(this.#path, aside);
    } catch {
      // Removed by another.
      return;
    }
    if (readFileSync(aside, "latin1") !== text) link(aside, this.#path);
    unlinkSync(aside);
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** The living process that has a lock; it may give the lock back some time before it ends. */
export function findHolder(path: string): LockHolder | undefined {
  const holder = readHolder(path);
  if (holder?.isAlive !== true) return undefined;
  const { pid } = holder;
  const start = startOf(pid);
  return { pid, isAlive: () => start !== "" && startOf(pid) === start };
}

function readHolder(path: string): { text: string; pid: number; isAlive: boolean } | undefined {
  let text: string;
  try {
    text = readFileSync(path, "latin1");
  } catch {
    // Removed since.
    return undefined;
  }
  const [, pid = "", start = ""] = /^(\d+) (.*)$/.exec(text.trim()) ?? [];
  return { text, pid: Number(pid), isAlive: pid !== "" && startOf(Number(pid)) === start };
}

/** When a process started, in the system's words; empty when there is none. */
function startOf(pid: number): string {
  const startTime = readStartTime(pid);
  if (platform.hasProcFs) {
    return startTime !== undefined && isSameProcess(pid, startTime) ? String(startTime) : "";
  }
  try {
    return execFileSync(systemProgramPath("ps"), ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
    }).trim();
  } catch {
    // `ps` fails for a process that is not there.
    return "";
  }
}

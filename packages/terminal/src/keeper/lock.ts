// The lock of a keeper: one for each home, held by a process that is alive.
import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { isSameProcess, readStartTime } from "../process/tree/process-table.ts";

/** The file names its holder by pid and start time. */
export class KeeperLock {
  readonly #path: string;
  readonly #text = `${process.pid} ${readStartTime(process.pid) ?? 0}\n`;

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

function readHolder(path: string): { text: string; pid: number; isAlive: boolean } | undefined {
  let text: string;
  try {
    text = readFileSync(path, "latin1");
  } catch {
    // Removed since.
    return undefined;
  }
  const [pid = 0, startTime = 0] = text.trim().split(" ").map(Number);
  return { text, pid, isAlive: isRunning(pid, startTime) };
}

function isRunning(pid: number, startTime: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch {
    // The folder is this user's, so its holder could be signalled.
    return false;
  }
  return startTime === 0 || isSameProcess(pid, startTime);
}

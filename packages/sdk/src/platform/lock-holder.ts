// Holder of a home's lock: the host that runs, whose pid was not given to another process (X850).
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";

export interface LockHolder {
  readonly id: string;
  readonly pid: number;
  readonly startedAt: string;
}

/** The process that took the home's lock and still runs; undefined if there is none. */
export async function readLockHolder(home: string): Promise<LockHolder | undefined> {
  try {
    const text = await readFile(path.join(home, "lock"), "utf8");
    const { id = "", pid = 0, birth = "", startedAt = "" } = JSON.parse(text) as Partial<Recorded>;
    // A pid below 1 would mean a group of processes, or all of them.
    if (!(pid > 0) || !isAlive(pid)) return undefined;
    // Without a recorded birth, the system reports none, and the pid alone has to do.
    return birth === "" || birth === (await birthOf(pid)) ? { id, pid, startedAt } : undefined;
  } catch {
    // No lock, none that a host wrote, or a process that has ended meanwhile: nobody holds the home.
    return undefined;
  }
}

interface Recorded extends LockHolder {
  readonly birth: string;
}

/** When a process began, in the words in which the host writes it into the lock. Throws if there is no such process. */
async function birthOf(pid: number): Promise<string> {
  if (process.platform !== "linux") return birthByPs(pid);
  const bootId = await readFile("/proc/sys/kernel/random/boot_id", "latin1");
  const stat = await readFile(`/proc/${pid}/stat`, "latin1");
  // The second field is the program's name in brackets, which may itself hold blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? "" : `${bootId.trim()} ${fields[19]}`;
}

async function birthByPs(pid: number): Promise<string> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
    env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
    timeout: 2000,
  });
  const [state = "", ...birth] = stdout.trim().split(/\s+/);
  return state.startsWith("Z") ? "" : birth.join(" ");
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is still alive.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

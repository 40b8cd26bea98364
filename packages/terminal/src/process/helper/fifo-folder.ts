// Folder of a helper's FIFOs: its name says who owns it, and those of helpers that were killed are removed (T220).
import { mkdtempSync, readFileSync, readlinkSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platform } from "../platform.ts";

const ticksPerSecond = 100;
/** Between the clock of processes and that of files. */
const clockSlackMs = 2000;

/** Makes the folder of this process. */
export function makeFifoFolder(): string {
  return mkdtempSync(join(tmpdir(), `holdfast-fifos-${process.pid}-${pidNamespace()}-`));
}

/** Removes the folders of this user whose process, of the same pid namespace, is gone; all others stay. */
export async function removeStaleFifoFolders(): Promise<void> {
  const pattern = new RegExp(`^holdfast-fifos-(\\d+)-${pidNamespace()}-\\w+$`);
  for (const name of await readdir(tmpdir())) {
    const pid = Number(pattern.exec(name)?.[1] ?? 0);
    if (pid === 0 || pid === process.pid) continue;
    const folder = join(tmpdir(), name);
    try {
      const { uid, birthtimeMs } = await lstat(folder);
      if (uid !== process.getuid?.() || isOwnerAlive(pid, birthtimeMs)) continue;
      await rm(folder, { recursive: true, force: true });
    } catch {
      // Another helper was faster, or it is not ours to remove.
    }
  }
}

/** Whether the process that made a folder may still run; one that got its pid later began after the folder. */
function isOwnerAlive(pid: number, madeMs: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
  const startedMs = processStartMs(pid);
  return startedMs === undefined || startedMs <= madeMs + clockSlackMs;
}

/** Wall-clock start time of a process; undefined where the system does not report it. */
function processStartMs(pid: number): number | undefined {
  if (!platform.hasProcFs) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const ticks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
    const [upSeconds] = readFileSync("/proc/uptime", "latin1").split(" ");
    const startMs = Date.now() - (Number(upSeconds) - ticks / ticksPerSecond) * 1000;
    return Number.isFinite(startMs) ? startMs : undefined;
  } catch {
    return undefined;
  }
}

/** A pid means something in its namespace only; containers may share the temporary folder. */
function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}

// Looks at other programs from outside: whether they are there, and what CPU time they have used.
import { accessSync, constants, readFileSync } from "node:fs";
import path from "node:path";

/** True when a program of that name is in PATH. */
export function isInstalled(program: string): boolean {
  return (process.env["PATH"] ?? "").split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      // Not in this folder; the next may have it.
      return false;
    }
  });
}

/** Linux counts in hundredths of a second whatever the kernel's own clock does. */
const tickMs = 10;

/** User and system time of a living process; not a number where there is no /proc. */
export function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Fields 14 and 15, counted from 1 with the pid and the name that were cut off.
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    // The process has ended, or the system has no such file: then it is not known.
    return Number.NaN;
  }
}

// How much memory a host holds, seen from outside.
import { readFileSync } from "node:fs";

/** The resident memory of a process in MiB; undefined where the system does not report it. */
export function residentMiB(pid: number): number | undefined {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) / 1024;
  } catch {
    // Only Linux has such a file.
    return undefined;
  }
}

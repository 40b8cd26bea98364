// Identity of processes: whether a pid still belongs to the recorded process, and how Node is started again.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { systemCode } from "../command-error.ts";

/** A process for ever: its pid, and when it began in words that only compare. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Empty where the system does not report it; then the pid alone has to do. */
  readonly birth: string;
}

/** The process that has this pid now; undefined when there is none, or only its zombie. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!isTaken(pid)) return undefined;
  if (process.platform === "linux") return identifyByProcFs(pid);
  if (process.platform === "win32") return { pid, birth: "" };
  return identifyByPs(pid);
}

/** True while the process that was written down is running. */
export function isRunning({ pid, birth }: ProcessIdentity): boolean {
  const now = identifyProcess(pid);
  if (now === undefined) return false;
  return birth === "" || now.birth === "" || now.birth === birth;
}

function isTaken(pid: number): boolean {
  // Zero and negative numbers are process groups to kill(2).
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

function identifyByProcFs(pid: number): ProcessIdentity | undefined {
  let stat: string;
  let bootId: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    bootId = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    // It ended just now, or /proc is not mounted: a second look at the pid decides.
    return isTaken(pid) ? { pid, birth: "" } : undefined;
  }
  // The second field is the program's name in brackets, which may itself hold blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return undefined;
  // Ticks since boot repeat from boot to boot; with the boot's id they do not.
  return { pid, birth: `${bootId} ${fields[19] ?? ""}` };
}

function identifyByPs(pid: number): ProcessIdentity | undefined {
  try {
    // The time is printed in the caller's zone and language, and two callers must get the same text.
    const line = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      // Agents can add programs to folders of the host's PATH.
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 2000,
    }).trim();
    const [state = "", ...birth] = line.split(/\s+/);
    return state.startsWith("Z") ? undefined : { pid, birth: birth.join(" ") };
  } catch {
    // No row, or no `ps`: the pid alone has to do.
    return isTaken(pid) ? { pid, birth: "" } : undefined;
  }
}

/** Node's own flags for another start, so that it runs from source where we do. A debugger's port is taken. */
export function nodeFlags(): string[] {
  return process.execArgv
    .filter((flag) => !flag.startsWith("--inspect"))
    .map((flag, index, flags) => {
      // The other program starts in another folder, from where the name of a package resolves to nothing.
      return flags[index - 1] === "--import" ? import.meta.resolve(flag) : flag;
    });
}

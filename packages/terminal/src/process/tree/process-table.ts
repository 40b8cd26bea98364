// Reads the machine's process table: files under /proc on Linux, `ps` elsewhere.
import { execFile } from "node:child_process";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { systemProgramPath } from "../../sandbox/system-program.ts";
import { platform } from "../platform.ts";

/** One row of the process table. */
export interface ProcessRow {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** When it started, in a unit that only grows; with the pid it names a process for ever. */
  readonly startTime: number;
}

/** Every process that is not a zombie. */
export async function readProcessTable(): Promise<ProcessRow[]> {
  return platform.hasProcFs ? readProcFs() : readPs();
}

/** The row of one process, or undefined when it is gone or a zombie. */
function readProcessRow(pid: number): ProcessRow | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    // It ended since it was listed.
    return undefined;
  }
  return parseStat(pid, stat, false);
}

/** The parent of a process; undefined when the process is gone. */
export function readParentPid(pid: number): number | undefined {
  return readProcessRow(pid)?.parentPid;
}

/** The first child of a process; undefined when it has none. */
export async function findChild(parent: number): Promise<number | undefined> {
  try {
    const [child = ""] = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ");
    return child === "" ? undefined : Number(child);
  } catch {
    // A kernel without this file.
    return (await readProcessTable()).find((row) => row.parentPid === parent)?.pid;
  }
}

/** True while this pid still is the process that started then. Without /proc only the pid is compared. */
export function isSameProcess(pid: number, startTime: number | undefined): boolean {
  return !platform.hasProcFs || readProcessRow(pid)?.startTime === startTime;
}

/** The start time of a child that its parent has not reaped yet, so that even a zombie answers. */
export function readStartTime(pid: number): number | undefined {
  if (!platform.hasProcFs) return undefined;
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, "latin1"), true)?.startTime;
  } catch {
    // Without a start time the pid alone has to do.
    return undefined;
  }
}

/** True when the process was started with this entry (`NAME=value`) in its environment. */
export function hasInEnvironment(pid: number, entry: string): boolean {
  try {
    const environ = readFileSync(`/proc/${pid}/environ`);
    const at = environ.indexOf(entry, 0, "latin1");
    if (at === -1) return false;
    return (at === 0 || environ[at - 1] === 0) && (environ[at + entry.length] ?? 0) === 0;
  } catch {
    // It is gone, or it is another user's and so not ours.
    return false;
  }
}

/** The command line for people; the kernel's short name when it has none. */
export function readCommandLine(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").replace(/\0+$/, "").replaceAll("\0", " ");
    return words === "" ? `[${readFileSync(`/proc/${pid}/comm`, "utf8").trim()}]` : words;
  } catch {
    // It ended meanwhile, or there is no /proc.
    return "";
  }
}

/** How long command lines are waited for. */
const describeBoundMs = 200;

/**
 * Processes with their command lines, for people. The kernel makes readers wait while a process forks: one that does
 * nothing else is described by its short name.
 */
export async function describeProcesses(
  pids: readonly number[],
): Promise<{ readonly pid: number; readonly command: string }[]> {
  const lines = new Map<number, string>();
  const reads = pids.map(async (pid) => {
    // It may end meanwhile, and not every system has /proc.
    const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    lines.set(pid, words.replace(/\0+$/, "").replaceAll("\0", " "));
  });
  const bound = new AbortController();
  const late = sleep(describeBoundMs, undefined, { signal: bound.signal }).catch(() => {});
  await Promise.race([Promise.all(reads), late]);
  bound.abort();
  return pids.map((pid) => {
    const line = lines.get(pid) ?? "";
    return { pid, command: line === "" ? readName(pid) : line };
  });
}

/** The kernel's short name of a process, which is always there. */
function readName(pid: number): string {
  try {
    return `[${readFileSync(`/proc/${pid}/comm`, "utf8").trim()}]`;
  } catch {
    // It ended meanwhile, or there is no /proc.
    return "";
  }
}

/** Names the PID namespace of a process, or undefined when it is gone. */
export function readPidNamespace(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    // It is gone, or another user's.
    return undefined;
  }
}

function readProcFs(): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const row = readProcessRow(pid);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

function parseStat(pid: number, stat: string, zombiesToo: boolean): ProcessRow | undefined {
  // The second field is the program's name in brackets and may itself hold blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parentPid, groupId, sessionId] = fields;
  if (!zombiesToo && (state === "Z" || state === "X")) return undefined;
  return {
    pid,
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    sessionId: Number(sessionId),
    startTime: Number(fields[19]),
  };
}

async function readPs(): Promise<ProcessRow[]> {
  const { stdout } = await promisify(execFile)(
    systemProgramPath("ps"),
    ["-Ao", "pid=,ppid=,pgid=,stat=,lstart="],
    {
      timeout: 2000,
      maxBuffer: 16 * 1024 * 1024,
    },
  );
  const rows: ProcessRow[] = [];
  for (const line of stdout.split("\n")) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line);
    if (match === null || match[4]?.startsWith("Z") === true) continue;
    const groupId = Number(match[3]);
    // BSD's ps shows no session id that could be compared; the group has to stand for it.
    rows.push({
      pid: Number(match[1]),
      parentPid: Number(match[2]),
      groupId,
      sessionId: groupId,
      startTime: Date.parse(match[5] ?? ""),
    });
  }
  return rows;
}

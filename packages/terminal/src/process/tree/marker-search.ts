// Finds processes by the marker in their environment, at a cost that grows with the new processes only (T661).
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { MARKER_VARIABLE } from "../launch.ts";
import { platform } from "../platform.ts";
import { isSameProcess, readStartTime } from "./process-table.ts";

/** After this time every process is looked at again, in case that pids were used up and given out from the start. */
const wholeSearchMs = 2000;
/** A process has its pid for a moment before it can be seen: so many of the last pids are looked at once more. */
const pidMargin = 64;
/** A process that becomes another program has no environment for a moment: for so long it is looked at again. */
const retryMs = 1000;

/**
 * The marked processes of this machine. A marker is inherited and stays what it was when a process started, so each
 * process is looked at once; new ones are those after the last pid, because the kernel gives out pids in order.
 */
export class MarkerSearch {
  readonly #ownGroup: string;
  /**
   * Processes in our own groups, which may leave later. Their environment is not read: the kernel makes readers wait
   * while a process forks, and a fork bomb does nothing else.
   */
  readonly #grouped = new Set<number>();
  /** Start times by pid, by marker. */
  readonly #marked = new Map<string, Map<number, number>>();
  /** Processes without an environment, by the time they were first seen. */
  readonly #blank = new Map<number, number>();
  #lastPid: number | undefined;
  #searchedAtMs = Number.NEGATIVE_INFINITY;
  #wholeAtMs = Number.NEGATIVE_INFINITY;

  /** `ownGroup`: the name of the folder that all our cgroups are in. */
  constructor(ownGroup: string) {
    this.#ownGroup = ownGroup;
  }

  /** Processes with this marker, outside our groups, that are alive, as of a search no older than `maxAgeMs`. */
  find(marker: string, maxAgeMs: number): number[] {
    if (!platform.hasProcFs) return [];
    if (performance.now() - this.#searchedAtMs > maxAgeMs) this.#search();
    const marked = this.#marked.get(marker);
    if (marked === undefined) return [];
    for (const [pid, startTime] of marked) if (!isSameProcess(pid, startTime)) marked.delete(pid);
    if (marked.size === 0) this.#marked.delete(marker);
    return [...marked.keys()];
  }

  #search(): void {
    const nowMs = performance.now();
    const lastPid = readLastPid();
    const isNew = this.#newSince(nowMs, lastPid);
    this.#searchedAtMs = nowMs;
    this.#lastPid = lastPid;
    const grouped = [...this.#grouped];
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      const isOpen = this.#blank.has(pid) || this.#grouped.has(pid);
      if (Number.isInteger(pid) && (isOpen || isNew(pid))) this.#look(pid, nowMs);
    }
    for (const pid of grouped) if (!existsSync(`/proc/${pid}`)) this.#grouped.delete(pid);
  }

  #isGrouped(pid: number): boolean {
    try {
      const groups = readFileSync(`/proc/${pid}/cgroup`, "latin1");
      return (/^0::(.*)$/m.exec(groups)?.[1] ?? "").includes(`/${this.#ownGroup}/`);
    } catch {
      // It is gone.
      return false;
    }
  }

  #newSince(nowMs: number, lastPid: number | undefined): (pid: number) => boolean {
    const before = this.#lastPid;
    if (before === undefined || lastPid === undefined || nowMs - this.#wholeAtMs > wholeSearchMs) {
      this.#wholeAtMs = nowMs;
      this.#blank.clear();
      return () => true;
    }
    const from = before - pidMargin;
    return lastPid >= before ? (pid) => pid > from && pid <= lastPid : (pid) => pid > from || pid <= lastPid;
  }

  #look(pid: number, nowMs: number): void {
    if (this.#isGrouped(pid)) {
      this.#grouped.add(pid);
      return;
    }
    this.#grouped.delete(pid);
    const marker = readMarker(pid);
    if (marker === "") {
      const sinceMs = this.#blank.get(pid) ?? nowMs;
      if (nowMs - sinceMs > retryMs) this.#blank.delete(pid);
      else this.#blank.set(pid, sinceMs);
      return;
    }
    this.#blank.delete(pid);
    const startTime = marker === undefined ? undefined : readStartTime(pid);
    if (marker === undefined || startTime === undefined) return;
    const marked = this.#marked.get(marker) ?? new Map<number, number>();
    this.#marked.set(marker, marked.set(pid, startTime));
  }
}

/** The pid that was given out last; undefined where the system does not report it. */
function readLastPid(): number | undefined {
  try {
    const pid = Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ")[4]);
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    // Hidden in some containers: then each search looks at every process.
    return undefined;
  }
}

/** A process's marker: undefined when it has none, empty when it has no environment at all. */
function readMarker(pid: number): string | undefined {
  let environ: string;
  try {
    environ = readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // It is gone, or it is another user's and so not ours.
    return undefined;
  }
  if (environ === "") return "";
  const entry = `${MARKER_VARIABLE}=`;
  const at = environ.startsWith(entry) ? 0 : environ.indexOf(`\0${entry}`) + 1;
  if (at === 0 && !environ.startsWith(entry)) return undefined;
  const end = environ.indexOf("\0", at);
  return environ.slice(at + entry.length, end === -1 ? undefined : end) || undefined;
}

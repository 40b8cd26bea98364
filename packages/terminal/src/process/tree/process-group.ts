// A tree without help from the kernel: session, process group, parents, and a marker in the environment (T22).
import { MARKER_VARIABLE } from "../launch.ts";
import { hasInEnvironment, isSameProcess, readProcessTable, type ProcessRow } from "./process-table.ts";
import { signalPid, type Tree, type TreeLeader } from "./tree.ts";

/**
 * Finds members by four marks, each of which something can take away: the session (`setsid` leaves it), the group
 * (job control changes it), the parents (a double fork loses them), the marker (`env -i` drops it). Only a process
 * that does all four at once escapes.
 */
export class ProcessGroupTree implements Tree {
  readonly mechanism = "process-group";
  readonly #leaderPid: number;
  readonly #leaderStart: number | undefined;
  readonly #markerEntry: string;
  /** Every process ever seen as a member, with its start time: one that changed its marks later is still ours. */
  readonly #known = new Map<number, number>();

  constructor({ pid, startTime, marker }: TreeLeader) {
    this.#leaderPid = pid;
    this.#leaderStart = startTime;
    this.#markerEntry = `${MARKER_VARIABLE}=${marker}`;
  }

  async members(): Promise<number[]> {
    return (await this.#scan()).map((row) => row.pid);
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    for (const row of await this.#scan()) this.#signalRow(row, signal);
  }

  /** Stops everything first, so that nothing can fork away between the look and the KILL. */
  async kill(): Promise<void> {
    const stopped = new Set<number>();
    for (let found = true; found;) {
      found = false;
      for (const row of await this.#scan()) {
        if (stopped.has(row.pid)) continue;
        stopped.add(row.pid);
        found = this.#signalRow(row, "SIGSTOP") || found;
      }
    }
    for (const pid of stopped) {
      if (isSameProcess(pid, this.#known.get(pid))) signalPid(pid, "SIGKILL");
    }
  }

  close(): void {
    this.#known.clear();
  }

  /** A pid may have been given to a stranger since the scan: the start time is checked. */
  #signalRow(row: ProcessRow, signal: NodeJS.Signals): boolean {
    return isSameProcess(row.pid, row.startTime) && signalPid(row.pid, signal);
  }

  async #scan(): Promise<ProcessRow[]> {
    const table = await readProcessTable();
    const members = new Map<number, ProcessRow>();
    const leadership = this.#leadershipHolds(table);
    for (const row of table) {
      if (row.pid === process.pid) continue;
      if (this.#isMember(row, leadership)) members.set(row.pid, row);
    }
    addDescendants(table, members);
    for (const row of members.values()) this.#known.set(row.pid, row.startTime);
    for (const pid of this.#known.keys()) if (!members.has(pid)) this.#known.delete(pid);
    return [...members.values()];
  }

  /** False once the leader's pid belongs to another process: then session and group numbers are a stranger's too. */
  #leadershipHolds(table: readonly ProcessRow[]): boolean {
    const holder = table.find((row) => row.pid === this.#leaderPid);
    return holder === undefined || this.#leaderStart === undefined || holder.startTime === this.#leaderStart;
  }

  #isMember(row: ProcessRow, leadership: boolean): boolean {
    if (this.#known.get(row.pid) === row.startTime) return true;
    if (this.#leaderStart !== undefined && row.startTime < this.#leaderStart) return false;
    if (leadership && (row.sessionId === this.#leaderPid || row.groupId === this.#leaderPid)) return true;
    return hasInEnvironment(row.pid, this.#markerEntry);
  }
}

function addDescendants(table: readonly ProcessRow[], members: Map<number, ProcessRow>): void {
  for (let grown = true; grown;) {
    grown = false;
    for (const row of table) {
      if (members.has(row.pid) || !members.has(row.parentPid)) continue;
      members.set(row.pid, row);
      grown = true;
    }
  }
}

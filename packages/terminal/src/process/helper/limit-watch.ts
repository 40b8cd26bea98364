// Watches what a tree has used of CPU time and disk writes, and ends it at its limit (T25, T664).
import { readFileSync } from "node:fs";
import { platform } from "../platform.ts";
import type { FiredLimit, LimitBackend, LimitName } from "../port.ts";

/** How often a tree with such a limit is looked at. */
const watchMs = 200;

/** The counters of a tree. */
export interface WatchedTree {
  /** CPU time of the whole tree; undefined where nothing counts it. */
  readonly cpuSeconds: (() => number) | undefined;
  /** Bytes that a controller counted for the tree. */
  readonly writtenBytes: () => number;
  readonly members: () => Promise<readonly number[]>;
}

/** The watch of one tree. `close` ends it. */
export class LimitWatch {
  readonly #tree: WatchedTree;
  readonly #limits: ReadonlyMap<LimitName, FiredLimit>;
  readonly #timer: NodeJS.Timeout;
  #fired: FiredLimit | undefined;
  #isLooking = false;

  private constructor(tree: WatchedTree, limits: ReadonlyMap<LimitName, FiredLimit>, onFired: () => void) {
    this.#tree = tree;
    this.#limits = limits;
    this.#timer = setInterval(() => void this.#look(onFired), watchMs);
  }

  /** The watch of a tree that needs one. */
  static of(
    tree: WatchedTree,
    limits: ReadonlyMap<LimitName, FiredLimit>,
    onFired: () => void,
  ): LimitWatch | undefined {
    const needsCpu = limits.has("cpuSeconds") && tree.cpuSeconds !== undefined;
    const needsDisk = limits.has("diskWriteBytes") && diskBackend(false) !== "none";
    return needsCpu || needsDisk ? new LimitWatch(tree, limits, onFired) : undefined;
  }

  /** The limit that was reached. */
  get fired(): FiredLimit | undefined {
    return this.#fired;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(onFired: () => void): Promise<void> {
    if (this.#isLooking || this.#fired !== undefined) return;
    this.#isLooking = true;
    try {
      this.#fired = this.#cpuReached() ?? (await this.#diskReached());
    } finally {
      this.#isLooking = false;
    }
    if (this.#fired === undefined) return;
    this.close();
    onFired();
  }

  #cpuReached(): FiredLimit | undefined {
    const limit = this.#limits.get("cpuSeconds");
    return limit !== undefined && (this.#tree.cpuSeconds?.() ?? 0) >= limit.value ? limit : undefined;
  }

  async #diskReached(): Promise<FiredLimit | undefined> {
    const limit = this.#limits.get("diskWriteBytes");
    if (limit === undefined) return undefined;
    const pids = await this.#tree.members();
    // A controller counts what was flushed, a process what it will have flushed: whichever is ahead.
    const counted = pids.reduce((sum, pid) => sum + readWritten(pid), 0);
    return Math.max(counted, this.#tree.writtenBytes()) > limit.value ? limit : undefined;
  }
}

/** The backend that counts disk writes on this machine. */
export function diskBackend(hasController: boolean): LimitBackend {
  if (hasController) return "cgroup2";
  return platform.hasProcFs ? "proc" : "none";
}

/** Bytes that a process and the children it has waited for have written to disks. */
function readWritten(pid: number): number {
  try {
    const counters = readFileSync(`/proc/${pid}/io`, "latin1");
    return Number(/^write_bytes: (\d+)/m.exec(counters)?.[1] ?? 0);
  } catch {
    // It ended meanwhile, or became another user's.
    return 0;
  }
}

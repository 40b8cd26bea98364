// A command's process tree, whatever holds it together, and the one way to end it (T20–T24).
import { setTimeout as sleep } from "node:timers/promises";
import type { TreeMechanism } from "../port.ts";

/** All processes that a command started, and theirs. */
export interface Tree {
  readonly mechanism: TreeMechanism;
  /** The pids that are alive now. */
  members(): Promise<number[]>;
  /** Sends a signal to every member once. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** One pass that kills every member; those born meanwhile are for the next pass. */
  kill(): Promise<void>;
  /** Gives back what the tree holds in the file system; the tree must be empty. */
  close(): void;
}

/** The first process of a tree, and what its descendants can be known by. */
export interface TreeLeader {
  readonly pid: number;
  /** Undefined where the system does not report it. */
  readonly startTime: number | undefined;
  readonly marker: string;
}

/** A member that outlives this many milliseconds of KILL is stuck in the kernel, and waiting longer would not help. */
const killBoundMs = 10_000;

/**
 * Ends a tree: TERM, a grace period, then KILL until a pass finds nothing.
 * Returns the pids that even KILL did not end.
 */
export async function endTree(
  tree: Tree,
  graceMs: number,
  terminationSignals: readonly NodeJS.Signals[],
): Promise<number[]> {
  if ((await tree.members()).length === 0) return [];
  if (graceMs > 0) {
    for (const signal of terminationSignals) await tree.signal(signal);
    // A stopped process takes a signal only when it continues.
    await tree.signal("SIGCONT");
    if (await isEmptyWithin(tree, graceMs)) return [];
  }
  const deadline = performance.now() + killBoundMs;
  for (let pauseMs = 1; performance.now() < deadline; pauseMs = Math.min(pauseMs * 2, 50)) {
    await tree.kill();
    await sleep(pauseMs);
    if ((await tree.members()).length === 0) return [];
  }
  return tree.members();
}

async function isEmptyWithin(tree: Tree, boundMs: number): Promise<boolean> {
  const deadline = performance.now() + boundMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    if ((await tree.members()).length === 0) return true;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return false;
    await sleep(Math.min(pauseMs, leftMs));
  }
}

/** Sends a signal to one process; false when it is gone or not ours to signal. */
export function signalPid(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    // ESRCH: it ended on its own. EPERM: it became another user's, and is out of our reach.
    return false;
  }
}

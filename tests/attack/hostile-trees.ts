// Process trees that resist their end: their shapes, and how tests find what is left of them.
import { readFileSync, readdirSync } from "node:fs";

/** Every process of a tree has this variable, whatever becomes of its parents. */
export const TREE_VARIABLE = "HOLDFAST_ATTACK_TREE";

/**
 * Limits under which the shapes are harmless to the machine. Without a cgroup, an ordinary user's limit of processes counts
 * those of all trees together, which must not keep other trees from standing.
 */
export function treeLimits(user: string): { readonly processes: number; readonly memoryMebibytes: number } {
  return { processes: user === "root" ? 96 : 2000, memoryMebibytes: 256 };
}

/** The depth of the fork bomb: 3 + 9 + 27 + 81 + 243 processes at most, or 3 + 9 + 27 where the limit is not each tree's own. */
export const DEPTH_VARIABLE = "HOLDFAST_ATTACK_DEPTH";
export function bombDepth(user: string): string {
  return user === "root" ? "5" : "3";
}

/** Shell lines; each would run for ten minutes, and has several processes at once. */
export const SHAPES: Readonly<Record<string, string>> = {
  "double fork": "(sh -c 'sleep 600 & sleep 600' &) ; (sleep 600 &) ; sleep 600",
  "new sessions": "setsid sleep 600 & setsid nohup setsid sleep 600 >/dev/null 2>&1 & sleep 600",
  "deaf to signals": "trap '' TERM HUP INT QUIT; (while :; do sleep 600; done) & while :; do sleep 600; done",
  // Bounded, so that a machine without limits survives the test. The command itself needs no fork, which the limit may
  // refuse: of a command that has ended, a release leaves what runs in the background.
  "fork bomb":
    "bomb() { [ $1 -gt $HOLDFAST_ATTACK_DEPTH ] && exec sleep 600; for i in 1 2 3; do bomb $(($1 + 1)) & done 2>/dev/null; sleep 600; }; bomb 1 & exec sleep 600",
  // It stands before it grows: the limit ends it.
  "memory hog": "setsid sh -c 'sleep 600' & sleep 3; head -c 600M /dev/zero | tail | sleep 600; sleep 600",
  "escape from its cgroup":
    "for f in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do echo $$ > $f; done 2>/dev/null; setsid sleep 600 & sleep 600",
};

const entry = new RegExp(`(?:^|\\0)${TREE_VARIABLE}=([^\\0]*)`);

/** The live processes of each tree whose name begins so, by one look at every process. */
export function liveTrees(prefix: string): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const tree = treeOf(name);
    if (tree?.startsWith(prefix) === true) found.set(tree, [...(found.get(tree) ?? []), Number(name)]);
  }
  return found;
}

function treeOf(pid: string): string | undefined {
  try {
    const tree = entry.exec(readFileSync(`/proc/${pid}/environ`, "latin1"))?.[1];
    // A zombie has ended; its parent has not looked yet.
    const isZombie = tree !== undefined && /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
    return isZombie ? undefined : tree;
  } catch {
    // Gone by now, or another user's.
    return undefined;
  }
}

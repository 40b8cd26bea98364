// Makes the kernel, when memory runs out, end commands and agents before the host and the spawn helper (T663).
import { readFileSync, writeFileSync } from "node:fs";
import { platform } from "../platform.ts";

const file = "/proc/self/oom_score_adj";
/** Of -1000 to 1000: half of the machine's memory is added to what a child uses. */
const childScore = 500;
/** And subtracted for the processes that keep the others; lowering it needs privileges. */
const keeperScore = -500;

/** Lowers the score of this process where it may; it stays otherwise. */
export function protectFromOomKiller(): void {
  const own = readScore();
  if (own !== undefined && own > keeperScore) writeScore(keeperScore);
}

/**
 * Calls a function that forks, so that what it forks has a raised score from its first moment: a child inherits it.
 * A process may always raise its score, and lower it again to where it was.
 */
export function withRaisedScore<Result>(fork: () => Result): Result {
  const own = readScore();
  if (own === undefined || own >= childScore || !writeScore(childScore)) return fork();
  try {
    return fork();
  } finally {
    writeScore(own);
  }
}

function readScore(): number | undefined {
  if (!platform.hasProcFs) return undefined;
  try {
    return Number(readFileSync(file, "latin1"));
  } catch {
    // Hidden in some containers: then nobody's score changes.
    return undefined;
  }
}

function writeScore(score: number): boolean {
  try {
    writeFileSync(file, String(score));
    return true;
  } catch {
    // Without the privilege, or read-only.
    return false;
  }
}

// The lock on a home: one host at a time, also after kills and when many start at once (C5, C6).
//
// The lock is a file that says who holds it; a holder that is no longer running is dead, and its lock may be
// replaced. Two starters that both find it dead must not both replace it, so a starter first takes a second
// lock that is named after the dead one, and looks again: ids never return, so while the second lock is held nobody
// else can replace that very lock. The second lock is taken in the same way, so a death at any point is survived.
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { explainHomeAccess } from "./home.ts";
import { identifyProcess, isRunning, type ProcessIdentity } from "./process-identity.ts";
import { systemCode } from "../command-error.ts";
import { createFile, replaceFile } from "./whole-file.ts";

/** The name of the lock's file in the home; what helps to take it begins with the same word. */
const lockFile = "lock";

/** How long to wait for another starter, who needs a few file operations to be through. */
const retryMs = 5;

export interface LockHolder extends ProcessIdentity {
  /** Names this holding for ever. */
  readonly id: string;
  readonly startedAt: string;
}

/** What came of asking for the lock: it is ours, or somebody's who is running. */
export type LockAttempt =
  | { readonly kind: "held"; readonly lock: HomeLock }
  | { readonly kind: "taken"; readonly holder: LockHolder };

/** The lock on a home, held by this process until it is released or the process ends. */
export class HomeLock {
  readonly holder: LockHolder;
  readonly #file: string;

  constructor(file: string, holder: LockHolder) {
    this.#file = file;
    this.holder = holder;
  }

  /** Gives the lock back. May be repeated, and leaves the lock of anybody else alone. */
  release(): void {
    if (readHolder(this.#file)?.id === this.holder.id) rmSync(this.#file, { force: true });
  }
}

/** Takes the lock on a home, also from a holder that is no longer running. */
export async function acquireLock(home: string): Promise<LockAttempt> {
  const file = path.join(home, lockFile);
  const me = newHolder();
  for (;;) {
    const outcome = tryLock(home, file, me);
    if (outcome === "mine") {
      removeLeftovers(home);
      return { kind: "held", lock: new HomeLock(file, me) };
    }
    if (outcome !== "changing") return { kind: "taken", holder: outcome };
    await delay(retryMs);
  }
}

/** Who holds the lock on a home; undefined when nobody who runs does. A home that cannot be used is an error (C875). */
export function findHolder(home: string): LockHolder | undefined {
  try {
    const holder = readHolder(path.join(home, lockFile));
    return holder !== undefined && isRunning(holder) ? holder : undefined;
  } catch (error) {
    throw explainHomeAccess(home, error);
  }
}

/** Whether this very holding of the home's lock still stands. */
export function isStillHeld(home: string, { id }: LockHolder): boolean {
  const holder = readHolder(path.join(home, lockFile));
  return holder?.id === id && isRunning(holder);
}

function tryLock(home: string, file: string, me: LockHolder): "mine" | "changing" | LockHolder {
  if (createFile(file, JSON.stringify(me))) return "mine";
  const holder = readHolder(file);
  if (holder === undefined) return "changing";
  return isRunning(holder) ? holder : replaceDead(home, file, holder, me);
}

function replaceDead(home: string, file: string, dead: LockHolder, me: LockHolder): "mine" | "changing" {
  const succession = path.join(home, `${lockFile}.after-${dead.id}`);
  if (tryLock(home, succession, newHolder()) !== "mine") return "changing";
  try {
    if (readHolder(file)?.id !== dead.id) return "changing";
    replaceFile(file, JSON.stringify(me));
    return "mine";
  } finally {
    rmSync(succession, { force: true });
  }
}

/** Files of starters that were killed half-way. The lock has moved on, so that none of them decides anything any more. */
function removeLeftovers(home: string): void {
  for (const name of readdirSync(home)) {
    if (!name.startsWith(`${lockFile}.`)) continue;
    const file = path.join(home, name);
    const holder = readHolder(file);
    // What cannot be read may be a file that somebody is writing just now.
    if (holder === undefined || holder === unreadable || isRunning(holder)) continue;
    rmSync(file, { force: true });
  }
}

function newHolder(): LockHolder {
  const { pid } = process;
  const birth = identifyProcess(pid)?.birth ?? "";
  return { id: randomUUID(), pid, birth, startedAt: new Date().toISOString() };
}

/** Stands for a text that no holder wrote: nobody's, so it may be replaced. */
const unreadable: LockHolder = { id: "unreadable", pid: 0, birth: "", startedAt: "" };

function readHolder(file: string): LockHolder | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { id = "", pid = 0, birth = "", startedAt = "" } = JSON.parse(text) as Partial<LockHolder>;
    // The id becomes part of a file's name.
    return /^[0-9a-f-]{36}$/.test(id) ? { id, pid, birth, startedAt } : unreadable;
  } catch {
    // Not JSON, or not an object: no holder wrote it.
    return unreadable;
  }
}

// The check of a database before a host opens it: in a child, and in bounded time (D264).
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ChildProgram } from "./child-program.ts";

/** How a database is. */
export type DatabaseHealth =
  /** There is none, and nothing says that there was. */
  | { readonly kind: "new" }
  | { readonly kind: "sound" }
  /** It could not be looked at, for a reason that its opening will name (a lock, a full disk), or somebody ended the check. */
  | { readonly kind: "unchecked" }
  /** Nothing was found so far; `rest` resolves with what the rest of the check finds, and `close` ends it. */
  | {
      readonly kind: "unfinished";
      readonly rest: Promise<DatabaseHealth>;
      readonly close: () => void;
    }
  | { readonly kind: "damaged"; readonly problem: string }
  /** There was one: `evidence` names what is left of it. */
  | { readonly kind: "missing"; readonly evidence: string };

interface DatabaseCheckOptions {
  readonly file: string;
  /** Files and folders that only a host with a database makes; one that is there and not empty is evidence. */
  readonly traces: readonly string[];
  readonly deadlineMs: number;
  /** The program that runs the check, with its flags. Default: this Node. */
  readonly node?: readonly string[] | undefined;
}

/** How long the child may take to begin and to read the table of tables. */
const maxOpenMs = 60_000;

/** Looks at a database that a host is about to open; nothing else may have it open. */
export async function checkDatabase(options: DatabaseCheckOptions): Promise<DatabaseHealth> {
  const { file, traces, deadlineMs, node } = options;
  const evidence = [`${file}-wal`, ...traces].find(hasContent);
  if (!existsSync(file)) return evidence === undefined ? { kind: "new" } : { kind: "missing", evidence };
  // A check must not lose the contents of its log: SQLite would delete the log of an empty database.
  if (statSync(file).size === 0) return { kind: "missing", evidence: file };
  const hasLog = hasContent(`${file}-wal`);
  const child = new ChildProgram(["check", file], node);
  // On a busy machine the child takes a while to begin; that does not count.
  const opened = await child.next(maxOpenMs);
  const checking = readChild(child, opened, { file, hasLog, evidence });
  const deadline = new AbortController();
  const timeout = delay(deadlineMs, undefined, { signal: deadline.signal }).catch(() => undefined);
  const first = await Promise.race([checking, timeout]);
  deadline.abort();
  if (first !== undefined) return first;
  child.unref();
  return { kind: "unfinished", rest: checking, close: () => child.close() };
}

/** Reads every row of a database whose pages are sound; gives what is wrong with the first that a host could not use. */
export async function findUnreadableRow(file: string, node?: readonly string[]): Promise<string | undefined> {
  const child = new ChildProgram(["verify", file], node);
  try {
    const verified = await child.next();
    if (verified === undefined) {
      const cause = await child.causeOfDeath();
      return cause && `reading it ended by ${cause}`;
    }
    return "failed" in verified && verified["isUnavailable"] !== true
      ? String(verified["failed"])
      : undefined;
  } finally {
    child.close();
  }
}

async function readChild(
  child: ChildProgram,
  opened: Awaited<ReturnType<ChildProgram["next"]>>,
  found: { readonly file: string; readonly hasLog: boolean; readonly evidence: string | undefined },
): Promise<DatabaseHealth> {
  if (opened === undefined) return healthAfterDeath("reading", await child.causeOfDeath());
  if (opened["isUnavailable"] === true) return { kind: "unchecked" };
  if ("failed" in opened) return { kind: "damaged", problem: String(opened["failed"]) };
  if (opened["tables"] === 0) return { kind: "missing", evidence: found.file };
  // A host that was killed leaves its log beside; without it, an empty database has lost what was in the log.
  if (opened["hasRows"] === false && !found.hasLog && found.evidence !== undefined) {
    return { kind: "missing", evidence: found.evidence };
  }
  const checked = await child.next();
  if (checked === undefined) return healthAfterDeath("checking", await child.causeOfDeath());
  if (checked["isUnavailable"] === true) return { kind: "unchecked" };
  const problem = checked["failed"] ?? checked["problem"];
  return typeof problem === "string" ? { kind: "damaged", problem: firstLine(problem) } : { kind: "sound" };
}

function healthAfterDeath(task: string, cause: string | undefined): DatabaseHealth {
  return cause === undefined
    ? { kind: "unchecked" }
    : { kind: "damaged", problem: `${task} it ended by ${cause}` };
}

/** The first line of SQLite's report is a heading. */
function firstLine(report: string): string {
  return report.split("\n").find((line) => !line.startsWith("***")) ?? report;
}

function hasContent(file: string): boolean {
  if (!existsSync(file)) return false;
  const { isDirectory, size } = describe(file);
  return isDirectory ? readdirSync(file).length > 0 : size > 0;
}

function describe(file: string): { readonly isDirectory: boolean; readonly size: number } {
  const stats = statSync(path.resolve(file));
  return { isDirectory: stats.isDirectory(), size: stats.size };
}

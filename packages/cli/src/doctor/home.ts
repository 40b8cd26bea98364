// Checks of what a host keeps: its home, configuration, token, disk, SQLite and database.
import { existsSync, mkdtempSync, rmdirSync, rmSync, statfsSync, type Stats, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { openSqliteStorage } from "@holdfast/storage-sqlite";
import { CONFIG_FILE } from "../serve/config-file.ts";
import { examineDatabase } from "../serve/database.ts";
import { DATABASE_FILE, homeAccess } from "../serve/home.ts";
import { policyPath, readPolicyFile } from "../serve/policy-file.ts";
import { messageOf, systemCode } from "../command-error.ts";
import { readToken, TOKEN_FILE } from "../serve/token.ts";
import { quote } from "../safe-text.ts";
import { asRoot } from "./find-program.ts";
import { fix, note, ok, type CheckResult } from "./finding.ts";
import type { Machine } from "./machine.ts";

const elsewhere = "Another folder can be chosen with --home.";

export async function examineHome({ home }: Pick<Machine, "home">): Promise<CheckResult> {
  const found = statOf(home);
  if (found instanceof Error) {
    return fix(`${home} cannot be reached (${systemCode(found) ?? found.message})`, {
      remedy: "Choose a folder that you own.",
      command: "holdfast serve --home ~/holdfast",
    });
  }
  if (found === undefined) return examineUnmade(home);
  if (!found.isDirectory()) {
    const command = "holdfast serve --home ~/holdfast";
    return fix(`${home} is not a folder`, { remedy: "Move it away, or choose another home.", command });
  }
  const fault = tryWriting(home);
  if (fault !== undefined) return unwritable(home, found, fault);
  return process.platform === "win32" ? ok(`${home} is writable`) : examineRights(home, found);
}

export async function examinePolicy({
  home,
  config,
}: Pick<Machine, "home" | "config">): Promise<CheckResult> {
  const file = policyPath(home, config);
  const reading = readPolicyFile(file);
  if (reading.state === "read") return ok(`${file} is valid`);
  if (reading.state === "absent" && config.policy === undefined) {
    return ok("there is none; approval policies decide alone");
  }
  const problems = reading.state === "absent" ? ["it does not exist"] : reading.problems;
  return fix(`${file} cannot be used: ${problems.join("; ")}`, {
    remedy: "A running host keeps the previous rules; the next start fails.",
    command: "holdfast policy check",
  });
}

/** The nearest folder above that is there. */
function existingFolder(folder: string): string {
  const found = statOf(folder);
  const parent = path.dirname(folder);
  return (found !== undefined && !(found instanceof Error)) || parent === folder
    ? folder
    : existingFolder(parent);
}

function examineUnmade(home: string): CheckResult {
  const parent = existingFolder(home);
  const fault = tryWriting(parent);
  if (fault === undefined) return ok(`${home} is made at the first start`);
  const owner = process.getuid?.() ?? 0;
  return fix(`${home} is not there, and cannot be made in ${parent} (${fault})`, {
    remedy: elsewhere,
    command: `sudo install -d -m 700 -o ${owner} ${quote(home)}`,
  });
}

function unwritable(home: string, { uid }: Stats, fault: string): CheckResult {
  const summary = `${home} is not writable (${fault})`;
  const place = quote(home);
  if (fault === "EROFS") {
    const command = asRoot(`mount -o remount,rw "$(findmnt -no TARGET -T ${place})"`);
    return fix(summary, {
      remedy: `It lies on a file system that is mounted read-only. ${elsewhere}`,
      command,
    });
  }
  if (fault === "ENOSPC" || fault === "EDQUOT") {
    return fix(summary, { remedy: "Its disk is full.", command: `df -h ${place}` });
  }
  const isOurs = uid === process.getuid?.();
  const command = isOurs ? `chmod 700 ${place}` : `sudo chown -R "$(id -u)" ${place}`;
  return fix(summary, { remedy: isOurs ? elsewhere : `It belongs to another user. ${elsewhere}`, command });
}

function examineRights(home: string, { mode }: Stats): CheckResult {
  const access = homeAccess(home);
  if (access === "private") return ok(`${home} is writable, and yours alone`);
  const rights = (mode & 0o777).toString(8);
  const command = `chmod 700 ${quote(home)}`;
  if (access === "writable") {
    const summary = `every user can write to ${home} (${rights}), so it cannot be a home`;
    return fix(summary, { remedy: elsewhere, command });
  }
  const effect = access === "closable" ? "the next start restricts it to you" : "only you can read its files";
  return note(`other users can list ${home} (${rights}); ${effect}`, { command });
}

/** The error code that prevents writing; undefined if there is none. Leaves nothing behind. */
function tryWriting(folder: string): string | undefined {
  try {
    rmdirSync(mkdtempSync(path.join(folder, ".doctor-")));
    return undefined;
  } catch (error) {
    return systemCode(error) ?? String(error);
  }
}

function statOf(file: string): Stats | Error | undefined {
  try {
    return statSync(file);
  } catch (error) {
    return systemCode(error) === "ENOENT" ? undefined : (error as Error);
  }
}

export async function examineConfiguration({
  home,
  configFault,
}: Pick<Machine, "home" | "configFault">): Promise<CheckResult> {
  if (configFault === undefined) {
    const file = path.join(home, CONFIG_FILE);
    return ok(existsSync(file) ? `${file} is valid` : "the defaults");
  }
  return fix(configFault.replaceAll(/\s*\n\s*/g, " "), {
    remedy: "Fix the settings named above, then check again:",
    command: "holdfast config check",
  });
}

/** App ids are no secrets: accepting them is a choice to be reminded of (C621). */
export async function examineAppIds({ config }: Pick<Machine, "config">): Promise<CheckResult> {
  const { enabled, anyUser } = config.apps;
  if (!enabled) return ok("not accepted");
  const users = anyUser ? "any user of this machine" : "your user";
  return note(`accepted: a program of ${users} that knows the id of a granted app acts as that app`, {
    remedy: "Give each program a key instead, and set `apps.enabled` to false in the configuration:",
    command: "holdfast keys create --name NAME",
  });
}

export async function examineToken({ home }: Pick<Machine, "home">): Promise<CheckResult> {
  const file = path.join(home, TOKEN_FILE);
  if (!existsSync(file)) return ok("made at the first start");
  try {
    readToken(home);
  } catch (error) {
    const canRead = systemCode(error instanceof Error ? error.cause : error) !== "EACCES";
    return fix(messageOf(error), {
      command: canRead ? `rm ${quote(file)}` : `sudo chown "$(id -u)" ${quote(file)}`,
    });
  }
  if (process.platform === "win32" || (statSync(file).mode & 0o077) === 0) {
    return ok("valid, and readable by you alone");
  }
  return note("other users can read it; the next start fixes the mode, but they may have read it", {
    remedy: "Delete it; the next start makes a new one.",
    command: `rm ${quote(file)} && holdfast serve`,
  });
}

const mebibyte = 1024 * 1024;
/** Below this, a few busy terminals fill the rest within minutes. */
const scarceBytes = 1024 * mebibyte;
/** Below this, SQLite may fail to keep what happens. */
const fullBytes = 64 * mebibyte;

export async function examineDisk({ home, config }: Pick<Machine, "home" | "config">): Promise<CheckResult> {
  const folder = existingFolder(home);
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  const freeBytes = bavail * bsize;
  const most = `at most ${inWords(config.retention.maxMebibytes * mebibyte)} are kept`;
  const summary = `${inWords(freeBytes)} free on the disk of ${folder}; ${most}`;
  // A file system without a table of files says that it has none at all.
  if (files > 0 && ffree === 0) {
    return fix(`no more files can be created on the disk of ${folder}`, {
      command: `df -i ${quote(folder)}`,
    });
  }
  if (freeBytes < fullBytes) {
    const remedy = "Free space, or choose a home on another disk with --home.";
    return fix(summary, { remedy, command: `df -h ${quote(folder)}` });
  }
  if (freeBytes < scarceBytes) {
    const remedy =
      "`retention.maxMebibytes` in the configuration limits its size; this deletes old closed sessions:";
    return note(summary, { remedy, command: "holdfast prune" });
  }
  return ok(summary);
}

function inWords(sizeBytes: number): string {
  const mebibytes = sizeBytes / mebibyte;
  return mebibytes < 1024 ? `${Math.floor(mebibytes)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}

/** Whether what happens can be kept; tried in a temporary folder, not in the home. */
export async function examineStorage(): Promise<CheckResult> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-doctor-"));
  try {
    const storage = await openSqliteStorage({ file: path.join(folder, "trial.db") });
    storage.close();
    const driver = process.getBuiltinModule("node:sqlite") === undefined ? "libsql" : "node:sqlite";
    return ok(`${driver} works`);
  } catch (error) {
    return fix(`SQLite cannot be used: ${messageOf(error)}`, {
      remedy: "Node 22.13 or newer brings its own; for older ones it comes as an optional package.",
      command: "npm install -g holdfast --include=optional",
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const deadlineMs = 10_000;

/** Whether a host could open it. One that a host uses is looked at by that host. */
export async function examineDatabaseFile(
  machine: Pick<Machine, "home" | "runningHost">,
): Promise<CheckResult> {
  const { home } = machine;
  const file = path.join(home, DATABASE_FILE);
  if ((await machine.runningHost()) !== undefined) return ok(`${file} is in use by a host`);
  const health = await examineDatabase(home, deadlineMs);
  const command = `holdfast doctor --repair --home ${quote(home)}`;
  switch (health.kind) {
    case "new":
      return ok(`${file} is made at the first start`);
    case "sound":
      return ok(`${file} is sound`);
    case "unchecked":
      return note(`${file} could not be checked; its disk may be full, or a program may hold a lock on it`);
    case "unfinished":
      health.close();
      return note(`${file} is too large to be checked in ${deadlineMs / 1000} s; so far it is sound`);
    case "damaged":
      return fix(`${file} is damaged (${health.problem})`, {
        remedy: "Restore it from a backup, or recover what can be read:",
        command,
      });
    case "missing":
      return fix(`${file} is missing or empty, but ${health.evidence} is there`, {
        remedy: "Restore it from a backup, or begin without sessions and keys:",
        command: `holdfast serve --start-empty --home ${quote(home)}`,
      });
  }
}

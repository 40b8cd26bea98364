// The database of a home before a host opens it: sound, or a sentence that names the file and the choices (C260).
import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { Log } from "@holdfast/core";
import { StorageError } from "@holdfast/core/ports";
import {
  checkDatabase,
  type DatabaseHealth,
  hasDatabaseFiles,
  setDatabaseAside,
} from "@holdfast/storage-sqlite";
import { EXIT_CODES } from "../exit-codes.ts";
import { quote } from "../safe-text.ts";
import { DATABASE_FILE, fullDiskCode, noSpaceLeft, SPOOL_FOLDER } from "./home.ts";
import { HOST_FILE } from "./host-file.ts";
import { nodeFlags } from "./process-identity.ts";
import { StartError } from "../command-error.ts";

/** How long a start waits for the check; the rest continues in the background. */
const checkDeadlineMs = 3000;

/** Entries that a home has only after a host has run in it with a database. */
const traces = [HOST_FILE, SPOOL_FOLDER, "agents"];

/** Checks the database of a home; throws a `StartError` when a host must not open it. Gives what ends the check. */
export async function requireSoundDatabase(
  home: string,
  log: Log,
  /** Whether to begin with an empty database where the old one is damaged or missing. */
  startEmpty: boolean,
  /** Called when the rest of the check finds damage. */
  onDamaged: (error: StartError) => void,
): Promise<() => void> {
  const file = path.join(home, DATABASE_FILE);
  const health = await examineDatabase(home);
  switch (health.kind) {
    case "damaged":
    case "missing": {
      if (!startEmpty) throw startErrorFor(health, home);
      if (hasDatabaseFiles(file)) {
        log("warn", `The database was set aside as ${setDatabaseAside(file, new Date())}`);
      }
      break;
    }
    case "unfinished":
      log("info", `The check of ${file} takes a long time and continues in the background`);
      void health.rest.then((found) => {
        if (found.kind === "damaged") onDamaged(startErrorFor(found, home));
      });
      return () => health.close();
    default:
      if (startEmpty && existsSync(file)) {
        throw new StartError(
          EXIT_CODES.setup,
          `${file} is sound, so --start-empty is not needed. Start without it, or choose another home with --home.`,
        );
      }
  }
  return () => undefined;
}

/** Looks at the database of a home that no host uses. */
export function examineDatabase(home: string, deadlineMs = checkDeadlineMs): Promise<DatabaseHealth> {
  return checkDatabase({
    file: path.join(home, DATABASE_FILE),
    traces: traces.map((name) => path.join(home, name)),
    deadlineMs,
    node: [process.execPath, ...nodeFlags()],
  });
}

/** The sentence for a database that cannot be used, with what to do. */
export function startErrorFor(
  health: Extract<DatabaseHealth, { kind: "damaged" | "missing" }>,
  home: string,
): StartError {
  const file = path.join(home, DATABASE_FILE);
  const at = `--home ${quote(home)}`;
  if (health.kind === "damaged") {
    return new StartError(
      EXIT_CODES.damaged,
      `The database ${file} is damaged (${health.problem}). ` +
        `Recover what can be read with: holdfast doctor --repair ${at}`,
    );
  }
  const what =
    health.evidence === file
      ? `The database ${file} is empty`
      : `The database ${file} is missing or empty, but ${health.evidence} is there`;
  return new StartError(
    EXIT_CODES.damaged,
    `${what}. Restore it from a backup, look for what can be recovered with: holdfast doctor --repair ${at}, ` +
      `or begin without sessions and keys with: holdfast serve --start-empty ${at}`,
  );
}

/** What is wrong, for the sentence above: SQLite's own words where there are any. */
export function problemOf({ message, cause }: StorageError): string {
  return (cause instanceof Error ? cause.message : message).replace(/\.$/, "");
}

/** A start that the storage refused, as a sentence with the path and what to do; any other error stays as it is (C261). */
export function explainStorageStart(error: unknown, home: string): unknown {
  if (error instanceof StorageError) {
    if (error.code === "corrupt" || error.code === "damaged") {
      return startErrorFor({ kind: "damaged", problem: problemOf(error) }, home);
    }
    return new StartError(EXIT_CODES.setup, error.message, { cause: error });
  }
  return fullDiskCode(error) === undefined ? error : noSpaceLeft(home, error);
}

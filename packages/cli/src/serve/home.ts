// The home: the folder in which a host keeps its files (C1).
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { Log } from "@holdfast/core";
import envPaths from "env-paths";
import { EXIT_CODES } from "../exit-codes.ts";
import { StartError, systemCode } from "../command-error.ts";
import { TOKEN_FILE } from "./token.ts";

export const DATABASE_FILE = "holdfast.db";

/** The name of the folder in the home that holds what terminals wrote. */
export const SPOOL_FOLDER = "spool";

/** The name of the folder in the home that holds a folder for each app. */
export const APP_DATA_FOLDER = "app-data";

/** The name of the folder in the home that holds a folder for each built-in agent. */
export const AGENTS_FOLDER = "agents";

/** The name of the folder in the home that holds FIFOs and programs of the spawn helper. */
export const RUN_FOLDER = "run";

const ownerOnly = 0o700;
const rightsOfOthers = 0o077;
const writableByAll = 0o002;

/** The folder that was asked for: by the option, else by `HOLDFAST_HOME`, else the platform's place for state. */
export function findHome(
  option: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const named = [option, environment["HOLDFAST_HOME"]].find(
    (folder) => folder !== undefined && folder !== "",
  );
  return path.resolve(named ?? stateDirectory());
}

/** Makes the folder if it is not there, and sees to it that only its owner gets in. */
export function openHome(home: string, log: Log): void {
  try {
    makeHome(home);
    if (process.platform !== "win32") closeToOthers(home, log);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw unusableHome(home, error);
  }
}

/** Makes the folder, and those above it, if they are not there. */
export function makeHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: ownerOnly });
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    // On a read-only file system Node reports that the folder is missing; making one folder alone gives the reason.
    let first = home;
    while (!existsSync(path.dirname(first))) first = path.dirname(first);
    mkdirSync(first, { mode: ownerOnly });
    mkdirSync(home, { recursive: true, mode: ownerOnly });
  }
}

/** The codes of a full disk, and of a quota that is used up. */
const fullDiskCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** The code of an error for want of space; undefined for any other error. */
export function fullDiskCode(error: unknown): string | undefined {
  const code = systemCode(error);
  return code !== undefined && fullDiskCodes.has(code) ? code : undefined;
}

/** A start for which there is no space, as a sentence with the folder and what to do (C261). */
export function noSpaceLeft(home: string, error: unknown): StartError {
  return new StartError(
    EXIT_CODES.setup,
    `There is no space left on the disk of the home ${home} (${systemCode(error)}). ` +
      "Free space there, or choose another home with --home.",
    { cause: error },
  );
}

function unusableHome(home: string, error: unknown): StartError {
  if (fullDiskCode(error) !== undefined) return noSpaceLeft(home, error);
  const isFile = existsSync(home) && !statSync(home).isDirectory();
  const problem = isFile
    ? `The home ${home} is not a folder.`
    : `The home ${home} cannot be used (${systemCode(error) ?? String(error)}).`;
  return new StartError(EXIT_CODES.setup, `${problem} Choose a folder that you own with --home.`, {
    cause: error,
  });
}

/** A failure to use the home for want of rights, as in the sandbox of an agent, or of a folder, in a sentence (V701, C875). */
export function explainHomeAccess(home: string, error: unknown): unknown {
  return ["EACCES", "EPERM", "EROFS", "ENOTDIR"].includes(systemCode(error) ?? "")
    ? unusableHome(home, error)
    : error;
}

/**
 * Who else gets into a folder: nobody; others, until the next start closes it; or others, because it holds other
 * things, which is somebody's choice: `--home /tmp` must not lock everyone out of /tmp.
 */
export function homeAccess(home: string): "private" | "closable" | "readable" | "writable" {
  const { mode } = statSync(home);
  if ((mode & rightsOfOthers) === 0) return "private";
  if (readdirSync(home).length === 0 || existsSync(path.join(home, TOKEN_FILE))) return "closable";
  return (mode & writableByAll) === 0 ? "readable" : "writable";
}

function closeToOthers(home: string, log: Log): void {
  switch (homeAccess(home)) {
    case "private":
      return undefined;
    case "closable":
      return chmodSync(home, ownerOnly);
    case "readable":
      return log("warn", `Other users can list the home ${home}; only you can read its files`, {});
    case "writable":
      throw new StartError(
        EXIT_CODES.setup,
        `Every user can write to ${home}, so it cannot be a home. Choose a folder that you own with --home.`,
      );
  }
}

/** env-paths knows no state directory: where XDG has one it calls it `log`, elsewhere `data` comes closest. */
function stateDirectory(): string {
  const { log, data } = envPaths("holdfast", { suffix: "" });
  return process.platform === "win32" || process.platform === "darwin" ? data : log;
}

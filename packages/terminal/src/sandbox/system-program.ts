// Finds the machine's own programs, which run outside of sandboxes: never in a folder that an agent can write to.
import { accessSync, constants } from "node:fs";
import { join } from "node:path";

const folders = [
  "/usr/bin",
  "/bin",
  "/usr/sbin",
  "/sbin",
  "/usr/local/bin",
  "/run/current-system/sw/bin",
  "/run/current-system/profile/bin",
];

/** The PATH of programs that run outside of sandboxes: they start others. */
export const SYSTEM_PATH = folders.join(":");

/** The path of a program; undefined when the machine does not have it. PATH is not asked: agents can add to it. */
export function findSystemProgram(name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** The same; for one that the machine does not have, a path at which it is missing. */
export function systemProgramPath(name: string): string {
  return findSystemProgram(name) ?? join("/usr/bin", name);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// Finds the machine's own programs, which run outside of sandboxes: never in a folder that an agent can write to.
import { accessSync, constants } from "node:fs";
import { join } from "node:path";

const folders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/run/current-system/sw/bin"];

/** The path of a program; undefined when the machine does not have it. PATH is not asked: agents can add to it. */
export function findSystemProgram(name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

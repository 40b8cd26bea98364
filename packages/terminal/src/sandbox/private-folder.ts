// The folders of a user that no sandbox sees: pipes of spawn helpers, and nonces of shells.
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The name is the same for all programs of a user, so that each hides the files of all. */
export function privateFolderIn(parent: string): string {
  return join(parent, `holdfast-private-${process.getuid?.() ?? 0}`);
}

/** Makes the folder if it is missing; throws where there is no such parent, or where another user took the name. */
export function makePrivateFolder(parent: string): string {
  const folder = privateFolderIn(parent);
  requirePrivate(folder);
  return folder;
}

/** Makes a folder that only this user can enter, or throws. */
export function requirePrivate(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const found = lstatSync(folder);
  if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0) return;
  throw new Error(`${folder} is not a folder of this user alone`);
}

/** All of them, made where they are missing: a folder that is made later could not be hidden any more. */
export function makePrivateFolders(): string[] {
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  const parents = [tmpdir(), "/dev/shm", ...(runtime === undefined || runtime === "" ? [] : [runtime])];
  return parents.flatMap((parent) => {
    try {
      return [makePrivateFolder(parent)];
    } catch {
      // No such parent, or nothing of ours is in it.
      return [];
    }
  });
}

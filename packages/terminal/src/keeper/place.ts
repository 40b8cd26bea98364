// Where the keeper of a home has its socket and its files, and who may use them.
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePrivateFolder, requirePrivate } from "../sandbox/private-folder.ts";
import { platform } from "../process/platform.ts";

/** The longest path of a Unix socket; the kernel cuts or refuses longer ones. */
const maxSocketPathBytes = platform.isDarwin ? 103 : 107;

/** The folder in the home for what only running processes need. */
export const RUN_FOLDER = "run";

/** The files of one home's keeper. */
export interface KeeperPlace {
  /** The home without symbolic links: its keeper is known by it. */
  readonly home: string;
  /** For this user alone; no sandbox sees it. */
  readonly folder: string;
  readonly socket: string;
  readonly lock: string;
  /** The secret of those who may connect. */
  readonly key: string;
  /** Held output that memory does not hold. */
  readonly heldFolder: string;
  /** The first process of each run, for a keeper that comes after one that was killed. */
  readonly leaders: string;
  readonly log: string;
}

/** Finds the files of a home's keeper and makes the folder; throws where it is not this user's alone. */
export function findPlace(homeFolder: string): KeeperPlace {
  mkdirSync(homeFolder, { recursive: true, mode: 0o700 });
  const home = realpathSync(homeFolder);
  const folder = join(home, RUN_FOLDER);
  requirePrivate(folder);
  return {
    home,
    folder,
    socket: socketPath(home, folder),
    lock: join(folder, "keeper.lock"),
    key: join(folder, "keeper.key"),
    heldFolder: join(folder, "keeper-held"),
    leaders: join(folder, "keeper-leaders"),
    log: join(home, "keeper.log"),
  };
}

/** In the home, else in a folder with a short path that is hidden from sandboxes as well. */
function socketPath(home: string, folder: string): string {
  const path = join(folder, "keeper.sock");
  if (Buffer.byteLength(path) <= maxSocketPathBytes) return path;
  const name = `keeper-${createHash("sha256").update(home).digest("hex").slice(0, 16)}`;
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  for (const parent of [runtime, tmpdir(), "/tmp"]) {
    if (parent === undefined || parent === "") continue;
    const short = shortPath(parent, name);
    if (short !== undefined) return short;
  }
  throw new Error(`The keeper has no socket: ${path} is longer than ${maxSocketPathBytes} bytes`);
}

function shortPath(parent: string, name: string): string | undefined {
  try {
    const path = join(makePrivateFolder(parent), name);
    return Buffer.byteLength(path) <= maxSocketPathBytes ? path : undefined;
  } catch {
    // No such folder, or another user has taken the name.
    return undefined;
  }
}

/** Whether a socket is there; throws when it is not this user's. */
export function checkSocket(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (found.isSocket() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0) return true;
  throw new Error(`${path} is not a socket of this user alone; remove it`);
}

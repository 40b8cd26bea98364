// The repository of a worktree or submodule, which lies elsewhere: git writes there, and only there.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import path from "node:path";

/** Larger files are none of git's pointers; its configuration is longer. */
const maxPointerBytes = 4096;
const maxConfigBytes = 64 * 1024;

/**
 * The folder that a commit in `root` writes to, if `root` is linked to a repository elsewhere. The agent can write
 * `.git` in its own folder, so that it is believed only where the repository names `root` in turn, which needs rights
 * to write there (V741).
 */
export function linkedRepository(root: string): string | undefined {
  const link = path.join(root, ".git");
  const named = readLink(link);
  if (named === undefined) return undefined;
  try {
    const own = realpathSync(path.resolve(root, named));
    return worktreeOf(own, link) ?? submoduleOf(own, root);
  } catch {
    // It names nothing that is there.
    return undefined;
  }
}

/** The problem of a `.git` file that leads nowhere, as a sentence; undefined where there is none (C867). */
export function brokenLink(root: string): string | undefined {
  const link = path.join(root, ".git");
  const remedy = "Correct the path in it, or remove the file.";
  if (lstatSync(link, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const named = readLink(link);
  if (named === undefined) return `${link} does not name a git folder. ${remedy}`;
  const target = path.resolve(root, named);
  if (statSync(target, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
  return `${link} names the git folder ${target}, which does not exist. ${remedy}`;
}

function readLink(link: string): string | undefined {
  return /^gitdir: ([^\n]+)\n*$/.exec(readSmallFile(link, maxPointerBytes) ?? "")?.[1]?.replace(/\r+$/, "");
}

/** The repository of a worktree: it keeps what belongs to the worktree in `worktrees/NAME`, with a way back. */
function worktreeOf(own: string, link: string): string | undefined {
  const common = path.dirname(path.dirname(own));
  if (path.join(common, "worktrees", path.basename(own)) !== own) return undefined;
  const named = readSmallFile(path.join(own, "commondir"), maxPointerBytes)?.trim();
  if (named === undefined || realpathSync(path.resolve(own, named)) !== common) return undefined;
  const back = readSmallFile(path.join(own, "gitdir"), maxPointerBytes)?.trim();
  const isBack = back !== undefined && realpathSync(path.resolve(own, back)) === realpathSync(link);
  return isBack && isRepository(common) ? common : undefined;
}

/** The repository of a submodule, whose configuration names the folder. */
function submoduleOf(own: string, root: string): string | undefined {
  const config = readSmallFile(path.join(own, "config"), maxConfigBytes) ?? "";
  // Only a line feed ends a line of git: a value may have carriage returns.
  const named = /(?:^|\n)[ \t]*worktree[ \t]*=([^\n]+)/.exec(config)?.[1]?.trim();
  if (named === undefined || realpathSync(path.resolve(own, named)) !== realpathSync(root)) return undefined;
  return isRepository(own) ? own : undefined;
}

/** Else a folder that happens to be above one called `worktrees` would do. */
function isRepository(folder: string): boolean {
  const isThere = (name: string, kind: "isFile" | "isDirectory"): boolean =>
    statSync(path.join(folder, name), { throwIfNoEntry: false })?.[kind]() === true;
  return isThere("HEAD", "isFile") && isThere("objects", "isDirectory") && isThere("refs", "isDirectory");
}

/** The text of a plain file of at most so many bytes. An agent may put anything in its place: a pipe would block the host. */
function readSmallFile(file: string, maxBytes: number): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    // It is not there, or a link.
    return undefined;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    const bytes = Buffer.alloc(maxBytes);
    return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, maxBytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

// Opening of files by paths that were checked: a descriptor counts only when it is at the path that was asked about.
import { constants, type Dirent, existsSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const { O_CREAT, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY, O_RDONLY, O_RDWR } = constants;

/** A path led elsewhere than when it was checked: somebody exchanges its folders or links. */
export class PathChanged extends Error {
  constructor(realPath: string) {
    super(`${realPath} leads elsewhere than when it was checked. Nothing was read or written; try again`);
    this.name = "PathChanged";
  }
}

/** How it is known where a descriptor's file lies, and how names in an open folder are reached. */
export interface DescriptorPaths {
  isAt(file: FileHandle, realPath: string): Promise<boolean>;
  /** A path of a name in a folder that was opened. */
  within(folder: FileHandle, folderPath: string, name: string): string;
  /** Whether such a path stays in that folder, so that a name in it can be removed without harm. */
  readonly holdsFolder: boolean;
}

/** The system itself says where a descriptor is, and a name is looked up in the folder that is open, wherever it is. */
export const byProcfs: DescriptorPaths = {
  isAt: async (file, realPath) => (await readlink(`/proc/self/fd/${file.fd}`)) === realPath,
  within: (folder, _folderPath, name) => `/proc/self/fd/${folder.fd}/${name}`,
  holdsFolder: true,
};

/**
 * Without procfs (macOS, some containers): after the descriptor was opened, its path must have no links and lead to
 * the same file. A name is looked up by its path, so a folder that is exchanged in that moment may get an empty file
 * or folder; nothing is written into it.
 */
export const byComparison: DescriptorPaths = {
  isAt: async (file, realPath) => {
    const found = await file.stat({ bigint: true });
    const real = await realpath(realPath).catch(() => undefined);
    const named = await lstat(realPath, { bigint: true }).catch(() => undefined);
    return real === realPath && named?.dev === found.dev && named.ino === found.ino;
  },
  within: (_folder, folderPath, name) => join(folderPath, name),
  holdsFolder: false,
};

const systemPaths = existsSync("/proc/self/fd") ? byProcfs : byComparison;

/** Another program may replace a file by renaming in just that moment, which is no attack. */
const maxAttempts = 5;

/** Opens what is at a path without links. Pipes do not block, and a terminal does not become the host's own. */
export async function openAt(
  realPath: string,
  flags: number,
  paths: DescriptorPaths = systemPaths,
): Promise<FileHandle> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const file = await openPlainly(realPath, flags, realPath);
    if (await isWhereExpected(file, realPath, paths)) return file;
    await file.close();
  }
  throw new PathChanged(realPath);
}

/**
 * Makes a file at a path without links, with the folders that are missing, and fills it; rejects with `EEXIST` when
 * something is there. A file that could not be filled is removed again.
 */
export async function createAt(
  realPath: string,
  fill: (file: FileHandle) => Promise<void>,
  paths: DescriptorPaths = systemPaths,
): Promise<void> {
  const folderPath = dirname(realPath);
  const folder = await openFolder(folderPath, paths);
  try {
    const name = paths.within(folder, folderPath, basename(realPath));
    const file = await open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
    try {
      if (!(await isWhereExpected(file, realPath, paths))) throw new PathChanged(realPath);
      await fill(file);
    } catch (error) {
      // Where it cannot be removed, it stays without content.
      await (paths.holdsFolder ? unlink(name) : file.truncate()).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
  } finally {
    await folder.close();
  }
}

/** Makes a folder at a path without links, with those above it; one that is there stays as it is. */
export async function makeFolderAt(realPath: string, paths: DescriptorPaths = systemPaths): Promise<void> {
  await (await openFolder(realPath, paths)).close();
}

/**
 * Does something with a name in its folder, which is open meanwhile: wherever the folder is moved, the name is looked
 * up in it. The last name itself may be a link, which is not followed.
 */
export async function withNameAt<Result>(
  realPath: string,
  use: (name: string) => Promise<Result>,
  paths: DescriptorPaths = systemPaths,
): Promise<Result> {
  const folderPath = dirname(realPath);
  const folder = await openAt(folderPath, O_RDONLY | O_DIRECTORY, paths);
  try {
    return await use(paths.within(folder, folderPath, basename(realPath)));
  } finally {
    await folder.close();
  }
}

/** A folder that is open, and the paths of the names in it. */
export interface OpenFolder {
  readonly entries: readonly Dirent[];
  readonly at: (name: string) => string;
}

/** Does something with the entries of a folder at a path without links. */
export async function withFolderAt<Result>(
  realPath: string,
  use: (folder: OpenFolder) => Promise<Result>,
  paths: DescriptorPaths = systemPaths,
): Promise<Result> {
  return useFolder(await openAt(realPath, O_RDONLY | O_DIRECTORY, paths), realPath, use, paths);
}

/** Does something with the entries of a folder that is a name in an open one. */
export async function withFolderNamed<Result>(
  name: string,
  use: (folder: OpenFolder) => Promise<Result>,
  paths: DescriptorPaths = systemPaths,
): Promise<Result> {
  return useFolder(await openPlainly(name, O_RDONLY | O_DIRECTORY, name), name, use, paths);
}

async function useFolder<Result>(
  folder: FileHandle,
  path: string,
  use: (folder: OpenFolder) => Promise<Result>,
  paths: DescriptorPaths,
): Promise<Result> {
  try {
    const at = (name: string): string => paths.within(folder, path, name);
    return await use({ entries: await readdir(at("."), { withFileTypes: true }), at });
  } finally {
    await folder.close();
  }
}

/** Opens a folder; one that is missing is made in its parent, which is opened the same way. */
async function openFolder(realPath: string, paths: DescriptorPaths): Promise<FileHandle> {
  try {
    return await openAt(realPath, O_RDONLY | O_DIRECTORY, paths);
  } catch (error) {
    const parentPath = dirname(realPath);
    if (codeOf(error) !== "ENOENT" || parentPath === realPath) throw error;
    const parent = await openFolder(parentPath, paths);
    try {
      const name = paths.within(parent, parentPath, basename(realPath));
      await mkdir(name).catch((failure: unknown) => {
        // Somebody else has made it; what it is shows when it is opened.
        if (codeOf(failure) !== "EEXIST") throw failure;
      });
      const folder = await openPlainly(name, O_RDONLY | O_DIRECTORY, realPath);
      if (await isWhereExpected(folder, realPath, paths)) return folder;
      await folder.close();
      throw new PathChanged(realPath);
    } finally {
      await parent.close();
    }
  }
}

async function openPlainly(path: string, flags: number, realPath: string): Promise<FileHandle> {
  try {
    return await open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    // The last name is a link now. Of a folder, the system says only that it is none.
    const isLink =
      codeOf(error) === "ENOTDIR" && (await lstat(path).catch(() => undefined))?.isSymbolicLink();
    throw codeOf(error) === "ELOOP" || isLink === true ? new PathChanged(realPath) : error;
  }
}

async function isWhereExpected(file: FileHandle, realPath: string, paths: DescriptorPaths): Promise<boolean> {
  try {
    return await paths.isAt(file, realPath);
  } catch (error) {
    await file.close();
    throw error;
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

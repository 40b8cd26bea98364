// Files and folders for clients: listed, described, written, made, copied, moved and deleted.
import { constants, type BigIntStats, type Dirent } from "node:fs";
import { lstat, readlink, rename, rmdir, stat, symlink, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import {
  PathChanged,
  codeOf,
  createAt,
  makeFolderAt,
  openAt,
  withFolderAt,
  withFolderNamed,
  withNameAt,
} from "./checked-open.ts";
import { RESOURCE_NOT_FOUND, type ResolvedFile, liesIn, writeWholeFile } from "./files.ts";
import type { FileClient, SharedAccess } from "./shared-access.ts";

/** An entry of a folder. */
export interface ListedEntry {
  readonly name: string;
  readonly type: "file" | "directory";
}

/** A file, folder or link, as it is now. */
export interface ResourceInfo {
  readonly uri: string;
  readonly type: "file" | "directory" | "symlink";
  readonly size: number;
  readonly mtime: string;
  readonly ctime: string;
  /** Changes with every write. */
  readonly etag: string;
}

/** A change of a file: its bytes, and where they go. */
export interface ResourceWrite {
  readonly bytes: Buffer;
  readonly createOnly?: boolean | undefined;
  readonly mode?: "truncate" | "append" | "insert" | undefined;
  readonly position?: number | undefined;
  readonly ifMatch?: string | undefined;
}

const maxEntries = 50_000;
const maxFileBytes = 32 * 1024 * 1024;
const copyChunkBytes = 1024 * 1024;

/** The files of a host's sessions, for changes. */
export class Resources {
  readonly #access: SharedAccess;
  /** The last change of each path: one after the other, so that appends do not overwrite each other. */
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(access: SharedAccess) {
    this.#access = access;
  }

  async list(uri: string, client: FileClient): Promise<ListedEntry[]> {
    const { realPath } = await this.#access.require("read", uri, client);
    return explained(uri, () =>
      withFolderAt(realPath, async ({ entries, at }) => {
        if (entries.length > maxEntries) {
          throw new HostError(
            "BODY_TOO_LARGE",
            `${uri} has more than ${maxEntries} entries. List a subfolder.`,
          );
        }
        const listed = await Promise.all(entries.map(async (entry) => listEntry(entry, at(entry.name))));
        return listed.toSorted((one, other) => (one.name < other.name ? -1 : 1));
      }),
    );
  }

  async resolve(uri: string, followsLinks: boolean, client: FileClient): Promise<ResourceInfo> {
    const realPath = followsLinks
      ? (await this.#access.require("read", uri, client)).realPath
      : await this.#access.requireName("read", uri, client);
    return explained(uri, async () => {
      const found = await withNameAt(realPath, (name) => lstat(name, { bigint: true }));
      return {
        uri: followsLinks ? pathToFileURL(realPath).href : uri,
        type: found.isSymbolicLink() ? "symlink" : found.isDirectory() ? "directory" : "file",
        size: Number(found.size),
        mtime: found.mtime.toISOString(),
        ctime: found.birthtime.toISOString(),
        etag: etagOf(found),
      };
    });
  }

  async write(uri: string, write: ResourceWrite, client: FileClient): Promise<void> {
    const file = await this.#access.require("write", uri, client);
    await this.#inTurn(file.realPath, () =>
      this.#recorded(file.realPath, client, () => explained(uri, () => writeAs(file, uri, write))),
    );
  }

  async makeFolder(uri: string, client: FileClient): Promise<void> {
    const { realPath } = await this.#access.require("write", uri, client);
    const isFolder = (await stat(realPath).catch(() => undefined))?.isDirectory();
    if (isFolder === true) return;
    if (isFolder === false) {
      throw new HostError("FILE_EXISTS", `${uri} already exists and is a file. Choose another name.`);
    }
    await this.#recorded(realPath, client, () => explained(uri, () => makeFolderAt(realPath)));
  }

  /** Copies a file, or a folder with all that is in it; a folder is not copied over another. */
  async copy(source: string, destination: string, failIfExists: boolean, client: FileClient): Promise<void> {
    const from = (await this.#access.require("read", source, client)).realPath;
    const to = (await this.#access.require("write", destination, client)).realPath;
    const isFolder = (await stat(from).catch(notFound(source))).isDirectory();
    if (failIfExists || isFolder) await requireFree(to, destination);
    if (isFolder && liesIn(to, [from])) {
      throw new HostError(
        "INVALID_REQUEST",
        `A folder cannot be copied into itself: ${destination} is inside ${source}.`,
      );
    }
    await this.#recorded(to, client, () => explained(source, () => copyAt(from, to)));
  }

  /** Moves a file or a folder; what is at the destination is replaced if it can be. */
  async move(source: string, destination: string, failIfExists: boolean, client: FileClient): Promise<void> {
    const from = await this.#access.requireName("write", source, client);
    const to = await this.#access.requireName("write", destination, client);
    this.#access.requireNoRoot(from, source);
    this.#access.requireNoRoot(to, destination);
    if (failIfExists) await requireFree(to, destination);
    await this.#recorded(to, client, () =>
      explained(source, () => withNameAt(from, (name) => withNameAt(to, (newName) => rename(name, newName)))),
    );
  }

  async delete(uri: string, isRecursive: boolean, client: FileClient): Promise<void> {
    const realPath = await this.#access.requireName("write", uri, client);
    this.#access.requireNoRoot(realPath, uri);
    await this.#recorded(realPath, client, () =>
      explained(uri, () => withNameAt(realPath, (name) => removeAt(name, isRecursive))),
    );
  }

  async #recorded(realPath: string, client: FileClient, change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } catch (error) {
      this.#access.recordUse(
        "write",
        realPath,
        client,
        error instanceof Error ? error.message : String(error),
      );
      throw error;
    }
    this.#access.recordUse("write", realPath, client);
  }

  async #inTurn(realPath: string, change: () => Promise<void>): Promise<void> {
    const before = this.#changes.get(realPath) ?? Promise.resolve();
    const mine = before.then(change, change);
    this.#changes.set(realPath, mine);
    try {
      await mine;
    } finally {
      if (this.#changes.get(realPath) === mine) this.#changes.delete(realPath);
    }
  }
}

/** A link counts as what it leads to; one that leads nowhere as a file. */
async function listEntry(entry: Dirent, place: string): Promise<ListedEntry> {
  const isFolder = entry.isSymbolicLink()
    ? await stat(place).then(
        (found) => found.isDirectory(),
        () => false,
      )
    : entry.isDirectory();
  return { name: entry.name, type: isFolder ? "directory" : "file" };
}

function etagOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].map((each) => each.toString(36)).join("-");
}

async function writeAs(file: ResolvedFile, uri: string, write: ResourceWrite): Promise<void> {
  const { bytes, createOnly = false, mode = "truncate", position = 0, ifMatch } = write;
  const { realPath } = file;
  if (!(await stat(dirname(realPath)).catch(notFound(uri))).isDirectory()) throw missing(uri);
  if (createOnly) return createAt(realPath, (created) => created.writeFile(bytes));
  if (ifMatch !== undefined) await requireMatch(realPath, uri, ifMatch);
  if (mode === "truncate" && position === 0) return writeWholeFile(file, bytes);
  const existing = await readExisting(realPath, uri);
  const at = Math.min(
    existing.length,
    mode === "append" ? Math.max(0, existing.length - position) : position,
  );
  const rest = mode === "truncate" ? [] : [existing.subarray(at)];
  await writeWholeFile(file, Buffer.concat([existing.subarray(0, at), bytes, ...rest]));
}

async function requireMatch(realPath: string, uri: string, ifMatch: string): Promise<void> {
  const found = await withNameAt(realPath, (name) => lstat(name, { bigint: true }));
  if (etagOf(found) !== ifMatch) {
    throw new HostError("FILE_CHANGED", `${uri} was changed by somebody else. Read it again first.`);
  }
}

async function readExisting(realPath: string, uri: string): Promise<Buffer> {
  const file = await openAt(realPath, constants.O_RDONLY).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return Buffer.alloc(0);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw missing(uri);
    if (found.size > maxFileBytes) {
      throw new HostError(
        "BODY_TOO_LARGE",
        `${uri} has ${found.size} bytes; only files of at most ${maxFileBytes} bytes can be changed in part.`,
      );
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** A file replaces another by its name, so that readers see the old content or the new. */
async function copyAt(from: string, to: string): Promise<void> {
  const found = await withNameAt(from, (name) => lstat(name));
  if (found.isSymbolicLink()) {
    const target = await withNameAt(from, (name) => readlink(name));
    return withNameAt(to, (name) => symlink(target, name));
  }
  if (!found.isDirectory()) return copyFileAt(from, to);
  await makeFolderAt(to);
  const names = await withFolderAt(from, async ({ entries }) => entries.map(({ name }) => name));
  for (const name of names) await copyAt(join(from, name), join(to, name));
}

async function copyFileAt(from: string, to: string): Promise<void> {
  const source = await openAt(from, constants.O_RDONLY);
  const part = join(dirname(to), `.${basename(to)}.${process.pid}.part`);
  try {
    if (!(await source.stat()).isFile()) throw missing(pathToFileURL(from).href);
    await createAt(part, async (created) => {
      const chunk = Buffer.allocUnsafe(copyChunkBytes);
      for (;;) {
        const { bytesRead } = await source.read(chunk, 0, chunk.length, null);
        if (bytesRead === 0) return;
        await created.writeFile(chunk.subarray(0, bytesRead));
      }
    });
    await withNameAt(to, (name) => withNameAt(part, (partName) => rename(partName, name)));
  } finally {
    await source.close();
  }
}

async function removeAt(name: string, isRecursive: boolean): Promise<void> {
  if (!(await lstat(name)).isDirectory()) return unlink(name);
  if (isRecursive) {
    await withFolderNamed(name, async ({ entries, at }) => {
      for (const entry of entries) await removeAt(at(entry.name), isRecursive);
    });
  }
  await rmdir(name);
}

async function requireFree(realPath: string, uri: string): Promise<void> {
  const found = await lstat(realPath).catch(() => undefined);
  if (found !== undefined) throw new HostError("FILE_EXISTS", `${uri} exists already.`);
}

function missing(uri: string, cause?: unknown): HostError {
  return new HostError(
    "FILE_NOT_FOUND",
    `${uri} does not exist, or is a folder where a file is needed (or the reverse).`,
    { cause },
  );
}

function notFound(uri: string): (cause: unknown) => never {
  return (cause) => {
    throw missing(uri, cause);
  };
}

const missingCodes: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);
const existsCodes: ReadonlySet<string | undefined> = new Set(["EEXIST", "ENOTEMPTY"]);
const deniedCodes: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM", "EROFS"]);

/** The errors of the system as clients know them. */
async function explained<Result>(uri: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const options = { cause: error };
    if (error instanceof RpcError && error.code === RESOURCE_NOT_FOUND) throw missing(uri, error);
    if (error instanceof HostError || error instanceof RpcError) throw error;
    if (error instanceof PathChanged) throw new HostError("FILE_CHANGED", error.message, options);
    const code = codeOf(error);
    if (missingCodes.has(code)) throw missing(uri, error);
    if (existsCodes.has(code)) throw new HostError("FILE_EXISTS", `${uri} exists, or is not empty.`, options);
    if (deniedCodes.has(code)) {
      throw new HostError(
        "PERMISSION_DENIED",
        `The operating system does not allow the host to do this to ${uri}.`,
        options,
      );
    }
    throw error;
  }
}

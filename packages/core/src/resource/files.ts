// File access of a session for its agent, and the test whether a path is inside the session's folders.
import { mkdir, readFile, readlink, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import { isInsideRoots } from "@holdfast/terminal/acp-parts";

/** Text files larger than this are not for a protocol of lines. */
const maxFileBytes = 32 * 1024 * 1024;

/** A larger file is not compared with its new text: that would keep the host busy. */
const maxDiffBytes = 1024 * 1024;

/** Refuses what is not an absolute path. */
export function checkPath(path: unknown): string {
  if (typeof path === "string" && isAbsolute(path) && !path.includes("\0")) return path;
  throw new RpcError(ErrorCode.invalidParams, `path must be an absolute path, not ${JSON.stringify(path)}`);
}

/** True when a path, links followed, lies in one of the folders; a file that is yet to be made counts by its folder. */
export async function isInside(path: string, roots: readonly string[]): Promise<boolean> {
  return isInsideRoots(await followLinks(path), roots);
}

/** Refuses a path that no longer leads where it led when a person was asked about it. */
export async function checkUnmoved(path: string, expected: string): Promise<void> {
  if ((await followLinks(path)) === expected) return;
  throw new RpcError(
    ErrorCode.invalidParams,
    `${path} no longer leads to ${expected}, which was asked about; ask again`,
    { path },
  );
}

/** As many links to nothing as the system itself would follow. */
const maxDanglingLinks = 40;

/** The path that a path leads to; of a file that is yet to be made, by its folder. */
export async function followLinks(path: string, linksLeft: number = maxDanglingLinks): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // It does not exist: its folder decides, up to one that does. A link to nothing is written through, not over.
    const parent = dirname(path);
    if (parent === path) return path;
    const folder = await followLinks(parent, linksLeft);
    const target =
      linksLeft === 0 ? undefined : await readlink(join(folder, basename(path))).catch(() => undefined);
    return target === undefined
      ? join(folder, basename(path))
      : followLinks(resolve(folder, target), linksLeft - 1);
  }
}

/** Refuses what cannot be read as text: what is not there, is no file, or is too large. */
export async function checkReadable(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw explain(error, path);
  });
  // A pipe or a device might never end.
  if (!found.isFile()) throw notAFile(path);
  if (found.size > maxFileBytes) {
    throw new RpcError(
      ErrorCode.invalidParams,
      `${path} has ${found.size} bytes; at most ${maxFileBytes} can be read at once`,
      { path },
    );
  }
}

/** The text of a file, or some of its lines: `line` counts from 1. */
export async function readTextFile(
  path: string,
  line?: number | null,
  limit?: number | null,
): Promise<string> {
  const text = await readWhole(path);
  if ((line === undefined || line === null) && (limit === undefined || limit === null)) return text;
  const first = Math.max((line ?? 1) - 1, 0);
  const lines = text.split(/(?<=\n)/);
  return lines.slice(first, limit === undefined || limit === null ? undefined : first + limit).join("");
}

async function readWhole(path: string): Promise<string> {
  await checkReadable(path);
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw explain(error, path);
  }
}

/** The text of a file for a diff; undefined where there is none, or none that people could read. */
export async function readTextNow(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true || found.size > maxDiffBytes) return undefined;
  return readFile(path, "utf8").catch(() => undefined);
}

/** Writes a file whole, making it and its folders where they are missing. */
export async function writeTextFile(path: string, content: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  // A pipe that nobody reads would be waited for.
  if (found?.isFile() === false) throw notAFile(path);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  } catch (error) {
    throw explain(error, path);
  }
}

function notAFile(path: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, `${path} is not a file`, { path });
}

/** ACP's number for something that is not there. */
const resourceNotFound = -32002;

function explain(error: unknown, path: string): RpcError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new RpcError(resourceNotFound, `No such file: ${path}`, { path });
  return new RpcError(ErrorCode.internalError, `${path}: ${message}`, { path, code });
}

/** Resolves when there is such a directory; else an error that names it. */
export async function checkWorkingDirectory(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new HostError(
    "ACP_INVALID_OPTION",
    `cwd: there is no directory ${folder}. Create it, or name another.`,
  );
}

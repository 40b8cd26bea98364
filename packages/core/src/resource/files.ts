// Reads and writes the files of a session for its agent, and tells what lies inside the session's folders.
import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { isInsideRoots } from "@holdfast/terminal/acp-parts";

/** Text files larger than this are not for a protocol of lines. */
const maxFileBytes = 32 * 1024 * 1024;

/** Refuses what is not an absolute path. */
export function checkPath(path: unknown): string {
  if (typeof path === "string" && isAbsolute(path) && !path.includes("\0")) return path;
  throw new RpcError(ErrorCode.invalidParams, `path must be an absolute path, not ${JSON.stringify(path)}`);
}

/** True when a path, links followed, lies in one of the folders; a file that is yet to be made counts by its folder. */
export async function isInside(path: string, roots: readonly string[]): Promise<boolean> {
  return isInsideRoots(await followLinks(path), roots);
}

async function followLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // It does not exist: its folder decides, up to one that does.
    const parent = dirname(path);
    return parent === path ? path : join(await followLinks(parent), basename(path));
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
  try {
    const bytes = await readFile(path);
    if (bytes.length > maxFileBytes) {
      throw new RpcError(
        ErrorCode.invalidParams,
        `${path} has ${bytes.length} bytes; at most ${maxFileBytes} can be read at once`,
      );
    }
    return bytes.toString("utf8");
  } catch (error) {
    throw explain(error, path);
  }
}

/** Writes a file whole, making it and its folders where they are missing. */
export async function writeTextFile(path: string, content: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  } catch (error) {
    throw explain(error, path);
  }
}

/** ACP's number for something that is not there. */
const resourceNotFound = -32002;

function explain(error: unknown, path: string): RpcError {
  if (error instanceof RpcError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new RpcError(resourceNotFound, `No such file: ${path}`, { path });
  return new RpcError(ErrorCode.internalError, `${path}: ${message}`, { path, code });
}

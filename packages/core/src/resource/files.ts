// File access of a session for its agent, and the test whether a path is inside the session's folders.
import { constants } from "node:fs";
import { type FileHandle, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import { PathChanged, codeOf, createAt, openAt } from "./checked-open.ts";
import { liesIn } from "./inside.ts";
import { followLinks } from "./links.ts";

export { liesIn } from "./inside.ts";

/** Text files larger than this are not for a protocol of lines. */
const maxFileBytes = 32 * 1024 * 1024;

/** A file as it was found when somebody was about to be asked; only this place is opened afterwards (N675). */
export interface ResolvedFile {
  /** The path that the agent named. */
  readonly path: string;
  /** The same without links: what a person is asked about. */
  readonly realPath: string;
  /** Whether it has further names (hard links), which may lie anywhere (N678). */
  readonly hasOtherNames: boolean;
}

/** A larger file is not compared with its new text: that would keep the host busy. */
const maxDiffBytes = 1024 * 1024;

/** Refuses what is not an absolute path. */
export function checkPath(path: unknown): string {
  if (typeof path === "string" && isAbsolute(path) && !path.includes("\0")) return path;
  throw new RpcError(ErrorCode.invalidParams, `path must be an absolute path, not ${JSON.stringify(path)}`);
}

/** Follows a path's links; the file need not exist. */
export async function resolveFile(path: string): Promise<ResolvedFile> {
  const realPath = await followLinks(path);
  const found = await stat(realPath).catch(() => undefined);
  return { path, realPath, hasOtherNames: found?.isFile() === true && found.nlink > 1 };
}

/** True when a path, links followed, lies in one of the folders; a file that is yet to be made counts by its folder. */
export async function isInside(path: string, realRoots: readonly string[]): Promise<boolean> {
  return liesIn(await followLinks(path), realRoots);
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

/** Refuses what cannot be read as text: what is not there, is no file, or is too large. */
export async function checkReadable({ path, realPath }: ResolvedFile): Promise<void> {
  const found = await stat(realPath).catch((error: unknown) => {
    throw explain(error, path);
  });
  refuseUnreadable(found, path);
}

function refuseUnreadable(found: { isFile(): boolean; readonly size: number }, path: string): void {
  // A pipe or a device might never end.
  if (!found.isFile()) throw notAFile(path);
  if (found.size > maxFileBytes) throw tooLarge(path, found.size);
}

/** The text of a file, or some of its lines: `line` counts from 1. */
export async function readTextFile(
  file: ResolvedFile,
  line?: number | null,
  limit?: number | null,
): Promise<string> {
  return selectLines(await readWhole(file), line, limit);
}

/** Some lines of a text: `line` counts from 1. */
export function selectLines(text: string, line?: number | null, limit?: number | null): string {
  if ((line === undefined || line === null) && (limit === undefined || limit === null)) return text;
  const first = Math.max((line ?? 1) - 1, 0);
  const lines = text.split(/(?<=\n)/);
  return lines.slice(first, limit === undefined || limit === null ? undefined : first + limit).join("");
}

async function readWhole({ path, realPath }: ResolvedFile): Promise<string> {
  try {
    await refuseOtherKinds(realPath, path);
    const file = await openAt(realPath, constants.O_RDONLY);
    try {
      refuseUnreadable(await file.stat(), path);
      const bytes = await readBytes(file, maxFileBytes);
      if (bytes === undefined) throw tooLarge(path, `more than ${maxFileBytes}`);
      return bytes.toString("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    throw explain(error, path);
  }
}

/** The text of a file for a diff; undefined where there is none, or none that people could read. */
export async function readTextNow({ realPath }: ResolvedFile): Promise<string | undefined> {
  try {
    await refuseOtherKinds(realPath, realPath);
    const file = await openAt(realPath, constants.O_RDONLY);
    try {
      return (await readBytes(file, maxDiffBytes))?.toString("utf8");
    } finally {
      await file.close();
    }
  } catch {
    // The write itself says what is wrong with the file.
    return undefined;
  }
}

/** To open a device may already do something. What counts is what the descriptor says later. */
async function refuseOtherKinds(realPath: string, path: string): Promise<void> {
  const found = await stat(realPath).catch(() => undefined);
  if (found?.isFile() === false) throw notAFile(path);
}

/** The content from the beginning; undefined when there is more than `maxBytes`, also where the size says otherwise. */
async function readBytes(file: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const { size } = await file.stat();
  if (size > maxBytes) return undefined;
  let bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) return bytes.subarray(0, length);
    length += bytesRead;
    if (length > maxBytes) return undefined;
    // Files of the system say that they are empty.
    if (length === bytes.length) {
      bytes = Buffer.concat([bytes], Math.min(maxBytes + 1, Math.max(bytes.length * 2, 4096)));
    }
  }
}

/**
 * Writes a file whole, making it and its folders where they are missing (N676). A file that exists is overwritten
 * where it is and not replaced by renaming: so it keeps its owner, mode, attributes, further names and the programs
 * that watch it, and only the descriptor that was checked is written to. Its previous content is put back when that
 * fails (N677).
 */
export async function writeTextFile(file: ResolvedFile, content: string): Promise<void> {
  await writeWholeFile(file, Buffer.from(content));
}

/** The same with bytes. */
export async function writeWholeFile(file: ResolvedFile, bytes: Buffer): Promise<void> {
  const { path, realPath } = file;
  try {
    if (await overwrite(file, bytes)) return;
    await createAt(realPath, (created) => writeBytes(created, bytes)).catch(async (error: unknown) => {
      // Somebody else has made it in the meantime.
      const isThere = codeOf(error) === "EEXIST" && (await overwrite(file, bytes));
      if (!isThere) throw failedWrite(error, path, "The file was not made");
    });
  } catch (error) {
    throw explain(error, path);
  }
}

/** False when there is no such file. */
async function overwrite({ path, realPath, hasOtherNames }: ResolvedFile, bytes: Buffer): Promise<boolean> {
  await refuseOtherKinds(realPath, path);
  const file = await openWritable(realPath);
  if (file === undefined) return false;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw notAFile(path);
    if (found.nlink > 1 && !hasOtherNames) throw new PathChanged(realPath);
    await replaceBytes(file, bytes, path);
    return true;
  } finally {
    await file.close();
  }
}

/** Open for reading as well, so that the content can be put back. */
async function openWritable(realPath: string): Promise<FileHandle | undefined> {
  try {
    return await openAt(realPath, constants.O_RDWR).catch((error: unknown) => {
      if (codeOf(error) !== "EACCES") throw error;
      return openAt(realPath, constants.O_WRONLY);
    });
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function replaceBytes(file: FileHandle, bytes: Buffer, path: string): Promise<void> {
  // The file may be write-only.
  const previous = await readBytes(file, maxFileBytes).catch(() => undefined);
  try {
    await writeBytes(file, bytes);
  } catch (error) {
    // The space of the previous content is still the file's, so a full disk has room for it.
    const isBack = previous !== undefined && (await succeeds(writeBytes(file, previous)));
    const consequence = isBack
      ? "The file has its previous content"
      : "The file is incomplete: write it again, or restore it";
    throw failedWrite(error, path, consequence);
  }
}

/** Cut off last: until then a longer previous content keeps its space. */
async function writeBytes(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    offset += (await file.write(bytes, offset, bytes.length - offset, offset)).bytesWritten;
  }
  await file.truncate(bytes.length);
}

function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function notAFile(path: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, `${path} is not a file`, { path });
}

function tooLarge(path: string, size: number | string): RpcError {
  return new RpcError(
    ErrorCode.invalidParams,
    `${path} has ${size} bytes; at most ${maxFileBytes} can be read at once`,
    { path },
  );
}

function failedWrite(error: unknown, path: string, consequence: string): unknown {
  if (error instanceof RpcError || error instanceof PathChanged) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new RpcError(ErrorCode.internalError, `${path}: ${message}. ${consequence}`, { path, code });
}

/** ACP's number for something that is not there. */
export const RESOURCE_NOT_FOUND = -32002;

/** Errors of the system for something that is no file. */
const notFileCodes: ReadonlySet<string | undefined> = new Set(["EISDIR", "ENXIO"]);

function explain(error: unknown, path: string): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof PathChanged) {
    return new RpcError(ErrorCode.invalidRequest, error.message, { path, code: "path_changed" });
  }
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new RpcError(RESOURCE_NOT_FOUND, `No such file: ${path}`, { path });
  if (notFileCodes.has(code)) return notAFile(path);
  return new RpcError(ErrorCode.internalError, `${path}: ${message}`, { path, code });
}

/** Resolves when there is such a directory; else an error that names it. */
export async function checkWorkingDirectory(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new HostError("ACP_INVALID_OPTION", `There is no folder ${folder}. Create it, or name another.`);
}

// A file that appears only when it is complete.
import type { Stats } from "node:fs";
import { lstat, open, readlink, realpath, rename, rm } from "node:fs/promises";
import path from "node:path";
import { CommandError, systemCode } from "./command-error.ts";
import { EXIT_CODES } from "./exit-codes.ts";

export type Write = (text: string) => Promise<void>;

/**
 * Writes beside the file and renames, so that an export that broke off is not taken for a whole one. The target of a
 * symbolic link is replaced, not the link; a device or pipe is written to as it is (C842).
 */
export async function writeWhole(file: string, copyTo: (write: Write) => Promise<void>): Promise<void> {
  try {
    const { target, isReplaceable } = await findTarget(file);
    if (!isReplaceable) return await writeTo(target, copyTo);
    const part = `${target}.part`;
    try {
      await writeTo(part, copyTo);
      await rename(part, target);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw new CommandError("FILE_NOT_WRITTEN", `${file} cannot be written (${code}).`, {
      exitCode: EXIT_CODES.setup,
      remedy: "Choose another file with --output.",
      cause: error,
    });
  }
}

async function writeTo(file: string, copyTo: (write: Write) => Promise<void>): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    await copyTo((text) => handle.appendFile(text));
  } finally {
    await handle.close();
  }
}

/** As many as Linux follows. */
const maxLinks = 40;

/** The file that a name leads to, also where that is still to be created. */
async function findTarget(file: string): Promise<{ target: string; isReplaceable: boolean }> {
  let target = file;
  for (let links = 0; links <= maxLinks; links += 1) {
    const stats = await lstat(target).catch(unlessMissing);
    if (stats === undefined || !stats.isSymbolicLink()) {
      return { target, isReplaceable: stats === undefined || stats.isFile() };
    }
    const folder = await realpath(path.dirname(target));
    // A link to an open file, such as /dev/stdout: its text may name nothing.
    if (folder.startsWith("/proc/")) return { target, isReplaceable: false };
    target = path.resolve(folder, await readlink(target));
  }
  // Opening it fails with the system's own reason.
  return { target: file, isReplaceable: false };
}

function unlessMissing(error: unknown): Stats | undefined {
  if (systemCode(error) === "ENOENT") return undefined;
  throw error;
}

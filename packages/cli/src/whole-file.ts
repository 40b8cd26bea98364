// A file that appears only when it is complete.
import { open, rename, rm } from "node:fs/promises";
import { CommandError, systemCode } from "./command-error.ts";
import { EXIT_CODES } from "./exit-codes.ts";

export type Write = (text: string) => Promise<void>;

/** Writes beside the file and renames, so that an export that broke off is not taken for a whole one. */
export async function writeWhole(file: string, copyTo: (write: Write) => Promise<void>): Promise<void> {
  const part = `${file}.part`;
  try {
    const handle = await open(part, "w", 0o600);
    try {
      await copyTo((text) => handle.appendFile(text));
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    const code = systemCode(error);
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw new CommandError("FILE_NOT_WRITTEN", `${file} cannot be written (${code}).`, {
      exitCode: EXIT_CODES.setup,
      remedy: "Choose another file with --output.",
      cause: error,
    });
  }
}

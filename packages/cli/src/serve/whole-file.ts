// Small private files of a home, written so that a reader, or the next start after a crash, finds them whole or not at all.
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { EXIT_CODES } from "../exit-codes.ts";
import { StartError, systemCode } from "../command-error.ts";

/** Windows has no such flags. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;

/**
 * Opens a file of the home, and only a file: a link may lead to somebody else's, which must be neither read as ours
 * nor given our mode (C225). Without flags it is read.
 */
export function openOwnFile(file: string, flags: number = constants.O_RDONLY): number {
  let descriptor: number;
  try {
    descriptor = openSync(file, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    throw systemCode(error) === "ELOOP" ? notAFile(file, "a symbolic link", error) : error;
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw notAFile(file, "not a file");
}

/** Refuses what is no file in the place of one; there may be nothing. */
export function checkOwnFile(file: string): void {
  try {
    closeSync(openOwnFile(file));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

function notAFile(file: string, what: string, cause?: unknown): StartError {
  return new StartError(
    EXIT_CODES.setup,
    `${file} is ${what}, which Holdfast does not use. Move it away, or put the file itself in its place.`,
    { cause },
  );
}

/** Writes a file that only its owner can read, in place of the one that may be there. */
export function replaceFile(file: string, text: string): void {
  withDraft(file, text, (draft) => renameSync(draft, file));
}

/** Writes a file that only its owner can read; false when there is one already, which is left as it is. */
export function createFile(file: string, text: string): boolean {
  return withDraft(file, text, (draft) => {
    try {
      // Unlike opening with `wx`, a link shows the file only when its text is in it.
      linkSync(draft, file);
      return true;
    } catch (error) {
      if (systemCode(error) === "EEXIST") return false;
      throw error;
    }
  });
}

function withDraft<Result>(file: string, text: string, use: (draft: string) => Result): Result {
  const draft = `${file}.new-${randomUUID()}`;
  try {
    const descriptor = openSync(draft, "wx", 0o600);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return use(draft);
  } finally {
    rmSync(draft, { force: true });
  }
}

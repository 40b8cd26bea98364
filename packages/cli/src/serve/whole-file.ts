// Writes small private files so that a reader, or the next start after a crash, finds them whole or not at all.
import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { systemCode } from "./start-error.ts";

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

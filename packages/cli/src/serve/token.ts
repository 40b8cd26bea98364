// The owner's token: made once, kept in the home, readable by nobody else (C2).
import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fstatSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { Log } from "@holdfast/core";
import { EXIT_CODES } from "../exit-codes.ts";
import { StartError, systemCode } from "../command-error.ts";
import { openOwnFile, replaceFile } from "./whole-file.ts";

export const TOKEN_FILE = "token";

/** What can stand in a URL and in a header without being encoded; shorter than 16 characters can be guessed. */
const tokenPattern = /^[A-Za-z0-9._~-]{16,}$/;

/** The token of a home; a new one where there is none. Only the holder of the home's lock may call it. */
export function openToken(home: string, log: Log): string {
  const file = path.join(home, TOKEN_FILE);
  const kept = readIfThere(file, (descriptor) => repairMode(descriptor, file, log));
  if (kept !== undefined) return checkToken(kept, file);
  const token = randomBytes(32).toString("base64url");
  replaceFile(file, `${token}\n`);
  return token;
}

/** The token of a home in which a host is running. */
export function readToken(home: string): string {
  const file = path.join(home, TOKEN_FILE);
  return checkToken(readIfThere(file) ?? "", file);
}

/** Content of the file; `look` gets its descriptor, so that it changes the same file. */
function readIfThere(file: string, look: (descriptor: number) => void = () => undefined): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openOwnFile(file);
    look(descriptor);
    return readFileSync(descriptor, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (error instanceof StartError) throw error;
    throw new StartError(
      EXIT_CODES.setup,
      `The token ${file} cannot be read (${systemCode(error) ?? "error"}).`,
      {
        cause: error,
      },
    );
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function repairMode(descriptor: number, file: string, log: Log): void {
  if (process.platform === "win32" || (fstatSync(descriptor).mode & 0o077) === 0) return;
  fchmodSync(descriptor, 0o600);
  log(
    "warn",
    `Others could read the token ${file}, which is repaired; delete it and start again for a new one`,
    {},
  );
}

function checkToken(text: string, file: string): string {
  const token = text.trim();
  if (tokenPattern.test(token)) return token;
  throw new StartError(
    EXIT_CODES.setup,
    `${file} does not hold a token. Delete it, and the next start makes a new one.`,
  );
}

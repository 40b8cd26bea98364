// The key of a home's keeper: who can read its file may use the keeper (K733).
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";

const keyBytes = 32;

/** The key that is there, else a new one. One that stays is right for a host that read it from an earlier keeper. */
export function makeKey(file: string): string {
  const found = readKey(file);
  if (found !== undefined) return found;
  const key = randomBytes(keyBytes).toString("hex");
  writeKey(file, key);
  return key;
}

/** Writes it as a whole: hosts may read it at any time. */
export function writeKey(file: string, key: string): void {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, key, { mode: 0o600 });
  renameSync(own, file);
}

/** The key; undefined where no keeper has written one, as those of earlier versions do not. */
export function readKey(file: string): string | undefined {
  try {
    const text = readFileSync(file, "latin1");
    return text.length === keyBytes * 2 && /^[0-9a-f]+$/.test(text) ? text : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether this is the key; takes as long for any other text. */
export function isSameKey(key: string, given: unknown): boolean {
  return typeof given === "string" && timingSafeEqual(digest(key), digest(given));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

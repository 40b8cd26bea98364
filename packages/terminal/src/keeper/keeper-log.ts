// The keeper's log: a few lines a day, in a file that stays small.
import { appendFileSync, renameSync, statSync } from "node:fs";

const maxBytes = 256 * 1024;

/** Writes lines with the time; a file that has become large is kept as the one before. */
export function openLog(path: string): (message: string) => void {
  return (message) => {
    try {
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(path, `${path}.1`);
      const line = `${new Date().toISOString()} keeper ${process.pid}: ${message}\n`;
      appendFileSync(path, line, { mode: 0o600 });
    } catch {
      // A full disk: the keeper works without a log.
    }
  };
}

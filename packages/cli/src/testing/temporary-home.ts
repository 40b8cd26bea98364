// A folder for one test, and the log that a test reads back.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Log } from "@holdfast/core";
import { onTestFinished } from "vitest";

/** A fresh folder that is removed when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-cli-"));
  // A process that is about to end may still write there.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return folder;
}

/** A log that keeps its lines. */
export function recordLog(): { readonly lines: string[]; readonly log: Log } {
  const lines: string[] = [];
  return { lines, log: (level, message) => void lines.push(`${level} ${message}`) };
}

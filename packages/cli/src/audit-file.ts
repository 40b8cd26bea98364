// The audit record on disk: one JSON line for each entry, only ever appended to (C10).
import { closeSync, fchmodSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { AuditEntry, AuditStore, Log } from "@holdfast/core";

/** The audit record of a home. An entry is with the operating system when `append` returns. */
export class AuditFile implements AuditStore {
  readonly #file: string;
  readonly #log: Log;
  #descriptor: number | undefined;
  /** A line that was cut off must not swallow the next one. */
  #isLineOpen: boolean;

  constructor(home: string, log: Log) {
    this.#file = path.join(home, "audit.jsonl");
    this.#log = log;
    this.#descriptor = openSync(this.#file, "a+", 0o600);
    if (process.platform !== "win32") fchmodSync(this.#descriptor, 0o600);
    this.#isLineOpen = endsInsideLine(this.#descriptor);
  }

  append(entry: AuditEntry): void {
    const line = Buffer.from(`${this.#isLineOpen ? "\n" : ""}${JSON.stringify(entry)}\n`);
    try {
      if (this.#descriptor === undefined) throw new Error("the record is closed");
      this.#isLineOpen = true;
      for (let written = 0; written < line.length;) written += writeSync(this.#descriptor, line, written);
      this.#isLineOpen = false;
    } catch (error) {
      // A full disk must not stop the work; that the record has a hole is told in the log, with what is missing.
      this.#log("error", `The audit record ${this.#file} could not be written`, { error, entry });
    }
  }

  /** Brings everything to the disk and lets go of the file. May be repeated. */
  close(): void {
    if (this.#descriptor === undefined) return;
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

function endsInsideLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last.toString() !== "\n";
}

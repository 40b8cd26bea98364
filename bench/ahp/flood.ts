// The flood that all servers are fed: lines as a compiler writes them, and a last word that readers wait for.
import { execFileSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import path from "node:path";

/** By which run a command is connected to its server. */
export type FloodKind = "tty" | "text";

/** Stands at the end of the output, more than once: one may be cut in two by the messages that carry it. */
export const LAST_WORD = "this-was-the-last-line";

const line = "src/session/turn.ts(128,17): error TS2345: Argument of type 'string' is not assignable. [0m";

/** A flood that starts on request, after every client has connected. */
export class Flood {
  readonly sizeBytes: number;
  readonly #gate: string;

  constructor(folder: string, name: string, sizeBytes: number) {
    this.sizeBytes = sizeBytes;
    this.#gate = path.join(folder, `${name}.gate`);
    execFileSync("mkfifo", [this.#gate]);
  }

  /** A line for `sh -c`. It stays a moment, because a PTY that is read plainly loses what comes right before the end. */
  get command(): string {
    const [start, end] = [LAST_WORD.slice(0, 4), LAST_WORD.slice(4)];
    return `read go <'${this.#gate}'; yes "${line}" | head -c ${this.sizeBytes}; echo; for i in 1 2 3; do echo ${start}''${end}; done; sleep 1`;
  }

  /** Opening the gate waits for its reader. */
  begin(): void {
    closeSync(openSync(this.#gate, "w"));
  }
}

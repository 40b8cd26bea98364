// Raw input of the terminal in which a command runs: unechoed, with Ctrl-Z and background jobs as a shell expects (C871).
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import type { Interface, Key } from "node:readline";
import type { Streams } from "./console.ts";

interface RawInputParts {
  readonly stdin: Streams["stdin"];
  readonly onText: (text: string) => void;
  /** Nobody can type any more. */
  readonly onEnd?: () => void;
  /** Whether the command waits for what is typed: in the background, the shell then stops it. */
  readonly isRequired: boolean;
}

/** Ctrl-Z, which sends no signal while keys are read one by one. */
const stopKey = "\u001A";
/** A process group without a shell that could continue it is not stopped; reading resumes after this time. */
const notStoppedMs = 100;

/** `close` gives the terminal back. */
export class RawInput {
  readonly #parts: RawInputParts;
  #isReading = false;
  #isClosed = false;
  #undoRestore = (): void => {};
  readonly #take = (chunk: Buffer | string): void => this.#read(String(chunk));
  readonly #end = (): void => this.#parts.onEnd?.();
  readonly #continue = (): void => {
    // The shell may have changed the terminal's mode meanwhile.
    if (this.#isReading) this.#release();
    this.#acquire();
  };

  constructor(parts: RawInputParts) {
    this.#parts = parts;
    if (process.platform !== "win32") process.on("SIGCONT", this.#continue);
    this.#acquire();
  }

  close(): void {
    this.#isClosed = true;
    if (process.platform !== "win32") process.off("SIGCONT", this.#continue);
    if (this.#isReading) this.#release();
  }

  #acquire(): void {
    const { stdin, isRequired } = this.#parts;
    if (this.#isReading || this.#isClosed || !(isRequired || isInForeground())) return;
    this.#isReading = true;
    this.#undoRestore = restoreAtEnd(() => this.#release());
    stdin.setRawMode(true);
    // A terminal that hangs up is an error of reading.
    stdin.on("data", this.#take).on("end", this.#end).on("error", this.#end).resume();
  }

  #release(): void {
    const { stdin, isRequired } = this.#parts;
    this.#isReading = false;
    this.#undoRestore();
    stdin.off("data", this.#take).off("end", this.#end).off("error", this.#end).pause();
    // In the background this would stop the process.
    if (isRequired || isInForeground()) stdin.setRawMode(false);
  }

  #read(text: string): void {
    if (process.platform !== "win32" && text.includes(stopKey)) this.#stop();
    else this.#parts.onText(text);
  }

  #stop(): void {
    this.#release();
    signalGroup("SIGTSTP");
    setTimeout(() => this.#acquire(), notStoppedMs).unref();
  }
}

/** Sends a signal to all processes that the terminal would send it to. */
export function signalGroup(signal: NodeJS.Signals): void {
  process.kill(0, signal);
}

/** Signals that end a program, unless it listens for them. */
const endingSignals = ["SIGTERM", "SIGHUP"] as const;

/**
 * Restores the terminal before a signal ends this program, which ends as it would have (C896). To be undone with what
 * is returned when there is nothing to restore, and before the process is stopped: a signal ends a stopped job at once.
 */
function restoreAtEnd(restore: () => void): () => void {
  const undo = (): void => {
    for (const signal of endingSignals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals): void => {
    undo();
    try {
      // In the background the terminal is another job's, and a change of its mode would stop this process.
      if (isInForeground()) restore();
    } catch {
      // The terminal has hung up: there is nothing to restore.
    }
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  for (const signal of endingSignals) process.on(signal, end);
  return undo;
}

/** `restoreAtEnd` for an editor of Node, which itself sets the terminal's mode and stops the process at Ctrl-Z. */
export function restoreEditorAtEnd(
  stdin: Streams["stdin"],
  editor: Interface,
  restore: () => void = () => {},
): () => void {
  let undo = (): void => {};
  const begin = (): void => {
    undo = restoreAtEnd(() => {
      restore();
      stdin.setRawMode(false);
    });
  };
  const look = (_text: string | undefined, { ctrl, name }: Key): void => {
    if (ctrl === true && name === "z") undo();
  };
  // Before the editor.
  stdin.prependListener("keypress", look);
  editor.on("SIGCONT", () => isInForeground() && begin());
  begin();
  return () => {
    stdin.off("keypress", look);
    undo();
  };
}

/** The place of the fields of /proc/self/stat, counted from the end of the process's name. */
const groupField = 2;
const foregroundGroupField = 5;

/** Whether the terminal is ours to read: reading in the background stops a process. */
function isInForeground(): boolean {
  if (process.platform === "win32") return true;
  if (process.platform === "linux") {
    const status = readFileSync("/proc/self/stat", "utf8");
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    const foregroundGroup = fields[foregroundGroupField];
    return foregroundGroup === "-1" || foregroundGroup === fields[groupField];
  }
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(process.pid)], { encoding: "utf8" });
  return stdout.includes("+");
}

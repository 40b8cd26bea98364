// A sandbox inside the spawn helper: how commands enter it, whether anything is in it, and its end.
import type { SandboxReport } from "./sandbox.ts";

/** A command that is to enter. */
export interface EnterRequest {
  readonly cwd: string;
  /** The terminal that becomes its controlling one, inside. */
  readonly device: string | undefined;
  /** `NAME=value`: variables that must not be there before it has entered. */
  readonly inside: readonly string[];
}

/** How a command enters. */
export interface Entry {
  /** To be put before the command's own words. */
  readonly words: readonly string[];
  /** Whether the entered command is a child of a process that waits for it outside, in a separate session. */
  readonly hasWaiter: boolean;
  /** Whether the words change to the directory and open the terminal; else that happens before. */
  readonly preparesInside: boolean;
}

/** A sandbox that commands can enter. Its owner closes it. */
export interface OpenSandbox {
  readonly report: SandboxReport;
  /** False when it was ended from outside; then another must be opened. */
  readonly isAlive: boolean;
  enter(request: EnterRequest): Entry;
  /** Whether no command is in it. */
  isEmpty(): Promise<boolean>;
  close(): void;
}

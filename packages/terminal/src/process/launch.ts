// What the host asks of whoever forks for it, and what it hears back: plain data, so that it can cross a pipe.
import type { Readable, Writable } from "node:stream";
import type { TerminalErrorCode } from "../terminal-error.ts";
import type { KernelLimits, LimitName, LimitsInForce } from "./limits.ts";

/** How a command's process tree is held together, strongest first. */
export type TreeMechanism = "cgroup" | "pid-namespace" | "process-group";

/** The mechanism asked for; `auto` takes a cgroup where one is writable, else the process group. */
export type TreeChoice = "auto" | TreeMechanism;

/** The files that become the child's stdin, stdout and stderr. */
export type LaunchIo =
  /** Without a file for stdin the child reads `/dev/null`. */
  | { readonly kind: "text"; readonly output: string; readonly stdin?: string | undefined }
  | { readonly kind: "tty"; readonly device: string }
  | { readonly kind: "stdio"; readonly stdin: string; readonly stdout: string; readonly stderr: string };

/** One child to start. */
export interface LaunchRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly io: LaunchIo;
  readonly tree: TreeChoice;
  readonly limits: KernelLimits;
  /** The value of `HOLDFAST_TERMINAL` in the child's environment. */
  readonly marker: string;
}

/** A child that was started. */
export interface Launched {
  readonly pid: number;
  /** With the pid it names the process for ever; undefined where the system does not tell. */
  readonly startTime: number | undefined;
  readonly tree: TreeMechanism;
  readonly limits: LimitsInForce;
}

/** How a child ended. Both are null when nobody could learn it. */
export interface ExitStatus {
  readonly exitCode: number | null;
  /** The signal's name, e.g. `SIGTERM`. */
  readonly signal: string | null;
}

/** An exit as the parent of the child saw it. */
export interface LaunchExit extends ExitStatus {
  /** The kernel limit that fired, where the kernel says so. */
  readonly limit?: LimitName | undefined;
}

/** One process of a command's tree. */
export interface TreeProcess {
  readonly pid: number;
  /** The command line, for people. */
  readonly command: string;
}

/** A failure that crosses the pipe. */
export interface LaunchFailure {
  readonly code: TerminalErrorCode;
  readonly message: string;
  readonly field?: string | undefined;
}

/** The streams of a child that the host forked itself. */
export interface ChildPipes {
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

/** Told about one launch; called synchronously and in order: `launched` or `failed`, then `exited` or `lost`. */
export interface LaunchWatcher {
  /** `pipes` are there only for a child of the host's own. */
  launched(launched: Launched, pipes?: ChildPipes): void;
  failed(failure: LaunchFailure): void;
  exited(exit: LaunchExit): void;
  /** Whoever forked the child is gone: its exit status will never be known. */
  lost(): void;
}

/** Whoever forks for the host: the spawn helper, or `child_process` where there is none. */
export interface Launcher {
  /** Starts a child; the number names it from now on. */
  launch(request: LaunchRequest, watcher: LaunchWatcher): number;
  /** Makes that many FIFOs and gives their paths. */
  makeFifos(count: number): Promise<string[]>;
  /** Signals the child's process group. */
  signal(launch: number, signal: NodeJS.Signals): Promise<void>;
  /** Ends the whole tree; resolves with what could not be ended. */
  end(launch: number, graceMs: number): Promise<TreeProcess[]>;
  /** Processes of the tree that are alive. */
  members(launch: number): Promise<TreeProcess[]>;
  /** The launch will not be asked about again. */
  forget(launch: number): void;
  /** Resolves when everything is ended and given back. */
  close(): Promise<void>;
}

/** The environment variable that marks every process of a command. */
export const MARKER_VARIABLE = "HOLDFAST_TERMINAL";

// Requests of the host to its launcher, and the events it receives: plain data, so that it can cross a pipe.
import type { Readable, Writable } from "node:stream";
import type { IsolationReport, SandboxReport, SandboxSpec } from "../sandbox/sandbox.ts";
import type { TerminalErrorCode } from "../terminal-error.ts";
import type {
  ExitStatus,
  FiredLimit,
  KernelLimits,
  LimitBackends,
  LimitScope,
  LimitsInForce,
  TreeChoice,
  TreeMechanism,
  TreeProcess,
} from "./port.ts";

/** The files that become the child's stdin, stdout and stderr. */
export type LaunchIo =
  | { readonly kind: "tty"; readonly device: string }
  | {
      readonly kind: "pipes";
      readonly output: string;
      /** Without a file for stdin the child reads `/dev/null`. */
      readonly stdin?: string | undefined;
      /** Without a file for stderr it goes to `output`. */
      readonly error?: string | undefined;
    };

/** One child to start. */
export interface LaunchRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly io: LaunchIo;
  readonly tree: TreeChoice;
  readonly limits: KernelLimits;
  /** Limits that it shares with other launches, outermost first. */
  readonly scopes: readonly LimitScope[];
  /** The value of `HOLDFAST_TERMINAL` in the child's environment. */
  readonly marker: string;
  /** The id of the sandbox to run in. */
  readonly sandbox?: string | undefined;
}

/** A child that was started. */
export interface Launched {
  readonly pid: number;
  /** With the pid it identifies the process for ever; undefined where the system does not report it. */
  readonly startTime: number | undefined;
  readonly tree: TreeMechanism;
  readonly limits: LimitsInForce;
  readonly limitBackends: LimitBackends;
}

/** An exit as the parent of the child saw it. */
export interface LaunchExit extends ExitStatus {
  /** The kernel limit that fired, where the kernel says so. */
  readonly limit?: FiredLimit | undefined;
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

/** Listener of one launch; called synchronously and in order: `launched` or `failed`, then `exited` or `lost`. */
export interface LaunchWatcher {
  /** `pipes` are there only for a child of the host's own. */
  launched(launched: Launched, pipes?: ChildPipes): void;
  failed(failure: LaunchFailure): void;
  exited(exit: LaunchExit): void;
  /** The process that forked the child is gone: its exit status will never be known. */
  lost(): void;
}

/** Forks children for the host: the spawn helper, or `child_process` where there is none. */
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
  /** Sets changed limits of scopes for what runs in them. */
  limit(scopes: readonly LimitScope[]): void;
  /** The launch will not be asked about again. */
  forget(launch: number): void;
  /** The isolation that this machine offers. */
  isolation(): Promise<IsolationReport>;
  /** Opens a sandbox under an id. */
  openSandbox(id: string, spec: SandboxSpec): Promise<SandboxReport>;
  /** No launch will enter it any more; it ends with its last process. */
  closeSandbox(id: string): void;
  /** Resolves when everything is ended and given back. */
  close(): Promise<void>;
}

/** The environment variable that marks every process of a command. */
export const MARKER_VARIABLE = "HOLDFAST_TERMINAL";

/** The environment variable that names the spawn helper's private folder. */
export const PRIVATE_FOLDER_VARIABLE = "HOLDFAST_PRIVATE_FOLDER";

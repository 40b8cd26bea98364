// The port to processes: requests, bytes with their offsets, exits. Plain data, so that it can cross a socket.

/** The three kinds of run: merged pipes, a pseudo terminal, three pipes of their own. */
export type RunKind = "text" | "tty" | "stdio";

/** Where a run's bytes come from; `error` is told apart only for stdio runs. */
export type RunStream = "output" | "error";

/** How a process tree is held together, strongest first. */
export type TreeMechanism = "cgroup" | "pid-namespace" | "process-group";

/** The mechanism asked for; `auto` takes the best that needs no asking. */
export type TreeChoice = "auto" | TreeMechanism;

/** One process of a run's tree; `command` is its command line, for people. */
export interface TreeProcess {
  readonly pid: number;
  readonly command: string;
}

/** The size of a screen in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** The limits that may be set on a run. */
export interface RunLimits {
  readonly memoryBytes?: number | undefined;
  /** Processes alive at once. */
  readonly processes?: number | undefined;
  readonly cpuSeconds?: number | undefined;
  /** CPU cores that the tree may use at once; slows a run down and never ends it. */
  readonly cpuCores?: number | undefined;
  readonly wallClockMs?: number | undefined;
  /** The run is ended when it has written more than this. */
  readonly outputBytes?: number | undefined;
}

/** A limit by its name, as an exit names the one that fired. */
export type LimitName = keyof RunLimits;

/** What enforces a limit; `none` means that this machine has no means for it. */
export type LimitMeans = "host" | "cgroup2" | "cgroup1" | "rlimit" | "none";

/** Each limit that was asked for, its value, and what enforces it. */
export type LimitsInForce = {
  readonly [Name in LimitName]?: { readonly value: number; readonly by: LimitMeans };
};

/** A child to run. The environment is complete; see `Keeper.buildEnvironment`. */
export interface KeeperRunRequest {
  readonly kind: RunKind;
  /** A program; without `args` it may be a line for the shell. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** For tty runs. */
  readonly size?: Partial<ScreenSize> | undefined;
  /** For text runs: whether stdin is a pipe that can be written to. Default: it is `/dev/null`. */
  readonly hasInput?: boolean | undefined;
  readonly limits?: RunLimits | undefined;
  readonly tree?: TreeChoice | undefined;
}

/** How a run ended, told after everything it wrote has been told. */
export interface KeeperExit {
  /** Null when a signal ended the run, and when nobody could learn it. */
  readonly exitCode: number | null;
  /** The signal's name, such as `SIGTERM`. */
  readonly signal: string | null;
  /** Offset after the last byte of `output` that was told before this exit. */
  readonly finalOffset: number;
  /** The same for `error`. */
  readonly finalErrorOffset: number;
  /** The limit that fired, if one did. */
  readonly limit: LimitName | undefined;
  /** True when whoever watched the process died, and took the exit status along. */
  readonly lost: boolean;
}

/**
 * Told about one run, in order: bytes, `exit`, bytes of processes that were left behind, `end`.
 * It may be called before `start` has resolved, never once `start` has rejected or after `release`, and it must not throw.
 */
export interface KeeperSink {
  /** Offsets are absolute, for each stream from its first byte. `bytes` is valid during the call only. */
  bytes(stream: RunStream, bytes: Uint8Array, offset: number): void;
  /** Once. */
  exit(exit: KeeperExit): void;
  /** Once, after `exit`: no more bytes will come. */
  end(): void;
}

/** A child that was started. Its owner releases it. */
export interface KeeperRun {
  /** Names the run for as long as its keeper lives. */
  readonly id: string;
  readonly pid: number;
  readonly kind: RunKind;
  /** What holds the tree together. */
  readonly tree: TreeMechanism;
  readonly limits: LimitsInForce;
  /**
   * Writes to the run's stdin, or types into its terminal; the bytes belong to the keeper from now on.
   * False asks the writer to wait for `onDrain`; the bytes are taken all the same.
   */
  write(bytes: Uint8Array): boolean;
  /** Calls the listener each time that waiting bytes have been taken. */
  onDrain(listener: () => void): void;
  /** Closes stdin; in a terminal, types what ends its input. */
  endInput(): void;
  /** While it holds, no more output is read, and a command that writes fast waits. */
  hold(isHeld: boolean): void;
  /** Sets the size of the screen; returns it as it is after clamping. */
  resize(size: Partial<ScreenSize>): ScreenSize;
  /** What Ctrl-C does. */
  interrupt(): Promise<void>;
  /** Ends the whole tree, also what is left of it after the exit; resolves with what could not be ended. */
  end(graceMs: number): Promise<readonly TreeProcess[]>;
  /** The processes of the tree that are alive; after the exit, the survivors. */
  members(): Promise<readonly TreeProcess[]>;
  /** Lets go of the run: the sink hears nothing more. What still runs is ended; survivors of an exited run live on. */
  release(): void;
}

/** For whom a run is: a person gets their own environment, an agent's command a tamer one. */
export type Audience = "person" | "agent-command";

/** What is asked of an environment; the variables win over what the login shell set. */
export interface EnvironmentRequest {
  readonly audience: Audience;
  readonly hasScreen: boolean;
  /** Provider secrets that this run may keep, by name. */
  readonly keepSecrets?: readonly string[] | undefined;
  readonly variables?:
    | readonly { readonly name: string; readonly value: string }[]
    | Readonly<Record<string, string>>
    | undefined;
}

/** Whoever holds the processes. One for a whole host. */
export interface Keeper {
  /** Starts a child; rejects with a `KeeperError`, and then leaves nothing behind. */
  start(request: KeeperRunRequest, sink: KeeperSink): Promise<KeeperRun>;
  /** The login shell's environment, less secrets, with what the request adds. */
  buildEnvironment(request: EnvironmentRequest): Promise<Record<string, string>>;
  /** Ends every run that is not released; resolves when each has been told its exit and end. May be repeated. */
  close(graceMs?: number): Promise<void>;
}

/** What went wrong, in words a program can switch on. */
export type KeeperErrorCode = (typeof KEEPER_ERROR_CODES)[number];

/** Every code of a `KeeperError`; `lost` means that whoever was to start or end the process died. */
export const KEEPER_ERROR_CODES = [
  "invalid_request",
  "program_not_found",
  "program_not_executable",
  "directory_not_found",
  "device_missing",
  "spawn_failed",
  "not_supported",
  "input_full",
  "lost",
  "closed",
] as const;

/** Every failure that a keeper reports on purpose. */
export class KeeperError extends Error {
  override readonly name = "KeeperError";
  readonly code: KeeperErrorCode;
  /** The request's field that is to blame, such as `args[1]`. */
  readonly field: string | undefined;

  constructor(code: KeeperErrorCode, message: string, detail: { field?: string; cause?: unknown } = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.field = detail.field;
  }
}

// The port to processes: requests, bytes with offsets, exits. Plain data, so that it can cross a socket.
import type { IsolationReport, Sandbox, SandboxSpec } from "../sandbox/sandbox.ts";
import type { ScreenSize } from "../screen-size.ts";

export { forwardTo } from "./forwarding-port.ts";
export { TerminalError, type TerminalErrorCode } from "../terminal-error.ts";
export type { IsolationReport, Sandbox, SandboxSpec, ScreenSize };
export {
  ISOLATION_LEVELS,
  strongerLevel,
  type IsolationBackend,
  type IsolationLevel,
  type SandboxReport,
} from "../sandbox/sandbox.ts";

/** The three kinds of run: one pipe for all output, a pseudo-terminal, or three pipes for a protocol. */
export type RunKind = "text" | "tty" | "stdio";

/** The stream that bytes come from. Only stdio runs and text runs with `separateError` have an `error` stream. */
export type RunStream = "output" | "error";

/** Mechanism that holds a process tree together, strongest first. */
export type TreeMechanism = "cgroup" | "pid-namespace" | "process-group";

/** The requested mechanism; `auto` takes a cgroup where one is writable, else the process group. */
export type TreeChoice = "auto" | TreeMechanism;

/** One process of a run's tree; `command` is its command line, for people. */
export interface TreeProcess {
  readonly pid: number;
  readonly command: string;
}

/** The limits that the kernel enforces or counts for. */
export interface KernelLimits {
  /** Memory of the whole tree (cgroup), or data segment of each process (rlimit). */
  readonly memoryBytes?: number | undefined;
  /** Processes alive at once in the tree (cgroup), or of the user (rlimit). */
  readonly processes?: number | undefined;
  /** CPU time of the whole tree (cgroup), or of each process (rlimit). */
  readonly cpuSeconds?: number | undefined;
  /** CPU cores that the tree may use at once, e.g. 0.5; cgroup only. It slows a run down and never ends it. */
  readonly cpuCores?: number | undefined;
  /** Bytes that the tree has written to disks; it is ended when they are more. */
  readonly diskWriteBytes?: number | undefined;
}

/** The limits that a caller may set on one run. */
export interface RunLimits extends KernelLimits {
  readonly wallClockMs?: number | undefined;
  /** The run is ended when it has written more than this. */
  readonly outputBytes?: number | undefined;
}

/** A limit by its name, as an exit names the one that fired. */
export type LimitName = keyof RunLimits;

/** The limits of several runs together: amounts in use at once. */
export type SharedLimits = Pick<KernelLimits, "memoryBytes" | "processes" | "cpuCores">;

/** The processes that a limit counts together: one command, or all commands and agents of a session, of a key, of the host. */
export type LimitLevel = "command" | "session" | "key" | "host";

/** Limits that runs share. Runs of the same level and id count together, where there are cgroups. */
export interface LimitScope {
  readonly level: Exclude<LimitLevel, "command">;
  readonly id: string;
  readonly limits: SharedLimits;
}

/** Enforcer of a limit; `proc`: the counters of each process, read five times a second; `none`: nothing on this machine can. */
export type LimitBackend = "host" | "cgroup2" | "cgroup1" | "rlimit" | "proc" | "none";

/** The strictest value of each requested limit, the level that it comes from, and what enforces it. */
export type LimitsInForce = {
  readonly [Name in LimitName]?: {
    readonly value: number;
    readonly level: LimitLevel;
    readonly by: LimitBackend;
  };
};

/** The enforcer of each of the kernel's limits on this machine. */
export type LimitBackends = { readonly [Name in keyof KernelLimits]-?: LimitBackend };

/** The limit that ended a run, or that the kernel enforced while it ran. */
export interface FiredLimit {
  readonly name: LimitName;
  readonly value: number;
  readonly level: LimitLevel;
}

/** A child to run. The environment is complete; see `ProcessPort.buildEnvironment`. */
export interface RunRequest {
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
  /** For text runs: stderr has its own pipe. Default: one pipe for both, which keeps their order (T500). */
  readonly separateError?: boolean | undefined;
  readonly limits?: RunLimits | undefined;
  /** Limits that it shares with other runs, outermost first. */
  readonly scopes?: readonly LimitScope[] | undefined;
  readonly tree?: TreeChoice | undefined;
  /** Identifies the processes of the run in their environment; random if left out. */
  readonly marker?: string | undefined;
  /** The id of an open sandbox to run in. */
  readonly sandbox?: string | undefined;
  /** Names this start for ever: a second start with the same key gives the run of the first. */
  readonly key?: string | undefined;
  /** The host's own notes on the run, for the host that attaches to it; the port does not read them. */
  readonly tag?: string | undefined;
  /** Output that no host takes: `keep` makes the command wait at a bound, `tail` (default) drops the oldest bytes. */
  readonly whileAway?: "keep" | "tail" | undefined;
}

/** How a child ended. Both are null when its status could not be learned. */
export interface ExitStatus {
  readonly exitCode: number | null;
  /** The signal's name, such as `SIGTERM`. */
  readonly signal: string | null;
}

/** The exit of a run, reported after all bytes that it wrote. */
export interface RunExit extends ExitStatus {
  /** Offset after the last byte of `output` that was reported before this exit. */
  readonly finalOffset: number;
  /** The same for `error`. */
  readonly finalErrorOffset: number;
  /** The limit that fired, if one did. */
  readonly limit: FiredLimit | undefined;
  /** True when the watching process died and took the exit status with it. */
  readonly lost: boolean;
}

/**
 * Receives one run in order: bytes, `exit`, bytes of processes that were left behind, `end`.
 * It may be called before `start` has resolved, never once `start` has rejected or after `release`, and must not throw.
 */
export interface RunSink {
  /** Offsets are absolute, for each stream from its first byte. `bytes` is valid during the call only. */
  bytes(stream: RunStream, bytes: Uint8Array, offset: number): void;
  /** The command runs and has closed its output; for stdio runs only. */
  outputEnded?(): void;
  exit(exit: RunExit): void;
  /** Once, after `exit`: no more bytes will come. */
  end(): void;
}

/** Names a piece of input, so that it is typed once however often it is sent. */
export interface InputKey {
  /** At most 64 bytes, and nobody else's. */
  readonly writer: string;
  /** Grows with each piece of the writer's input. */
  readonly number: number;
}

/** A child that was started. Its owner releases it. */
export interface Run {
  /** Addresses the run for as long as its process port lives. */
  readonly id: string;
  readonly pid: number;
  readonly kind: RunKind;
  readonly tree: TreeMechanism;
  readonly limits: LimitsInForce;
  /** The enforcers of limits, requested or not; undefined where nothing is known of the machine. */
  readonly limitBackends: LimitBackends | undefined;
  /** Bytes of input that the port has taken; the next write begins here. */
  readonly inputOffset: number;
  /**
   * Writes to the run's stdin, or types into its terminal; the bytes belong to the process port from now on.
   * False asks the writer to wait for `onDrain`; the bytes are taken either way. A port whose runs outlive their host
   * leaves out what it has taken before of the same key, whichever host brought it.
   */
  write(bytes: Uint8Array, key?: InputKey): boolean;
  /** Calls the listener each time that waiting bytes have been taken. */
  onDrain(listener: () => void): void;
  /** Closes stdin; in a terminal, types what ends its input. */
  endInput(): void;
  /** Resolves when all input so far, and its end, is with the process that holds the run: a kill of this one cannot lose it. */
  inputTaken(): Promise<void>;
  /** While held, no output is read, and a command that writes fast waits. */
  hold(isHeld: boolean): void;
  /**
   * No host will ask for bytes below this offset again: the caller has stored them, or does not need them. `note`
   * replaces the run's note, which the next host gets with the run.
   */
  acknowledge(stream: RunStream, offset: number, note?: string): void;
  /** Sets the size of the screen; returns it after clamping. */
  resize(size: Partial<ScreenSize>): ScreenSize;
  /** The same as Ctrl-C. */
  interrupt(): Promise<void>;
  /** Ends the whole tree, also what is left of it after the exit; resolves with what could not be ended. */
  end(graceMs: number): Promise<readonly TreeProcess[]>;
  /** The processes of the tree that are alive; after the exit, the survivors. */
  members(): Promise<readonly TreeProcess[]>;
  /** Frees the run: its sink is not called again. A running command is ended; survivors of an exited one live on. */
  release(): void;
}

/** A run that an earlier host started and did not release. */
export interface HeldRun {
  readonly id: string;
  readonly kind: RunKind;
  readonly pid: number;
  readonly key: string | undefined;
  readonly tag: string | undefined;
  /** The note of the last acknowledgement. */
  readonly note: string | undefined;
  /** The first byte of each stream that is delivered: the offset that was acknowledged, or more if bytes were dropped (K742). */
  readonly heldFrom: Readonly<Record<RunStream, number>>;
  readonly inputOffset: number;
  readonly hasExited: boolean;
}

/** A sandbox that an earlier host opened and did not close. */
export interface HeldSandbox {
  readonly sandbox: Sandbox;
  readonly spec: SandboxSpec;
  readonly tag: string | undefined;
}

/** Everything that an earlier host left in the port. */
export interface Held {
  readonly runs: readonly HeldRun[];
  readonly sandboxes: readonly HeldSandbox[];
}

/** The audience of a run: a person gets their own environment, an agent's command one without pager and prompts. */
export type Audience = "person" | "agent-command";

/** Variables of a request, as ACP has them or as a map. */
export type RequestVariables =
  | readonly { readonly name: string; readonly value: string }[]
  | Readonly<Record<string, string>>;

/** A request for an environment; the variables win over what the login shell set. */
export interface EnvironmentRequest {
  readonly audience: Audience;
  readonly hasScreen: boolean;
  /** Provider secrets that this run may keep, by name. */
  readonly keepSecrets?: readonly string[] | undefined;
  /** Leaves out every variable that is named like a secret, except for `keepSecrets`. */
  readonly withoutSecrets?: boolean | undefined;
  readonly variables?: RequestVariables | undefined;
}

/** The holder of all processes. One for a whole host. */
export interface ProcessPort {
  /** Whether no host's end can lose keyed input that is sent again, or have it typed twice. */
  readonly keysInput: boolean;
  /** Starts a child; rejects with a `TerminalError`, and then leaves nothing behind. */
  start(request: RunRequest, sink: RunSink): Promise<Run>;
  /** Sets changed limits of scopes, where cgroups hold them, for the runs that are in them already. */
  limit(scopes: readonly LimitScope[]): void;
  /** The login shell's environment, less secrets, with the variables of the request. */
  buildEnvironment(request: EnvironmentRequest): Promise<Record<string, string>>;
  /** The isolation that this machine offers; found once, by trying. */
  isolation(): Promise<IsolationReport>;
  /** Opens a sandbox for runs; rejects with `not_supported` where the machine has no backend. The tag is the host's own. */
  openSandbox(spec: SandboxSpec, tag?: string): Promise<Sandbox>;
  /** Runs and sandboxes that an earlier host left; none where processes end with their host. */
  held(): Promise<Held>;
  /**
   * Attaches to a held run: its sink gets the bytes from these offsets on, or from the first held byte above them, then
   * the exit and the end. Rejects with `run_not_found` for a run that is not held.
   */
  attach(id: string, sink: RunSink, from: Readonly<Partial<Record<RunStream, number>>>): Promise<Run>;
  /** Leaves every run as it is, for the next host; where processes end with their host, the same as `close`. Idempotent. */
  detach(): Promise<void>;
  /** Ends every run that is not released; resolves when the exit and end of each were reported. Idempotent. */
  close(graceMs?: number): Promise<void>;
}

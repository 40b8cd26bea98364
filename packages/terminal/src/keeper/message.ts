// Messages between host and keeper that travel as JSON, and the version of the protocol.
import type { LaunchFailure } from "../process/launch.ts";
import type {
  HeldRun,
  IsolationReport,
  LimitBackends,
  LimitScope,
  LimitsInForce,
  RunExit,
  RunKind,
  RunRequest,
  SandboxReport,
  SandboxSpec,
  ScreenSize,
  TreeMechanism,
  TreeProcess,
} from "../process/port.ts";
import type { StreamOffsets } from "./feed.ts";
import type { HeldBounds } from "./held-storage.ts";

/** Raised when a host and a keeper of two versions could not work together. */
export const PROTOCOL_VERSION = 1;

/** How a keeper works; it gets this from the host that starts it. */
export interface KeeperSettings {
  /** The version of the program, for people. */
  readonly version?: string | undefined;
  /** A keeper that holds nothing and has no host ends after this time. Default: a minute. */
  readonly idleMs?: number | undefined;
  readonly bounds?: Partial<HeldBounds> | undefined;
  /** Default true. */
  readonly useCgroups?: boolean | undefined;
}

/** Exit code of a keeper that found another one for its home. */
export const EXIT_SECOND_KEEPER = 3;

/** The purpose of a connection. `status` and `end` work with every version of the protocol. */
export type Purpose = "host" | "status" | "end";

/** The first message of a connection. Fields are added only: keepers of all versions read it. */
export interface Hello {
  readonly protocol: number;
  readonly purpose: Purpose;
  /** The home that the keeper belongs to. */
  readonly home: string;
  readonly pid: number;
  /** The secret of the keeper's home; keepers of earlier versions have none, and ignore it. */
  readonly key?: string | undefined;
  /** For `end`: the time between TERM and KILL. */
  readonly graceMs?: number | undefined;
}

/** The response to a host. */
export interface Welcome {
  readonly protocol: number;
  readonly version: string;
  readonly pid: number;
  readonly epoch: number;
  /** Whether it reads keyed input; keepers of 0.1.0 do not. */
  readonly keysInput?: boolean | undefined;
  /** The process that forks for the keeper, above everything that it runs. */
  readonly helperPid?: number | undefined;
}

/** A connection that is not accepted. */
export interface Refused {
  readonly failure: LaunchFailure;
}

/** A keeper's report on itself. */
export interface KeeperStatus {
  readonly protocol: number;
  /** The version of the program that the keeper was started by. */
  readonly version: string;
  readonly pid: number;
  /** Counts the hosts that were attached. */
  readonly epoch: number;
  /** The attached host; undefined when none is. */
  readonly hostPid: number | undefined;
  readonly startedAtMs: number;
  /** Held output in memory. */
  readonly memoryBytes: number;
  readonly residentBytes: number;
  readonly runs: readonly HeldRun[];
  readonly sandboxes: readonly { readonly id: string; readonly tag: string | undefined }[];
}

type NoParams = Readonly<Record<string, never>>;

/** Requests with a reply, and what the reply has. Those about a run name it in the frame. */
export interface Requests {
  start: { params: { request: RunRequest }; result: RunDescription };
  attach: { params: { id: string; from: StreamOffsets }; result: RunDescription };
  held: { params: NoParams; result: HeldDescription };
  isolation: { params: NoParams; result: IsolationReport };
  openSandbox: {
    params: { spec: SandboxSpec; tag: string | undefined };
    result: SandboxReport & { id: string };
  };
  end: { params: { graceMs: number }; result: readonly TreeProcess[] };
  members: { params: NoParams; result: readonly TreeProcess[] };
  interrupt: { params: NoParams; result: null };
  inputTaken: { params: NoParams; result: null };
  detach: { params: NoParams; result: null };
  close: { params: { graceMs: number | undefined }; result: null };
}

export type RequestName = keyof Requests;

/** A request as it travels. */
export type RequestMessage = {
  readonly [Name in RequestName]: { readonly do: Name; readonly reply: number } & Readonly<
    Requests[Name]["params"]
  >;
}[RequestName];

/** The reply to a request. */
export type ReplyMessage =
  | { readonly reply: number; readonly value: unknown }
  | { readonly reply: number; readonly failure: LaunchFailure };

/** Messages without a reply. */
export type CommandMessage =
  | { readonly do: "limit"; readonly scopes: readonly LimitScope[] }
  | { readonly do: "closeSandbox"; readonly id: string }
  | { readonly do: "hold"; readonly isHeld: boolean }
  | { readonly do: "endInput" }
  | { readonly do: "resize"; readonly size: ScreenSize }
  | { readonly do: "release" };

/** Events of a run beside its bytes. */
export type EventMessage =
  | { readonly on: "outputEnded" }
  | { readonly on: "exit"; readonly exit: RunExit }
  | { readonly on: "end" };

/** A run that was started or attached to. */
export interface RunDescription {
  readonly id: string;
  readonly pid: number;
  readonly kind: RunKind;
  readonly tree: TreeMechanism;
  readonly limits: LimitsInForce;
  readonly limitBackends?: LimitBackends | undefined;
  readonly inputOffset: number;
  /** Below it, no input waits for the command to read it. Keepers of earlier versions do not say. */
  readonly takenInputOffset?: number | undefined;
  readonly hasInput: boolean;
}

/** Runs and sandboxes that earlier hosts left. */
export interface HeldDescription {
  readonly runs: readonly HeldRun[];
  readonly sandboxes: readonly {
    readonly sandbox: SandboxReport & { readonly id: string };
    readonly spec: SandboxSpec;
    readonly tag?: string | undefined;
  }[];
}

// Submissions: requests of clients to a channel, whatever their transport, and their outcomes. Plain data both ways.
import type {
  Action,
  ActiveClient,
  CommandLimits,
  InputKey,
  PermissionRuleId,
  SessionUri,
  TerminalClaim,
  TerminalSize,
  TerminalUri,
  TurnId,
} from "@holdfast/ahp";
import {
  type Ceiling,
  type ChangeList,
  type ErrorCode,
  type FileDiff,
  HostError,
  type SessionOptions,
} from "@holdfast/protocol";
import type { ReviewedChanges } from "../changes/session-changes.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { Recording } from "../channel/recording.ts";
import type { Rejection, SubmittingActor } from "../rules/rule.ts";
import type { ChosenName } from "../session/session-name.ts";
import type { TurnRequest } from "../session/session-turns.ts";
import { isDurable } from "../storage/durable.ts";
import type { ChangesRequest } from "./changes-executor.ts";

/** The submitter: actor and ceiling decide about rights; the origin marks the log entry for the client that sent it. */
export interface SubmittedBy {
  readonly actor: SubmittingActor;
  /** The most that an app's sessions may be allowed. */
  readonly ceiling?: Ceiling | undefined;
  readonly origin?: ActionOrigin | undefined;
}

/** Requests of clients that are not themselves a change of state; actions are the rest. */
export type Request =
  | NewSession
  | NewTerminal
  /** Stops a session; its history stays. */
  | { readonly type: "session/close"; readonly reason?: string | undefined }
  /** Opens a closed session again; one that is open stays as it is. */
  | { readonly type: "session/reopen" }
  /** Closes a session if it is open, and removes everything that is stored of it. */
  | { readonly type: "session/delete" }
  | ChangesRequest
  | SendMessage
  /** Cancels the running turn and what is queued behind it; accepted when the turn has ended. */
  | {
      readonly type: "chat/cancel";
      readonly reason?: string | undefined;
      /** A turn that runs or waits; without it, the running one. */
      readonly turnId?: TurnId | undefined;
      /** Whether everything that waits is dropped as well. */
      readonly includesQueued?: boolean;
    }
  | TerminalWrite
  /** Interrupts the program, as Ctrl-C does. */
  | { readonly type: "terminal/interrupt" }
  /** Ends the program with all it started. */
  | { readonly type: "terminal/kill" }
  /** Ends the program and removes the terminal from the list. */
  | { readonly type: "terminal/dispose" }
  /** Takes back a standing permission of a folder. */
  | { readonly type: "root/removePermissionRule"; readonly id: PermissionRuleId };

/** Every request; `recorded` ones are refused while nothing can be recorded, the others stop something, type, or read (D260). */
const requests = {
  "root/createSession": { recorded: true },
  "root/createTerminal": { recorded: true },
  "root/removePermissionRule": { recorded: true },
  "session/close": { recorded: true },
  "session/reopen": { recorded: true },
  "session/delete": { recorded: true },
  "session/listChanges": { recorded: false },
  "session/diffChanges": { recorded: false },
  "session/readReview": { recorded: false },
  "session/markReviewed": { recorded: true },
  "session/revertChanges": { recorded: true },
  "session/stageChanges": { recorded: true },
  "session/unstageChanges": { recorded: true },
  "session/commitChanges": { recorded: true },
  "chat/send": { recorded: true },
  "chat/cancel": { recorded: false },
  "terminal/write": { recorded: false },
  "terminal/interrupt": { recorded: false },
  "terminal/kill": { recorded: false },
  "terminal/dispose": { recorded: true },
} as const satisfies Readonly<Record<Request["type"], { readonly recorded: boolean }>>;

export function isRequest(submitted: Action | Request): submitted is Request {
  return Object.hasOwn(requests, submitted.type);
}

/** Whether a submission changes something that must be recorded. */
export function needsRecording(submitted: Action | Request): boolean {
  if (isRequest(submitted)) return requests[submitted.type].recorded;
  return isDurable(submitted) && submitted.type !== "chat/turnCancelled";
}

/** Opens a session; a submission to the root channel. */
export interface NewSession {
  readonly type: "root/createSession";
  /** Chosen by the client; absent: the host makes one. */
  readonly name?: ChosenName | undefined;
  /** The session whose context and options it begins with. */
  readonly forkOf?: SessionUri | undefined;
  /** Without an agent, the configuration's default. */
  readonly options: Partial<SessionOptions>;
  /** Settings by their names, of which the agent gets those that it offers. */
  readonly preferences?: Readonly<Record<string, string>> | undefined;
  /** The client that takes part from the start. */
  readonly activeClient?: ActiveClient | undefined;
  /** The app's name, for people. */
  readonly appName?: string | undefined;
  /** Whether it is accepted only when the agent has started. */
  readonly awaitsAgent: boolean;
}

/** Opens a terminal; a submission to the root channel. */
export type NewTerminal = { readonly type: "root/createTerminal" } & (
  | { readonly shell: NewShell; readonly command?: undefined }
  | { readonly command: NewCommand; readonly shell?: undefined }
);

/** A shell for a person. */
export interface NewShell {
  /** Chosen by the client; absent: the host makes one. */
  readonly uri?: TerminalUri | undefined;
  /** A title that the program's own never replaces. */
  readonly name?: string | undefined;
  /** An absolute path or a `file:` URI. Default: the home folder. */
  readonly cwd?: string | undefined;
  readonly size?: Partial<TerminalSize> | undefined;
  /** The holder. Default: the client that asks. */
  readonly claim?: TerminalClaim | undefined;
  /** Default: the user's login shell. */
  readonly program?: { readonly command: string; readonly args?: readonly string[] } | undefined;
}

/** A command that the owner runs in its own terminal. */
export interface NewCommand {
  /** A program; without arguments it may be a line for the shell. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** An absolute path or a `file:` URI. Default: the home folder. */
  readonly cwd?: string | undefined;
  /** Variables beside those of the login shell. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly kind: "tty" | "text";
  readonly size?: Partial<TerminalSize> | undefined;
  /** A title that the program's own never replaces. */
  readonly name?: string | undefined;
  /** Whether a text command gets a pipe as its input. */
  readonly hasInput?: boolean | undefined;
  /** Whether a text command gets a separate pipe for stderr. */
  readonly separateError?: boolean | undefined;
  /** Whether a text command waits for followers that ask for it. */
  readonly isPaced?: boolean | undefined;
  /** Limits beside those of the host. */
  readonly limits?: CommandLimits | undefined;
}

/** Sends a message: begins a turn, or queues it. */
export interface SendMessage {
  readonly type: "chat/send";
  readonly request: TurnRequest;
  /** False when no client waits that could decide an approval. */
  readonly isInteractive: boolean;
}

/**
 * Input as bytes; of a pipe with its place, of a tty with its key, so that a piece that is sent again is not written
 * twice. It is accepted when no kill of the host can lose it.
 */
export interface TerminalWrite {
  readonly type: "terminal/write";
  readonly bytes: Uint8Array;
  readonly offset?: number | undefined;
  readonly isLast?: boolean | undefined;
  readonly key?: InputKey | undefined;
}

/** The result of an accepted request besides its log entry. */
export interface SubmissionResult {
  /** The channel that was created. */
  readonly uri?: string;
  readonly turnId?: string;
  /** Whether a message with the same idempotency key was taken before. */
  readonly isRepeated?: boolean;
  readonly changes?: ChangeList;
  readonly review?: ReviewedChanges;
  readonly diff?: { readonly diffs: readonly FileDiff[]; readonly isComplete: boolean };
  /** Counts of the changes that are left. */
  readonly changeSummary?: ChangeList["summary"];
  /** The id of a commit that was made. */
  readonly commit?: string;
}

/** The outcome of a submission. */
export type Submission =
  /**
   * `entry` is its place in the log, where every reader finds it. Input and what changes nothing have none: then the
   * outcome is only a receipt.
   */
  | { readonly outcome: "accepted"; readonly entry?: LogEntry; readonly result?: SubmissionResult }
  /** For its author alone. */
  | {
      readonly outcome: "rejected";
      readonly code: ErrorCode;
      readonly reason: string;
      readonly details?: HostError["details"];
    }
  /** There is no such channel, or the actor may not see it. */
  | { readonly outcome: "unknown-channel" };

export type Accepted = Extract<Submission, { outcome: "accepted" }>;

/** The one path for everything that a client may ask for. */
export type Submit = (
  uri: string,
  submitted: Action | Request,
  by: SubmittedBy,
) => Submission | Promise<Submission>;

/** An accepted submission, with its entry in the log if it has one. */
export function accepted(entry?: LogEntry, result?: SubmissionResult): Submission {
  return { outcome: "accepted", ...(entry && { entry }), ...(result && { result }) };
}

export function rejected({ code, reason }: Rejection): Submission {
  return { outcome: "rejected", code, reason };
}

/** The rejection that an error stands for; any error but a `HostError` is the host's own fault, and is thrown on. */
export function rejectionOf(error: unknown): Submission {
  if (!(error instanceof HostError)) throw error;
  const { code, message: reason, details } = error;
  return { outcome: "rejected", code, reason, details };
}

/** An accepted submission; a rejection is thrown as the error that it stands for. */
export function requireAccepted(submission: Submission, unknownChannel: ErrorCode): Accepted {
  if (submission.outcome === "accepted") return submission;
  if (submission.outcome === "unknown-channel") throw new HostError(unknownChannel);
  const { code, reason, details = {} } = submission;
  throw new HostError(code, reason, { details });
}

/** Submits what is answered at once, unless changes cannot be recorded: then it throws. */
export function submitNow(
  submit: Submit,
  recording: Pick<Recording, "require">,
  uri: string,
  submitted: Action | Request,
  by: SubmittedBy,
): Submission {
  recording.require();
  const submission = submit(uri, submitted, by);
  if (submission instanceof Promise) throw new Error(`${submitted.type} was not answered at once`);
  return submission;
}

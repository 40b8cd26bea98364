// A tool call of an agent: its states, and every action that changes it.
import type { ErrorInfo } from "../failure.ts";
import type { ClientId, TerminalUri, ToolCallId, TurnId } from "../ids.ts";
import type { Changes } from "../immutable.ts";
import type { JsonObject, JsonValue, OpenEnum, Timestamp, Uri } from "../json.ts";
import type { TerminalExit } from "../terminal/terminal.ts";
import type { Approval, ApprovalDecision } from "./approval.ts";

/** The kind of a tool, as ACP names it. */
export type ToolKind = OpenEnum<
  "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "switch_mode" | "other"
>;

/** A place in a file that a tool call works on. */
export interface ToolLocation {
  readonly path: string;
  readonly line?: number;
}

/** The provider of a tool: the agent, the host (to ask its own question), or a client. */
export type ToolContributor =
  | { readonly kind: "agent" }
  | { readonly kind: "host" }
  | { readonly kind: "client"; readonly clientId: ClientId };

/** Fields of a tool call in every status. */
export interface ToolCallDetails {
  readonly toolCallId: ToolCallId;
  readonly toolName: string;
  readonly displayName: string;
  readonly toolKind: ToolKind;
  readonly locations: readonly ToolLocation[];
  readonly contributor: ToolContributor;
  /** One line on what is being done, once the input is known. */
  readonly invocationMessage?: string;
  readonly rawInput?: JsonValue;
  readonly content: readonly ToolContent[];
  /** Every decision taken on this call, oldest first. */
  readonly decisions: readonly ApprovalDecision[];
  /** When it began to run, as far as the host knows: the time of the approval, if it needed one. */
  readonly startedAt?: Timestamp;
}

interface Ended {
  readonly endedAt?: Timestamp;
}

/** Why a call was allowed to run: nobody had to be asked, a setting allowed it, or someone did. */
export type Confirmed = "not-needed" | "setting" | "user-action";

/** A call whose input is still being written. */
export type StreamingToolCall = ToolCallDetails & { readonly status: "streaming" };
/** A call that waits for permission. */
export type PendingToolCall = ToolCallDetails & {
  readonly status: "pending-confirmation";
  readonly approval: Approval;
};
/** A call that is running. */
export type RunningToolCall = ToolCallDetails & { readonly status: "running"; readonly confirmed: Confirmed };
/** A call that did what it was meant to do. */
export type CompletedToolCall = ToolCallDetails &
  Ended & {
    readonly status: "completed";
    readonly confirmed: Confirmed;
    readonly result: ToolSuccess;
  };
/** A call that ran and did not succeed. */
export type FailedToolCall = ToolCallDetails &
  Ended & {
    readonly status: "failed";
    readonly confirmed: Confirmed;
    readonly result: ToolFailure;
  };
/** A call that never ran, or not to its end. */
export type CancelledToolCall = ToolCallDetails &
  Ended & {
    readonly status: "cancelled";
    readonly reason: ToolCancelReason;
  };

/** A tool call in one of its states. */
export type ToolCall =
  | StreamingToolCall
  | PendingToolCall
  | RunningToolCall
  | CompletedToolCall
  | FailedToolCall
  | CancelledToolCall;

/** Why a call did not get to its end. */
export type ToolCancelReason = "denied" | "expired" | "skipped" | "turn-cancelled" | "interrupted";

/** Result of a successful call. */
export interface ToolSuccess {
  readonly success: true;
  readonly pastTenseMessage?: string;
  readonly rawOutput?: JsonValue;
}

/** Result of an unsuccessful call. */
export interface ToolFailure {
  readonly success: false;
  readonly pastTenseMessage?: string;
  readonly rawOutput?: JsonValue;
  readonly error?: ErrorInfo;
}

/** One version of a file: its text, or where to read it when it is long. */
export type FileVersion =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "ref"; readonly uri: Uri; readonly sizeBytes?: number };

/** The output and exit of a command, kept with its tool call so that they outlive the terminal. */
export interface TerminalResult {
  /** Absent while the command runs. */
  readonly exit?: TerminalExit;
  /** The end of the output. */
  readonly preview?: string;
  /** Bytes of output that are not in the preview. */
  readonly skippedBytes: number;
}

/** Something a tool call shows. */
export type ToolContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "embeddedResource"; readonly data: string; readonly contentType: string }
  | {
      readonly type: "resource";
      readonly uri: Uri;
      readonly contentType?: string;
      readonly sizeBytes?: number;
    }
  /** A change of a file; without `before` it is new, without `after` it is gone. */
  | {
      readonly type: "fileEdit";
      readonly path: string;
      readonly before?: FileVersion;
      readonly after?: FileVersion;
    }
  | {
      readonly type: "terminal";
      readonly resource: TerminalUri;
      readonly title: string;
      readonly isPty: boolean;
      /** As it was when the call ended. */
      readonly result?: TerminalResult;
      /** As it was when the command exited, if that was after the call ended. */
      readonly lateResult?: TerminalResult;
    }
  /** A kind we do not know, as the agent sent it. */
  | { readonly type: "raw"; readonly value: JsonObject };

/** Whether a call can still change. */
export function isUnfinished(call: ToolCall): call is StreamingToolCall | PendingToolCall | RunningToolCall {
  return call.status === "streaming" || call.status === "pending-confirmation" || call.status === "running";
}

/** A call that does not run, or, with the time of its end, does not run to its end. */
export function cancelToolCall(
  call: ToolCallDetails,
  reason: ToolCancelReason,
  endedAt?: Timestamp,
): CancelledToolCall {
  return inState(call, { status: "cancelled", reason, endedAt });
}

/** The fields that a new state may set. */
interface StateFields extends Partial<ToolCallDetails> {
  readonly status: ToolCall["status"];
  readonly approval?: Approval;
  readonly confirmed?: Confirmed;
  readonly result?: ToolSuccess | ToolFailure;
  readonly reason?: ToolCancelReason;
  readonly endedAt?: Timestamp;
}

/**
 * A call in another state: what it keeps through all of them, and the fields of the new one.
 * One literal for all states, because a chat keeps many calls: a spread of so many fields gives each call a hidden
 * class larger than itself (N242).
 */
export function inState<const Fields extends StateFields>(
  call: ToolCallDetails,
  fields: Fields,
): ToolCallDetails & Fields {
  const { toolCallId, toolName, displayName, toolKind, locations, contributor } = call;
  const { invocationMessage = call.invocationMessage, rawInput = call.rawInput } = fields;
  const { content = call.content, decisions = call.decisions, startedAt = call.startedAt } = fields;
  const { status, approval, confirmed, result, reason, endedAt } = fields;
  const next = {
    toolCallId,
    toolName,
    displayName,
    toolKind,
    locations,
    contributor,
    invocationMessage,
    rawInput,
    content,
    decisions,
    startedAt,
    status,
    approval,
    confirmed,
    result,
    reason,
    endedAt,
  };
  // The fields that the new state does not have are undefined, which the compiler cannot follow through the generic.
  return next as unknown as ToolCallDetails & Fields;
}

interface OfToolCall {
  readonly turnId: TurnId;
  readonly toolCallId: ToolCallId;
}

/** Whether a call that is ready may run at once. */
export type Confirmation =
  | { readonly kind: "not-needed" }
  /** A policy or a remembered answer allows it. */
  | { readonly kind: "setting" }
  /** Someone must be asked. */
  | { readonly kind: "needed"; readonly approval: Approval }
  /** A policy denies it; nobody is asked. */
  | { readonly kind: "denied"; readonly decision: ApprovalDecision };

/** Changes of an unfinished call. */
export type ToolCallChanges = Changes<
  Pick<
    ToolCallDetails,
    "toolName" | "displayName" | "toolKind" | "locations" | "invocationMessage" | "rawInput"
  >
>;

/** An action of a chat's channel that concerns one tool call. */
export type ToolCallAction =
  | (OfToolCall & {
      readonly type: "chat/toolCallStart";
      readonly toolName: string;
      readonly displayName: string;
      readonly toolKind: ToolKind;
      readonly contributor: ToolContributor;
      readonly locations?: readonly ToolLocation[];
      readonly rawInput?: JsonValue;
      /** Absent if the agent reported the call only after its end. */
      readonly startedAt?: Timestamp;
    })
  /** The call has a new description. */
  | (OfToolCall & { readonly type: "chat/toolCallUpdated"; readonly changes: ToolCallChanges })
  /** The input is whole: the call runs, or waits for permission; a running call may have to ask again. */
  | (OfToolCall & {
      readonly type: "chat/toolCallReady";
      readonly invocationMessage: string;
      readonly rawInput?: JsonValue;
      readonly confirmation: Confirmation;
      /** When it began to run, if nobody has to be asked. */
      readonly startedAt?: Timestamp;
    })
  /** The pending approval is decided. */
  | (OfToolCall & { readonly type: "chat/toolCallConfirmed"; readonly decision: ApprovalDecision })
  /** The content of the call, as a whole. */
  | (OfToolCall & { readonly type: "chat/toolCallContentChanged"; readonly content: readonly ToolContent[] })
  | (OfToolCall & {
      readonly type: "chat/toolCallComplete";
      readonly result: ToolSuccess | ToolFailure;
      readonly content?: readonly ToolContent[];
      readonly endedAt?: Timestamp;
    })
  /** A command that a finished call shows has exited. */
  | (OfToolCall & {
      readonly type: "chat/toolCallTerminalExited";
      readonly terminal: TerminalUri;
      readonly result: TerminalResult;
    });

// A tool call of an agent: what it does, on what, and how far it has come.
import type { ErrorInfo } from "../failure.ts";
import type { ClientId, TerminalUri, ToolCallId } from "../ids.ts";
import type { JsonObject, JsonValue, OpenEnum, Timestamp, Uri } from "../json.ts";
import type { TerminalExit } from "../terminal/terminal.ts";
import type { Approval, ApprovalDecision } from "./approval.ts";

/** What sort of thing a tool does, in ACP's words. */
export type ToolKind = OpenEnum<
  "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "switch_mode" | "other"
>;

/** A place in a file that a tool call works on. */
export interface ToolLocation {
  readonly path: string;
  readonly line?: number;
}

/** Who brought a tool into the turn: the agent, the host (to ask a question of its own), or a client. */
export type ToolContributor =
  | { readonly kind: "agent" }
  | { readonly kind: "host" }
  | { readonly kind: "client"; readonly clientId: ClientId };

/** What is known of a tool call whatever its status. */
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
  /** Since when it runs, as far as the host was told: from when it was allowed, if it was asked about. */
  readonly startedAt?: Timestamp;
}

/** When a call that was being carried out came to its end. */
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
/** A call that is being carried out. */
export type RunningToolCall = ToolCallDetails & { readonly status: "running"; readonly confirmed: Confirmed };
/** A call that did what it was meant to do. */
export type CompletedToolCall = ToolCallDetails &
  Ended & {
    readonly status: "completed";
    readonly confirmed: Confirmed;
    readonly result: ToolSuccess;
  };
/** A call that was carried out and did not succeed. */
export type FailedToolCall = ToolCallDetails &
  Ended & {
    readonly status: "failed";
    readonly confirmed: Confirmed;
    readonly result: ToolFailure;
  };
/** A call that was never carried out, or not to its end. */
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

/** What a successful call gave back. */
export interface ToolSuccess {
  readonly success: true;
  readonly pastTenseMessage?: string;
  readonly rawOutput?: JsonValue;
}

/** What an unsuccessful call gave back. */
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

/** What a finished command left behind, kept with the tool call so that it outlives the terminal. */
export interface TerminalResult {
  readonly exit: TerminalExit;
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
      readonly result?: TerminalResult;
    }
  /** A kind we do not know, as the agent sent it. */
  | { readonly type: "raw"; readonly value: JsonObject };

/** Whether a call can still change. */
export function isUnfinished(call: ToolCall): call is StreamingToolCall | PendingToolCall | RunningToolCall {
  return call.status === "streaming" || call.status === "pending-confirmation" || call.status === "running";
}

/** A tool call that will not be carried out, or, with the time of its end, not any further. */
export function cancelToolCall(
  call: ToolCallDetails,
  reason: ToolCancelReason,
  endedAt?: Timestamp,
): CancelledToolCall {
  return { ...detailsOf(call), status: "cancelled", reason, endedAt };
}

/** The fields that a tool call keeps through all its states. */
export function detailsOf(call: ToolCallDetails): ToolCallDetails {
  const {
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
  } = call;
  return {
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
  };
}

// Everything that can happen to a tool call.
import type { Changes } from "../immutable.ts";
import type { ToolCallId, TurnId } from "../ids.ts";
import type { JsonValue, Timestamp } from "../json.ts";
import type { Approval, ApprovalDecision } from "./approval.ts";
import type {
  ToolCallDetails,
  ToolContent,
  ToolContributor,
  ToolFailure,
  ToolKind,
  ToolLocation,
  ToolSuccess,
} from "./tool-call.ts";

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
  | { readonly kind: "needed"; readonly approval: Approval };

/** What may be learnt of an unfinished call. */
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
      /** Absent where it is told of only after its end. */
      readonly startedAt?: Timestamp;
    })
  /** The call is described anew. */
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
  /** What the call shows, as a whole. */
  | (OfToolCall & { readonly type: "chat/toolCallContentChanged"; readonly content: readonly ToolContent[] })
  | (OfToolCall & {
      readonly type: "chat/toolCallComplete";
      readonly result: ToolSuccess | ToolFailure;
      readonly content?: readonly ToolContent[];
      readonly endedAt?: Timestamp;
    });

// Everything that can happen in a chat.
import type { Actor, ErrorInfo, LimitFired } from "../failure.ts";
import type { BackgroundWorkId, InputRequestId, PartId, PendingMessageId, PlanId, TurnId } from "../ids.ts";
import type { JsonObject, Timestamp } from "../json.ts";
import type { BackgroundWork, ContextUsage } from "./chat.ts";
import type { InputAnswer, InputAnswers, InputRequest, InputResponse } from "./input-request.ts";
import type { Message, PendingMessage } from "./message.ts";
import type { ToolCallAction } from "./tool-call-actions.ts";
import type { Plan, StopReason, TextPart, Turn, TurnUsage, WholePart } from "./turn.ts";

interface OfTurn {
  readonly turnId: TurnId;
}

interface EndOfTurn extends OfTurn {
  readonly endedAt: Timestamp;
  readonly durationMs: number;
}

/** A turn begins, ends, or is taken up again. */
export type TurnAction =
  /** `queuedMessageId` takes that message out of the queue, or out of the steering slot. */
  | (OfTurn & {
      readonly type: "chat/turnStarted";
      readonly startedAt: Timestamp;
      readonly message: Message;
      readonly queuedMessageId?: PendingMessageId;
    })
  | (EndOfTurn & {
      readonly type: "chat/turnComplete";
      readonly stopReason: StopReason;
      readonly usage?: TurnUsage;
    })
  | (EndOfTurn & {
      readonly type: "chat/turnCancelled";
      readonly by: Actor;
      readonly reason?: string;
      readonly limit?: LimitFired;
    })
  | (EndOfTurn & {
      readonly type: "chat/error";
      readonly error: ErrorInfo;
      readonly resumable: boolean;
      readonly limit?: LimitFired;
    })
  | (EndOfTurn & {
      readonly type: "chat/turnInterrupted";
      readonly error: ErrorInfo;
      readonly resumable: boolean;
    })
  /** The last turn goes on where it failed or was interrupted. */
  | (OfTurn & { readonly type: "chat/turnResume" })
  /** Keeps the turns up to this one; without it, none. */
  | { readonly type: "chat/truncated"; readonly turnId?: TurnId }
  /** Older turns, put before those that are there. */
  | { readonly type: "chat/turnsLoaded"; readonly turns: readonly Turn[]; readonly turnsNextCursor?: string };

/** The running turn says something. */
export type PartAction =
  /** A new part; a text part may already hold its first piece. */
  | (OfTurn & { readonly type: "chat/responsePart"; readonly part: TextPart | WholePart })
  /** More text for a markdown part. */
  | (OfTurn & { readonly type: "chat/delta"; readonly partId: PartId; readonly content: string })
  /** More text for a reasoning part. */
  | (OfTurn & { readonly type: "chat/reasoning"; readonly partId: PartId; readonly content: string })
  /** A plan is new or has changed. */
  | (OfTurn & { readonly type: "chat/planChanged"; readonly plan: Plan })
  | (OfTurn & { readonly type: "chat/planRemoved"; readonly planId: PlanId })
  | (OfTurn & { readonly type: "chat/usage"; readonly usage: TurnUsage });

/** An agent asks a person, and the person answers. */
export type InputAction =
  | (OfTurn & { readonly type: "chat/inputRequested"; readonly request: InputRequest })
  /** An answer is being written; without `answer` it is taken back. */
  | {
      readonly type: "chat/inputAnswerChanged";
      readonly requestId: InputRequestId;
      readonly questionId: string;
      readonly answer?: InputAnswer;
    }
  | ({
      readonly type: "chat/inputCompleted";
      readonly requestId: InputRequestId;
      readonly answers?: InputAnswers;
    } & InputResponse);

/** Messages that wait. */
export type PendingMessageAction =
  | {
      readonly type: "chat/pendingMessageSet";
      readonly kind: "steering" | "queued";
      readonly pending: PendingMessage;
    }
  | {
      readonly type: "chat/pendingMessageRemoved";
      readonly kind: "steering" | "queued";
      readonly id: PendingMessageId;
    }
  /** The order of the queue; messages it does not name stay behind, in their order. */
  | { readonly type: "chat/queuedMessagesReordered"; readonly order: readonly PendingMessageId[] }
  | { readonly type: "chat/draftChanged"; readonly draft?: Message };

/** Something about the chat as a whole. */
export type ChatDetailAction =
  | { readonly type: "chat/titleChanged"; readonly title: string }
  | { readonly type: "chat/activityChanged"; readonly activity?: string }
  | { readonly type: "chat/isReadChanged"; readonly isRead: boolean }
  | { readonly type: "chat/isArchivedChanged"; readonly isArchived: boolean }
  | { readonly type: "chat/contextUsageChanged"; readonly contextUsage: ContextUsage }
  | { readonly type: "chat/backgroundWorkSet"; readonly work: BackgroundWork }
  | { readonly type: "chat/backgroundWorkRemoved"; readonly id: BackgroundWorkId }
  /** An update of a kind we do not know, inside a turn or outside. */
  | { readonly type: "chat/agentUpdateReceived"; readonly updateKind: string; readonly update: JsonObject };

/** Any action of a chat's channel. */
export type ChatAction =
  | TurnAction
  | PartAction
  | ToolCallAction
  | InputAction
  | PendingMessageAction
  | ChatDetailAction;

// A chat: its state, and every action that changes it.
import type { Actor, ErrorInfo } from "../failure.ts";
import type { LimitFired } from "../limit.ts";
import type {
  BackgroundWorkId,
  ChatUri,
  InputRequestId,
  PartId,
  PendingMessageId,
  PlanId,
  TerminalUri,
  TurnId,
} from "../ids.ts";
import type { JsonObject, Timestamp } from "../json.ts";
import type { InputAnswer, InputAnswers, InputRequest, InputResponse } from "./input-request.ts";
import type { Message, PendingMessage } from "./message.ts";
import type { ToolCallAction } from "./tool-call.ts";
import {
  waitingFor,
  type ActiveTurn,
  type Plan,
  type StopReason,
  type TextPart,
  type Turn,
  type TurnEnd,
  type TurnUsage,
  type WaitingFor,
  type WholePart,
} from "./turn.ts";

/** The state of a chat's channel. */
export interface ChatState {
  readonly resource: ChatUri;
  readonly title: string;
  readonly modifiedAt: Timestamp;
  readonly isRead: boolean;
  readonly isArchived: boolean;
  /** The turns that ended, oldest first. */
  readonly turns: readonly Turn[];
  /** Set when older turns can be loaded. */
  readonly turnsNextCursor?: string;
  readonly activeTurn?: ActiveTurn;
  /** A message for the running turn. */
  readonly steeringMessage?: PendingMessage;
  readonly queuedMessages: readonly PendingMessage[];
  /** A message that a person is composing. */
  readonly draft?: Message;
  /** One line on the current activity. */
  readonly activity?: string;
  readonly backgroundWork: readonly BackgroundWork[];
  /** How full the agent's context is. */
  readonly contextUsage?: ContextUsage;
  /** Updates of kinds we do not know: the newest of each kind, as the agent sent it. The log has them all. */
  readonly agentUpdates: readonly AgentUpdate[];
}

/** A chat in its session's list of chats. */
export interface ChatSummary extends Pick<
  ChatState,
  "resource" | "title" | "modifiedAt" | "isRead" | "isArchived" | "activity"
> {
  readonly phase: ChatPhase;
}

/** Whether a turn is running, and what it waits for. */
export type ChatPhase =
  | { readonly status: "idle"; readonly lastTurn?: TurnEnd["state"] }
  | { readonly status: "busy"; readonly turnId: TurnId; readonly waitingFor: WaitingFor };

/** Work that continues after the turn that began it. */
export type BackgroundWork =
  | {
      readonly kind: "shell";
      readonly id: BackgroundWorkId;
      readonly label: string;
      readonly startedAt: Timestamp;
      readonly command: string;
      readonly terminal?: TerminalUri;
    }
  | {
      readonly kind: "subagent";
      readonly id: BackgroundWorkId;
      readonly label: string;
      readonly startedAt: Timestamp;
      readonly chat: ChatUri;
    };

/** How much of an agent's context is used, and what it has cost so far. */
export interface ContextUsage {
  readonly usedTokens: number;
  readonly sizeTokens: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** The newest update of a kind we do not know. */
export interface AgentUpdate {
  readonly updateKind: string;
  readonly update: JsonObject;
  /** How many of this kind have come. */
  readonly count: number;
}

/** Properties of a new chat. */
export interface NewChat {
  readonly resource: ChatUri;
  readonly title: string;
  readonly at: Timestamp;
}

/** All messages that wait, in the order in which they are sent: the one for the running turn, then the queue. */
export function pendingMessages({
  steeringMessage,
  queuedMessages,
}: Pick<ChatState, "steeringMessage" | "queuedMessages">): readonly PendingMessage[] {
  return steeringMessage === undefined ? queuedMessages : [steeringMessage, ...queuedMessages];
}

/** The state of a chat in which nothing was said. */
export function newChatState({ resource, title, at }: NewChat): ChatState {
  return {
    resource,
    title,
    modifiedAt: at,
    isRead: true,
    isArchived: false,
    turns: [],
    queuedMessages: [],
    backgroundWork: [],
    agentUpdates: [],
  };
}

/** Whether a turn is running in a chat, without a look at its parts. */
export function chatPhase(chat: ChatState): ChatPhase {
  const { activeTurn } = chat;
  if (activeTurn) return { status: "busy", turnId: activeTurn.id, waitingFor: waitingFor(activeTurn) };
  return { status: "idle", lastTurn: chat.turns.at(-1)?.end.state };
}

/** The chat's entry in its session's list of chats. */
export function summarizeChat(chat: ChatState): ChatSummary {
  const { resource, title, modifiedAt, isRead, isArchived, activity } = chat;
  return { resource, title, modifiedAt, isRead, isArchived, activity, phase: chatPhase(chat) };
}

interface OfTurn {
  readonly turnId: TurnId;
}

interface EndOfTurn extends OfTurn {
  readonly endedAt: Timestamp;
  readonly durationMs: number;
}

/** The running turn ends. */
export type TurnEndAction =
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
    });

/** A turn begins, ends or resumes. */
export type TurnAction =
  /** `queuedMessageId` takes that message out of the queue, or out of the steering slot. */
  | (OfTurn & {
      readonly type: "chat/turnStarted";
      readonly startedAt: Timestamp;
      readonly message: Message;
      readonly queuedMessageId?: PendingMessageId;
    })
  | TurnEndAction
  /** The last turn resumes where it failed or was interrupted. */
  | (OfTurn & { readonly type: "chat/turnResume" })
  /** Keeps the turns up to this one; without it, none. */
  | { readonly type: "chat/truncated"; readonly turnId?: TurnId }
  /** Older turns, put before those that are there. */
  | { readonly type: "chat/turnsLoaded"; readonly turns: readonly Turn[]; readonly turnsNextCursor?: string }
  /** The turns before this one leave the state, which stays bounded so; the storage keeps them. */
  | { readonly type: "chat/turnsOmitted"; readonly firstTurnId: TurnId };

/** The running turn says something. */
export type PartAction =
  /** A new part; a text part may already hold its first piece. */
  | (OfTurn & { readonly type: "chat/responsePart"; readonly part: TextPart | WholePart })
  /** More text for a markdown part. */
  | (OfTurn & { readonly type: "chat/delta"; readonly partId: PartId; readonly content: string })
  /** More text for a reasoning part. */
  | (OfTurn & { readonly type: "chat/reasoning"; readonly partId: PartId; readonly content: string })
  /** The first characters of a text part leave the state, which stays bounded so; the log keeps them. */
  | (OfTurn & { readonly type: "chat/textOmitted"; readonly partId: PartId; readonly charCount: number })
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

export type ChatActionOf<Type extends ChatAction["type"]> = Extract<ChatAction, { type: Type }>;

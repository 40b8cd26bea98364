// A chat: its turns, the one that is going on, and what waits for the next.
import type { BackgroundWorkId, ChatUri, TerminalUri, TurnId } from "../ids.ts";
import type { JsonObject, Timestamp } from "../json.ts";
import type { Message, PendingMessage } from "./message.ts";
import { waitingFor, type ActiveTurn, type Turn, type TurnEnd, type WaitingFor } from "./turn.ts";

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
  /** A message for the turn that is going on. */
  readonly steeringMessage?: PendingMessage;
  readonly queuedMessages: readonly PendingMessage[];
  /** What a person is about to send. */
  readonly draft?: Message;
  /** One line on what is going on just now. */
  readonly activity?: string;
  readonly backgroundWork: readonly BackgroundWork[];
  /** How full the agent's context is. */
  readonly contextUsage?: ContextUsage;
  /** Updates of kinds we do not know: the newest of each kind, as the agent sent it. The log has them all. */
  readonly agentUpdates: readonly AgentUpdate[];
}

/** What a session says of one of its chats. */
export interface ChatSummary {
  readonly resource: ChatUri;
  readonly title: string;
  readonly modifiedAt: Timestamp;
  readonly isRead: boolean;
  readonly isArchived: boolean;
  readonly activity?: string;
  readonly phase: ChatPhase;
}

/** Whether a turn is going on and what it waits for. */
export type ChatPhase =
  | { readonly status: "idle"; readonly lastTurn?: TurnEnd["state"] }
  | { readonly status: "busy"; readonly turnId: TurnId; readonly waitingFor: WaitingFor };

/** Work that goes on after the turn that began it. */
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

/** What a new chat is made from. */
export interface NewChat {
  readonly resource: ChatUri;
  readonly title: string;
  readonly at: Timestamp;
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

/** Whether a turn is going on in a chat, without a look at its parts. */
export function chatPhase(chat: ChatState): ChatPhase {
  const { activeTurn } = chat;
  if (activeTurn) return { status: "busy", turnId: activeTurn.id, waitingFor: waitingFor(activeTurn) };
  return { status: "idle", lastTurn: chat.turns.at(-1)?.end.state };
}

/** What the session's list of chats says of a chat. */
export function summarizeChat(chat: ChatState): ChatSummary {
  const { resource, title, modifiedAt, isRead, isArchived, activity } = chat;
  return { resource, title, modifiedAt, isRead, isArchived, activity, phase: chatPhase(chat) };
}

// How turns begin, end, are resumed, cut off and loaded.
import type { Timestamp } from "../json.ts";
import type { ApprovalDecision } from "./approval.ts";
import type { ChatState } from "./chat.ts";
import type { TurnAction } from "./chat-actions.ts";
import { cancelToolCall, isUnfinished, type ToolCancelReason } from "./tool-call.ts";
import { NO_WAITS, turnParts, type ActiveTurn, type ResponsePart, type Turn, type TurnEnd } from "./turn.ts";

type ActionOf<Type extends TurnAction["type"]> = Extract<TurnAction, { type: Type }>;
type EndAction = ActionOf<"chat/turnComplete" | "chat/turnCancelled" | "chat/error" | "chat/turnInterrupted">;

/** Begins a turn, unless one is going on or this one was there before (M8). */
export function startTurn(chat: ChatState, action: ActionOf<"chat/turnStarted">): ChatState {
  if (chat.activeTurn || chat.turns.some((turn) => turn.id === action.turnId)) return chat;
  const { turnId, startedAt, message, queuedMessageId } = action;
  const isTaken = (pending: { readonly id: string } | undefined): boolean =>
    pending !== undefined && pending.id === queuedMessageId;
  return {
    ...chat,
    modifiedAt: startedAt,
    isRead: false,
    activeTurn: { id: turnId, startedAt, message, responseParts: [], plans: [], waits: NO_WAITS },
    steeringMessage: isTaken(chat.steeringMessage) ? undefined : chat.steeringMessage,
    queuedMessages: chat.queuedMessages.some(isTaken)
      ? chat.queuedMessages.filter((pending) => !isTaken(pending))
      : chat.queuedMessages,
  };
}

/** Ends the running turn; nothing in it stays open (M10). Copies the parts and the list of turns once. */
export function endTurn(chat: ChatState, action: EndAction): ChatState {
  const turn = chat.activeTurn;
  if (turn?.id !== action.turnId) return chat;
  const end = endOf(action);
  const { id, startedAt, message, plans } = turn;
  const ended: Turn = {
    id,
    startedAt,
    message,
    plans,
    responseParts: turnParts(turn).map((part) => closePart(part, reasonFor[end.state], action.endedAt)),
    usage: action.type === "chat/turnComplete" ? (action.usage ?? turn.usage) : turn.usage,
    endedAt: action.endedAt,
    durationMs: Math.max(0, action.durationMs),
    end,
  };
  return {
    ...chat,
    modifiedAt: action.endedAt,
    turns: [...chat.turns, ended],
    activeTurn: undefined,
    activity: undefined,
  };
}

/** Takes the last turn up again if it ended in a way that allows it (M11). */
export function resumeTurn(chat: ChatState, action: ActionOf<"chat/turnResume">): ChatState {
  const last = chat.turns.at(-1);
  if (chat.activeTurn || last?.id !== action.turnId || !isResumable(last.end)) return chat;
  const { id, startedAt, message, responseParts, plans, usage } = last;
  const activeTurn: ActiveTurn = { id, startedAt, message, responseParts, plans, usage, waits: NO_WAITS };
  return { ...chat, turns: chat.turns.slice(0, -1), activeTurn };
}

/** Forgets the turns after one of them, and whatever is going on. */
export function truncateTurns(chat: ChatState, action: ActionOf<"chat/truncated">): ChatState {
  if (action.turnId === undefined) {
    return { ...chat, turns: [], turnsNextCursor: undefined, activeTurn: undefined };
  }
  const index = chat.turns.findIndex((turn) => turn.id === action.turnId);
  return index < 0 ? chat : { ...chat, turns: chat.turns.slice(0, index + 1), activeTurn: undefined };
}

/** Puts older turns before those that are there. */
export function loadTurns(chat: ChatState, action: ActionOf<"chat/turnsLoaded">): ChatState {
  const present = new Set(chat.turns.map((turn) => turn.id));
  const older = action.turns.filter((turn) => !present.has(turn.id) && turn.id !== chat.activeTurn?.id);
  return { ...chat, turns: [...older, ...chat.turns], turnsNextCursor: action.turnsNextCursor };
}

const reasonFor: { readonly [State in TurnEnd["state"]]: ToolCancelReason } = {
  complete: "skipped",
  cancelled: "turn-cancelled",
  failed: "interrupted",
  interrupted: "interrupted",
};

function endOf(action: EndAction): TurnEnd {
  switch (action.type) {
    case "chat/turnComplete":
      return { state: "complete", stopReason: action.stopReason };
    case "chat/turnCancelled":
      return { state: "cancelled", by: action.by, reason: action.reason, limit: action.limit };
    case "chat/error":
      return { state: "failed", error: action.error, resumable: action.resumable, limit: action.limit };
    case "chat/turnInterrupted":
      return { state: "interrupted", error: action.error, resumable: action.resumable };
  }
}

function isResumable(end: TurnEnd): boolean {
  return (end.state === "failed" || end.state === "interrupted") && end.resumable;
}

function closePart(part: ResponsePart, reason: ToolCancelReason, at: Timestamp): ResponsePart {
  if (part.kind === "inputRequest" && !part.response) {
    return { ...part, response: { response: "cancel", by: { kind: "host" } } };
  }
  if (part.kind !== "toolCall" || !isUnfinished(part.toolCall)) return part;
  const { toolCall } = part;
  if (toolCall.status !== "pending-confirmation") {
    const endedAt = toolCall.status === "running" ? at : undefined;
    return { kind: "toolCall", toolCall: cancelToolCall(toolCall, reason, endedAt) };
  }
  const decision: ApprovalDecision = {
    approvalId: toolCall.approval.id,
    outcome: "cancelled",
    by: { kind: "host" },
    at,
  };
  return {
    kind: "toolCall",
    toolCall: cancelToolCall({ ...toolCall, decisions: [...toolCall.decisions, decision] }, reason),
  };
}

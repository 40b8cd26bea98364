// The reducers of a turn: its start and end, its parts, its text, its plans, its questions.
import type { InputRequestId, TurnId } from "../ids.ts";
import { patch, upsert, without } from "../immutable.ts";
import type { Timestamp } from "../json.ts";
import type { ApprovalDecision } from "./approval.ts";
import type { ChatActionOf, ChatState, TurnEndAction } from "./chat.ts";
import { PartList, idOf, type PartGroup } from "./part-list.ts";
import { cancelToolCall, isUnfinished, type ToolCancelReason } from "./tool-call.ts";
import {
  NO_WAITS,
  findInputRequest,
  findTextPart,
  turnParts,
  type ActiveTurn,
  type InputRequestPart,
  type ResponsePart,
  type TextPart,
  type Turn,
  type TurnEnd,
  type TurnWaits,
} from "./turn.ts";

/** Begins a turn, unless one is running or this one was there before (M8). */
export function startTurn(chat: ChatState, action: ChatActionOf<"chat/turnStarted">): ChatState {
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
export function endTurn(chat: ChatState, action: TurnEndAction): ChatState {
  const turn = chat.activeTurn;
  if (turn?.id !== action.turnId) return chat;
  const end = turnEndOf(action);
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

/** Resumes the last turn if it ended in a way that allows it (M11). */
export function resumeTurn(chat: ChatState, action: ChatActionOf<"chat/turnResume">): ChatState {
  const last = chat.turns.at(-1);
  if (chat.activeTurn || last?.id !== action.turnId || !isResumable(last.end)) return chat;
  const { id, startedAt, message, responseParts, plans, usage } = last;
  const activeTurn: ActiveTurn = { id, startedAt, message, responseParts, plans, usage, waits: NO_WAITS };
  return { ...chat, turns: chat.turns.slice(0, -1), activeTurn };
}

export function truncateTurns(chat: ChatState, action: ChatActionOf<"chat/truncated">): ChatState {
  if (action.turnId === undefined) {
    return { ...chat, turns: [], turnsNextCursor: undefined, activeTurn: undefined };
  }
  const index = chat.turns.findIndex((turn) => turn.id === action.turnId);
  return index < 0 ? chat : { ...chat, turns: chat.turns.slice(0, index + 1), activeTurn: undefined };
}

export function loadTurns(chat: ChatState, action: ChatActionOf<"chat/turnsLoaded">): ChatState {
  const present = new Set(chat.turns.map((turn) => turn.id));
  const older = action.turns.filter((turn) => !present.has(turn.id) && turn.id !== chat.activeTurn?.id);
  return { ...chat, turns: [...older, ...chat.turns], turnsNextCursor: action.turnsNextCursor };
}

/** How many of the newest turns are never omitted: what is resumed, and the one before it. */
const minTurns = 2;

/** Drops the turns before one of them, which then names the place from which they are loaded (M420). */
export function omitTurns(chat: ChatState, { firstTurnId }: ChatActionOf<"chat/turnsOmitted">): ChatState {
  const index = chat.turns.findIndex((turn) => turn.id === firstTurnId);
  if (index <= 0 || chat.turns.length - index < minTurns) return chat;
  return { ...chat, turns: chat.turns.slice(index), turnsNextCursor: firstTurnId };
}

const reasonFor: { readonly [State in TurnEnd["state"]]: ToolCancelReason } = {
  complete: "skipped",
  cancelled: "turn-cancelled",
  failed: "interrupted",
  interrupted: "interrupted",
};

/** How the action ends its turn. */
export function turnEndOf(action: TurnEndAction): TurnEnd {
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

const groups: readonly PartGroup[] = ["toolCall", "inputRequest", "other"];

/** Applies a change to the running turn if it is the one that is meant (M3). */
export function changeTurn(
  chat: ChatState,
  turnId: TurnId,
  change: (turn: ActiveTurn) => ActiveTurn,
): ChatState {
  const turn = chat.activeTurn;
  if (turn?.id !== turnId) return chat;
  const changed = change(turn);
  return changed === turn ? chat : { ...chat, activeTurn: changed };
}

/** Adds a part, which closes the text part that was being written. */
export function appendPart(turn: ActiveTurn, part: ResponsePart): ActiveTurn {
  const parts = PartList.of(turn.responseParts);
  const closed = turn.openPart ? parts.append(turn.openPart) : parts;
  if (part.kind === "markdown" || part.kind === "reasoning") {
    return { ...turn, responseParts: closed, openPart: part };
  }
  const waits = countWaits(turn.waits, undefined, part);
  return { ...turn, responseParts: closed.append(part), openPart: undefined, waits };
}

/** Puts a part in the place of another with the same id. */
export function replacePart(turn: ActiveTurn, index: number, part: ResponsePart): ActiveTurn {
  const parts = PartList.of(turn.responseParts);
  const waits = countWaits(turn.waits, parts.at(index), part);
  return { ...turn, responseParts: parts.with(index, part), waits };
}

/** Adds a part that the agent sent, once. */
export function addResponsePart(turn: ActiveTurn, action: ChatActionOf<"chat/responsePart">): ActiveTurn {
  const id = idOf(action.part);
  const parts = PartList.of(turn.responseParts);
  const isThere = turn.openPart?.id === id || groups.some((group) => parts.placeOf(group, id) >= 0);
  return isThere ? turn : appendPart(turn, action.part);
}

/**
 * Appends text to a part of the right kind (M4).
 * This copies a few small objects, whatever the length of the chat, the turn or the text.
 */
export function appendText(
  turn: ActiveTurn,
  action: ChatActionOf<"chat/delta" | "chat/reasoning">,
): ActiveTurn {
  const kind: TextPart["kind"] = action.type === "chat/delta" ? "markdown" : "reasoning";
  if (action.content === "") return turn;
  const { openPart } = turn;
  if (openPart?.id === action.partId) {
    return openPart.kind === kind
      ? { ...turn, openPart: { ...openPart, content: openPart.content + action.content } }
      : turn;
  }
  const parts = PartList.of(turn.responseParts);
  const index = parts.placeOf("other", action.partId);
  const part = parts.at(index);
  if (part?.kind !== kind) return turn;
  return { ...turn, responseParts: parts.with(index, { ...part, content: part.content + action.content }) };
}

/** Leaves the first characters of a text part out (M242). */
export function omitText(turn: ActiveTurn, action: ChatActionOf<"chat/textOmitted">): ActiveTurn {
  const part = findTextPart(turn, action.partId);
  const { charCount } = action;
  if (part === undefined || charCount === 0 || charCount > part.content.length) return turn;
  const omittedChars = (part.omittedChars ?? 0) + charCount;
  const shortened: TextPart = { ...part, content: copyOf(part.content.slice(charCount)), omittedChars };
  if (part === turn.openPart) return { ...turn, openPart: shortened };
  const parts = PartList.of(turn.responseParts);
  return { ...turn, responseParts: parts.with(parts.placeOf("other", part.id), shortened) };
}

/** A slice keeps the whole text in memory that it was cut from. A joined text that is cut is copied first, and only once. */
function copyOf(slice: string): string {
  return ` ${slice}`.slice(1);
}

export function setPlan(turn: ActiveTurn, action: ChatActionOf<"chat/planChanged">): ActiveTurn {
  return { ...turn, plans: upsert(turn.plans, action.plan, (plan) => plan.id === action.plan.id) };
}

export function removePlan(turn: ActiveTurn, action: ChatActionOf<"chat/planRemoved">): ActiveTurn {
  return patch(turn, { plans: without(turn.plans, (plan) => plan.id === action.planId) });
}

function countWaits(waits: TurnWaits, before: ResponsePart | undefined, after: ResponsePart): TurnWaits {
  const from = before && waitOf(before);
  const to = waitOf(after);
  if (from === to) return waits;
  const counted = { ...waits };
  if (from) counted[from] -= 1;
  if (to) counted[to] += 1;
  return counted;
}

function waitOf(part: ResponsePart): keyof TurnWaits | undefined {
  if (part.kind === "inputRequest") return part.response ? undefined : "input";
  if (part.kind !== "toolCall") return undefined;
  if (part.toolCall.status === "pending-confirmation") return "permission";
  return part.toolCall.status === "running" ? "tool" : undefined;
}

export function requestInput(turn: ActiveTurn, action: ChatActionOf<"chat/inputRequested">): ActiveTurn {
  if (findInputRequest(turn, action.request.id)) return turn;
  return appendPart(turn, { kind: "inputRequest", request: action.request });
}

/** Keeps an answer that is being written, so that all clients see it. */
export function changeAnswer(chat: ChatState, action: ChatActionOf<"chat/inputAnswerChanged">): ChatState {
  return changeOpenRequest(chat, action.requestId, (part) => {
    const { [action.questionId]: _before, ...others } = part.request.answers ?? {};
    const answers = action.answer ? { ...others, [action.questionId]: action.answer } : others;
    return { ...part, request: { ...part.request, answers } };
  });
}

/** Ends a question; the first answer counts (M17). */
export function completeInput(chat: ChatState, action: ChatActionOf<"chat/inputCompleted">): ChatState {
  return changeOpenRequest(chat, action.requestId, (part) => ({
    ...part,
    request: action.answers
      ? { ...part.request, answers: { ...part.request.answers, ...action.answers } }
      : part.request,
    response: { response: action.response, by: action.by },
  }));
}

function changeOpenRequest(
  chat: ChatState,
  id: InputRequestId,
  change: (part: InputRequestPart) => InputRequestPart,
): ChatState {
  const turn = chat.activeTurn;
  if (!turn) return chat;
  const parts = PartList.of(turn.responseParts);
  const index = parts.placeOf("inputRequest", id);
  const part = parts.at(index);
  if (part?.kind !== "inputRequest" || part.response) return chat;
  return { ...chat, activeTurn: replacePart(turn, index, change(part)) };
}

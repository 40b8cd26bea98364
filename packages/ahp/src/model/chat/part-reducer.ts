// How the running turn grows: its parts, its text, its plans.
import { patch, upsert, without } from "../immutable.ts";
import type { TurnId } from "../ids.ts";
import type { ChatState } from "./chat.ts";
import type { PartAction } from "./chat-actions.ts";
import { turnParts, type ActiveTurn, type ResponsePart, type TextPart, type TurnWaits } from "./turn.ts";

type ActionOf<Type extends PartAction["type"]> = Extract<PartAction, { type: Type }>;

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

/** Adds a part, which closes the text part that was being written. Costs one copy of the turn's list of parts. */
export function appendPart(turn: ActiveTurn, part: ResponsePart): ActiveTurn {
  if (part.kind === "markdown" || part.kind === "reasoning") {
    return { ...turn, responseParts: turnParts(turn), openPart: part };
  }
  const responseParts = turn.openPart
    ? [...turn.responseParts, turn.openPart, part]
    : [...turn.responseParts, part];
  return { ...turn, responseParts, openPart: undefined, waits: countWaits(turn.waits, undefined, part) };
}

/** Puts a part in the place of another. Costs one copy of the turn's list of parts. */
export function replacePart(turn: ActiveTurn, index: number, part: ResponsePart): ActiveTurn {
  const waits = countWaits(turn.waits, turn.responseParts[index], part);
  return { ...turn, responseParts: turn.responseParts.with(index, part), waits };
}

/** Adds a part that the agent sent, once. */
export function addResponsePart(turn: ActiveTurn, action: ActionOf<"chat/responsePart">): ActiveTurn {
  const id = idOf(action.part);
  const isThere = turn.openPart?.id === id || turn.responseParts.some((part) => idOf(part) === id);
  return isThere ? turn : appendPart(turn, action.part);
}

/**
 * Appends text to a part of the right kind (M4).
 * For the part being written this copies three small objects, whatever the length of the chat, the turn or the text;
 * for an earlier part also the turn's list of parts.
 */
export function appendText(turn: ActiveTurn, action: ActionOf<"chat/delta" | "chat/reasoning">): ActiveTurn {
  const kind: TextPart["kind"] = action.type === "chat/delta" ? "markdown" : "reasoning";
  if (action.content === "") return turn;
  const { openPart, responseParts } = turn;
  if (openPart?.id === action.partId) {
    return openPart.kind === kind
      ? { ...turn, openPart: { ...openPart, content: openPart.content + action.content } }
      : turn;
  }
  const index = responseParts.findLastIndex((part) => part.kind === kind && part.id === action.partId);
  const part = responseParts[index];
  if (part?.kind !== kind) return turn;
  return {
    ...turn,
    responseParts: responseParts.with(index, { ...part, content: part.content + action.content }),
  };
}

/** Sets or changes a plan. */
export function setPlan(turn: ActiveTurn, action: ActionOf<"chat/planChanged">): ActiveTurn {
  return { ...turn, plans: upsert(turn.plans, action.plan, (plan) => plan.id === action.plan.id) };
}

/** Takes a plan away. */
export function removePlan(turn: ActiveTurn, action: ActionOf<"chat/planRemoved">): ActiveTurn {
  return patch(turn, { plans: without(turn.plans, (plan) => plan.id === action.planId) });
}

function idOf(part: ResponsePart): string {
  switch (part.kind) {
    case "markdown":
    case "reasoning":
    case "contentRef":
      return part.id;
    case "systemNotification":
      return part.notice.id;
    case "toolCall":
      return part.toolCall.toolCallId;
    case "inputRequest":
      return part.request.id;
  }
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

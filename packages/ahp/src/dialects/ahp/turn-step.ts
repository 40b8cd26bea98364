// How AHP is told that a turn begins, ends, is taken up again or is forgotten.
import type { TurnAction } from "../../model/chat/chat-actions.ts";
import type { ChatState } from "../../model/chat/chat.ts";
import type { ActiveTurn } from "../../model/chat/turn.ts";
import type { StepOf } from "../dialect.ts";
import { showActivity } from "./chat-state.ts";
import type { ChatStyle } from "./chat-style.ts";
import { showMessageField } from "./message.ts";
import { openInputRequests, showError, showParts, showTurn, showUsage } from "./turn.ts";
import { SILENCE, type WireAction, type WireStep } from "./wire-step.ts";

type ChatStep = StepOf<"chat">;
type EndAction = Extract<
  TurnAction,
  { type: "chat/turnComplete" | "chat/turnCancelled" | "chat/error" | "chat/turnInterrupted" }
>;

/** The actions for a step of a turn. */
export function stepTurn(action: TurnAction, step: ChatStep, style: ChatStyle): WireStep {
  switch (action.type) {
    case "chat/turnStarted": {
      const { turnId, startedAt, message, queuedMessageId } = action;
      const times = style.hasTimes && { startedAt };
      const fields = { turnId, ...times, ...showMessageField(message, style), queuedMessageId };
      return { main: { type: "turnStarted", ...fields } };
    }
    case "chat/turnComplete":
    case "chat/turnCancelled":
    case "chat/error":
    case "chat/turnInterrupted":
      return endTurn(action, step, style);
    case "chat/turnResume":
      // Its plans come back with it, and with them what it is at.
      return style.hasTurnResume
        ? { main: { type: "turnResume", turnId: action.turnId }, follow: activityDifference(step) }
        : { lead: rebuildTurn(step.after, style), follow: activityDifference(step) };
    case "chat/truncated": {
      const main = { type: "truncated", turnId: action.turnId };
      return { main, follow: activityDifference(step) };
    }
    case "chat/turnsLoaded": {
      if (!style.hasTurnsLoaded) return SILENCE;
      const { activeTurn, resource } = step.after;
      // A viewer would take the running turn for one that has ended.
      const older = action.turns.filter(({ id }) => id !== activeTurn?.id);
      const turns = older.map((turn) => showTurn(turn, resource, style));
      return { main: { type: "turnsLoaded", turns, turnsNextCursor: action.turnsNextCursor } };
    }
  }
}

/** An end on the wire closes tool calls but neither questions nor the activity, and knows no tokens (E11). */
function endTurn(action: EndAction, step: ChatStep, style: ChatStyle): WireStep {
  const { before } = step;
  const { turnId } = action;
  const lead: WireAction[] = [];
  if (style.inputRequests === "parts") {
    for (const { id } of openInputRequests(before.activeTurn)) {
      lead.push({ type: "inputCompleted", requestId: id, response: "cancel" });
    }
  }
  if (action.type === "chat/turnComplete" && action.usage) {
    lead.push({ type: "usage", turnId, usage: showUsage(action.usage, before.contextUsage) });
  }
  const times = style.hasTimes && { duration: Math.max(0, action.durationMs) };
  return { lead, main: { ...endOf(action, style), turnId, ...times }, follow: activityDifference(step) };
}

function endOf(action: EndAction, style: ChatStyle): WireAction {
  switch (action.type) {
    case "chat/turnComplete":
      return { type: "turnComplete" };
    case "chat/turnCancelled":
      return { type: "turnCancelled" };
    case "chat/error":
    case "chat/turnInterrupted": {
      const error = showError(action.error);
      if (style.failure === "field") return { type: "error", error };
      return { type: "error", part: { kind: "error", error, resumable: action.resumable } };
    }
  }
}

/** Where a turn cannot be taken up again, it is forgotten and told anew from its start (E14). */
function rebuildTurn(chat: ChatState, style: ChatStyle): readonly WireAction[] {
  const { activeTurn: turn, turns } = chat;
  if (!turn) return [];
  const turnId = turn.id;
  const parts = showParts(turn, { chat: chat.resource, turnId }, style);
  const follow = [
    ...(turn.usage ? [usageOf(turn, chat)] : []),
    ...(chat.isRead && style.hasIsRead ? [{ type: "isReadChanged", isRead: true }] : []),
  ];
  return [
    { type: "truncated", turnId: turns.at(-1)?.id },
    { type: "turnStarted", turnId, ...showMessageField(turn.message, style) },
    ...parts.map((part) => ({ type: "responsePart", turnId, part })),
    ...follow,
  ];
}

function activityDifference({ before, after }: ChatStep): readonly WireAction[] {
  return showActivity(before) === showActivity(after) ? [] : [activityChanged(after)];
}

/** What tells the tokens of the running turn, all of them: AHP replaces where the model adds. */
export function usageOf(turn: ActiveTurn, chat: ChatState): WireAction {
  return { type: "usage", turnId: turn.id, usage: showUsage(turn.usage, chat.contextUsage) };
}

/** What tells the activity, or that there is none. */
export function activityChanged(chat: ChatState): WireAction {
  return { type: "activityChanged", activity: showActivity(chat) };
}

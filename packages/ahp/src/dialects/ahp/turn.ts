// Turns and their parts as AHP writes them: states, and the actions for each change.
import type { ChatState, ContextUsage, TurnAction, TurnEndAction } from "../../model/chat/chat.ts";
import {
  turnParts,
  type ActiveTurn,
  type Plan,
  type ResponsePart,
  type Turn,
  type TurnEnd,
  type TurnUsage,
} from "../../model/chat/turn.ts";
import type { ErrorInfo } from "../../model/failure.ts";
import type { ChatUri, TurnId } from "../../model/ids.ts";
import type { JsonValue } from "../../model/json.ts";
import type { StepOf } from "../dialect.ts";
import type { ChatStyle } from "./chat.ts";
import { showInputRequest, showMessageField } from "./message.ts";
import { showToolCall } from "./tool-call.ts";
import type {
  WireActiveTurn,
  WireError,
  WireErrorPart,
  WireInputRequest,
  WirePart,
  WireTurn,
  WireUsage,
} from "./wire-chat.ts";
import { SILENCE, type WireAction, type WireStep } from "./wire-action.ts";

interface TurnPlace {
  readonly chat: ChatUri;
  readonly turnId: TurnId;
}

export function showTurn(turn: Turn, chat: ChatUri, style: ChatStyle): WireTurn {
  const { id, startedAt, durationMs, message, end } = turn;
  const parts = showParts(turn, { chat, turnId: id }, style);
  const failure = failureOf(end);
  const failedAsPart = failure && style.failure === "part" ? [failure] : [];
  return {
    id,
    ...(style.hasTimes && { startedAt, duration: durationMs }),
    ...showMessageField(message, style),
    responseParts: [...parts, ...failedAsPart],
    usage: showUsage(turn.usage),
    state: turnState(end),
    error: failure && style.failure === "field" ? failure.error : undefined,
  };
}

export function showActiveTurn(turn: ActiveTurn, chat: ChatState, style: ChatStyle): WireActiveTurn {
  const { id, startedAt, message } = turn;
  return {
    id,
    ...(style.hasTimes && { startedAt }),
    ...showMessageField(message, style),
    responseParts: showParts(turn, { chat: chat.resource, turnId: id }, style),
    usage: showUsage(turn.usage, chat.contextUsage),
  };
}

/** One part; nothing when the version keeps it elsewhere. */
export function showPart(part: ResponsePart, place: TurnPlace, style: ChatStyle): readonly WirePart[] {
  switch (part.kind) {
    case "markdown":
    case "reasoning": {
      const { kind, id, content, omittedChars = 0 } = part;
      return omittedChars === 0
        ? [{ kind, id, content }]
        : [describeOmission(omittedChars), { kind, id, content }];
    }
    case "contentRef": {
      const { kind, uri, contentType, sizeBytes } = part;
      return [{ kind, uri, contentType, sizeHint: sizeBytes }];
    }
    case "systemNotification": {
      const { title, description } = part.notice;
      return [{ kind: part.kind, content: description === undefined ? title : `${title}\n\n${description}` }];
    }
    case "toolCall": {
      const { toolCall } = part;
      const toolCallPlace = { ...place, toolCallId: toolCall.toolCallId };
      return [{ kind: "toolCall", toolCall: showToolCall(toolCall, toolCallPlace, style) }];
    }
    case "inputRequest":
      if (style.inputRequests === "list") return [];
      if (style.inputRequests === "list-then-parts" && !part.response) return [];
      return [
        {
          kind: "inputRequest",
          request: showInputRequest(part.request),
          response: part.response?.response,
        },
      ];
  }
}

/** AHP has no slot for it: a notice is shown by every client (E241). */
function describeOmission(omittedChars: number): WirePart {
  const content = `${omittedChars} earlier characters are not part of this snapshot. The turn's event stream has them.`;
  return { kind: "systemNotification", content };
}

function showParts(turn: Turn | ActiveTurn, place: TurnPlace, style: ChatStyle): readonly WirePart[] {
  return turnParts(turn).flatMap((part) => showPart(part, place, style));
}

/** The questions of the running turn that wait for an answer. */
export function openInputRequests(turn: ActiveTurn | undefined): readonly WireInputRequest[] {
  return (turn ? turnParts(turn) : []).flatMap((part) =>
    part.kind === "inputRequest" && !part.response ? [showInputRequest(part.request)] : [],
  );
}

/** The tokens of a turn; the fill level of the context has no separate slot (E13). */
function showUsage(usage: TurnUsage | undefined, contextUsage?: ContextUsage): WireUsage | undefined {
  if (!usage && !contextUsage) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens, model, ...others } = usage ?? {};
  const rest: Record<string, JsonValue> = {};
  for (const [name, tokens] of Object.entries(others)) if (tokens !== undefined) rest[name] = tokens;
  if (contextUsage) {
    const { usedTokens, sizeTokens, cost } = contextUsage;
    rest["context"] = { used: usedTokens, size: sizeTokens, ...(cost && { cost: { ...cost } }) };
  }
  const _meta = Object.keys(rest).length > 0 ? { holdfast: rest } : undefined;
  return { inputTokens, outputTokens, cacheReadTokens, model, _meta };
}

function failureOf(end: TurnEnd): WireErrorPart | undefined {
  if (end.state !== "failed" && end.state !== "interrupted") return undefined;
  return { kind: "error", error: showError(end.error), resumable: end.resumable };
}

/** An error; its code is AHP's `errorType`. */
export function showError({ code, message, remedy }: ErrorInfo): WireError {
  return { errorType: code, message, _meta: remedy && { holdfast: { remedy: { ...remedy } } } };
}

function turnState({ state }: TurnEnd): WireTurn["state"] {
  return state === "failed" || state === "interrupted" ? "error" : state;
}

type ChatStep = StepOf<"chat">;

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
    // Clients that have the turns keep them; later snapshots begin after them, with a cursor.
    case "chat/turnsOmitted":
      return SILENCE;
  }
}

/** An end on the wire closes tool calls but neither questions nor the activity, and knows no tokens (E11). */
function endTurn(action: TurnEndAction, step: ChatStep, style: ChatStyle): WireStep {
  const { before } = step;
  const { turnId } = action;
  const lead: WireAction[] = [];
  if (style.inputRequests !== "list") {
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

function endOf(action: TurnEndAction, style: ChatStyle): WireAction {
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

/** Where a version cannot resume a turn, the turn is truncated and sent again from its start (E14). */
function rebuildTurn(chat: ChatState, style: ChatStyle): readonly WireAction[] {
  const { activeTurn: turn, turns } = chat;
  if (!turn) return [];
  const turnId = turn.id;
  const parts = showParts(turn, { chat: chat.resource, turnId }, style);
  const follow = [
    ...usageOf(chat),
    ...(chat.isRead && style.hasIsRead ? [{ type: "isReadChanged", isRead: true }] : []),
  ];
  const times = style.hasTimes && { startedAt: turn.startedAt };
  return [
    { type: "truncated", turnId: turns.at(-1)?.id },
    ...restoreCursor(chat, style),
    { type: "turnStarted", turnId, ...times, ...showMessageField(turn.message, style) },
    ...parts.map((part) => ({ type: "responsePart", turnId, part })),
    ...follow,
  ];
}

/** A viewer that drops all its turns also forgets where older ones are fetched from. */
function restoreCursor({ turns, turnsNextCursor }: ChatState, style: ChatStyle): readonly WireAction[] {
  const isLost = style.hasTurnsLoaded && turns.length === 0 && turnsNextCursor !== undefined;
  return isLost ? [{ type: "turnsLoaded", turns: [], turnsNextCursor }] : [];
}

function activityDifference({ before, after }: ChatStep): readonly WireAction[] {
  return showActivity(before) === showActivity(after) ? [] : [activityChanged(after)];
}

/** All tokens of the running turn, where any are known: AHP replaces where the model adds. */
export function usageOf({ activeTurn, contextUsage }: ChatState): readonly WireAction[] {
  const usage = activeTurn && showUsage(activeTurn.usage, contextUsage);
  return usage === undefined ? [] : [{ type: "usage", turnId: activeTurn?.id, usage }];
}

export function activityChanged(chat: ChatState): WireAction {
  return { type: "activityChanged", activity: showActivity(chat) };
}

/** One line on the current activity: the agent's own text, or the current step of its plan (E13). */
export function showActivity({ activity, activeTurn }: ChatState): string | undefined {
  return activity ?? activeTurn?.plans.map(currentStep).find((step) => step !== undefined);
}

function currentStep(plan: Plan): string | undefined {
  if (plan.kind === "markdown") return undefined;
  return plan.entries.find(({ status }) => status === "in_progress")?.content;
}

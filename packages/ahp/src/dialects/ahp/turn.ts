// Turns and their parts as AHP writes them.
import type { ChatState, ContextUsage } from "../../model/chat/chat.ts";
import {
  turnParts,
  type ActiveTurn,
  type ResponsePart,
  type Turn,
  type TurnEnd,
  type TurnUsage,
} from "../../model/chat/turn.ts";
import type { ErrorInfo } from "../../model/failure.ts";
import type { ChatUri, TurnId } from "../../model/ids.ts";
import type { JsonValue } from "../../model/json.ts";
import type { ChatStyle } from "./chat-style.ts";
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

/** A turn, in its chat. */
export interface TurnPlace {
  readonly chat: ChatUri;
  readonly turnId: TurnId;
}

/** A turn that has ended. */
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

/** The turn that goes on. */
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
    case "reasoning":
      return [part];
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
      return [
        {
          kind: "inputRequest",
          request: showInputRequest(part.request),
          response: part.response?.response,
        },
      ];
  }
}

/** The parts of a turn. */
export function showParts(turn: Turn | ActiveTurn, place: TurnPlace, style: ChatStyle): readonly WirePart[] {
  return turnParts(turn).flatMap((part) => showPart(part, place, style));
}

/** The questions of the running turn that wait for an answer. */
export function openInputRequests(turn: ActiveTurn | undefined): readonly WireInputRequest[] {
  return (turn?.responseParts ?? []).flatMap((part) =>
    part.kind === "inputRequest" && !part.response ? [showInputRequest(part.request)] : [],
  );
}

/** The tokens of a turn; how full the context is has no slot of its own (E13). */
export function showUsage(usage: TurnUsage | undefined, contextUsage?: ContextUsage): WireUsage | undefined {
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
export function showError({ code, message }: ErrorInfo): WireError {
  return { errorType: code, message };
}

function turnState({ state }: TurnEnd): WireTurn["state"] {
  return state === "failed" || state === "interrupted" ? "error" : state;
}

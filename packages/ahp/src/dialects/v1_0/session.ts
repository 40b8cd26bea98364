// Sessions in AHP 1.0: the state, and how a client is told of each difference.
import { sessionPhase } from "../../model/session/session-summary.ts";
import type { SessionInputRequest, SessionLifecycle, SessionState } from "../../model/session/session.ts";
import type { ChatStyle } from "../ahp/chat-style.ts";
import { showConfig } from "../ahp/config.ts";
import { showInputRequest } from "../ahp/message.ts";
import { sessionMeta } from "../ahp/meta.ts";
import { sessionStatus } from "../ahp/status.ts";
import { showPendingToolCall } from "../ahp/tool-call.ts";
import { showError } from "../ahp/turn.ts";
import { showChatSummary } from "./chat.ts";
import type { WireInputNeeded, WireSessionState } from "./wire.ts";

/** A session's state. */
export function showSession(session: SessionState, style: ChatStyle): WireSessionState {
  const { provider, title, activity, workingDirectories, lifecycle, inputNeeded } = session;
  return {
    provider,
    title,
    status: sessionStatus(sessionPhase(session), session),
    activity,
    workingDirectories,
    lifecycle: showLifecycle(lifecycle),
    creationError: lifecycle.status === "failed" ? showError(lifecycle.error) : undefined,
    activeClients: session.activeClients,
    chats: session.chats.map(showChatSummary),
    defaultChat: session.defaultChat,
    config: showConfig(session),
    inputNeeded:
      inputNeeded.length > 0 ? inputNeeded.map((request) => showInputNeeded(request, style)) : undefined,
    _meta: sessionMeta(session),
  };
}

/** Something that waits for a person. */
export function showInputNeeded(request: SessionInputRequest, style: ChatStyle): WireInputNeeded {
  const { id, chat } = request;
  if (request.kind === "chatInput") {
    return { kind: request.kind, id, chat, request: showInputRequest(request.request) };
  }
  const { kind, turnId, toolCall } = request;
  const place = { chat, turnId, toolCallId: toolCall.toolCallId };
  return { kind, id, chat, turnId, toolCall: showPendingToolCall(toolCall, place, style) };
}

/** AHP does not know that an agent's process comes and goes: to it, such a session is ready. */
export function showLifecycle({ status }: SessionLifecycle): WireSessionState["lifecycle"] {
  return status === "creating" || status === "failed" ? status : "ready";
}

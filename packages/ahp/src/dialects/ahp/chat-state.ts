// A chat's state as AHP writes it, whether it has a channel of its own or is part of a session.
import type { ChatState } from "../../model/chat/chat.ts";
import type { Plan } from "../../model/chat/turn.ts";
import type { ChatStyle } from "./chat-style.ts";
import { showPendingMessage } from "./message.ts";
import { openInputRequests, showActiveTurn, showTurn } from "./turn.ts";
import type { WireConversation } from "./wire-chat.ts";

/** The turns of a chat and what waits for the next. */
export function showConversation(chat: ChatState, style: ChatStyle): WireConversation {
  const { turns, activeTurn, steeringMessage, queuedMessages } = chat;
  const inputRequests = style.inputRequests === "list" ? openInputRequests(activeTurn) : [];
  return {
    turns: turns.map((turn) => showTurn(turn, chat.resource, style)),
    activeTurn: activeTurn && showActiveTurn(activeTurn, chat, style),
    steeringMessage: steeringMessage && showPendingMessage(steeringMessage, style),
    queuedMessages:
      queuedMessages.length > 0
        ? queuedMessages.map((pending) => showPendingMessage(pending, style))
        : undefined,
    inputRequests: inputRequests.length > 0 ? inputRequests : undefined,
  };
}

/** One line on what is going on: what the agent said of itself, or the step of its plan that it is at (E13). */
export function showActivity({ activity, activeTurn }: ChatState): string | undefined {
  return activity ?? activeTurn?.plans.map(currentStep).find((step) => step !== undefined);
}

function currentStep(plan: Plan): string | undefined {
  if (plan.kind === "markdown") return undefined;
  return plan.entries.find(({ status }) => status === "in_progress")?.content;
}

// A chat as AHP writes it: its conversation, the actions for each change, and how versions differ.
import type {
  ChatDetailAction,
  ChatState,
  InputAction,
  PartAction,
  PendingMessageAction,
} from "../../model/chat/chat.ts";
import type { ToolCallAction } from "../../model/chat/tool-call.ts";
import { findToolCall } from "../../model/chat/turn.ts";
import type { StepOf } from "../dialect.ts";
import { showInputRequest, showMessage, showMessageField, showPendingMessage } from "./message.ts";
import { stepToolCall } from "./tool-call.ts";
import {
  activityChanged,
  openInputRequests,
  showActiveTurn,
  showActivity,
  showPart,
  showTurn,
  stepTurn,
  usageOf,
} from "./turn.ts";
import type { WireConversation } from "./wire-chat.ts";
import { SILENCE, stepOf, type WireAction, type WireStep } from "./wire-action.ts";

export interface ChatStyle {
  /** The field that holds the message to the agent. */
  readonly messageField: "message" | "userMessage";
  /** Whether turns have a start time and a duration. */
  readonly hasTimes: boolean;
  /** Whether a failure is the turn's last part or a field of the turn. */
  readonly failure: "part" | "field";
  /** Whether questions to a person are parts of the turn or a list beside it, and whether answered ones become parts. */
  readonly inputRequests: "parts" | "list" | "list-then-parts";
  /** Whether a tool call names who contributed it in `contributor` or `toolClientId`. */
  readonly contributor: "contributor" | "toolClientId";
  /** Whether a terminal in a tool call carries its result. */
  readonly hasTerminalResults: boolean;
  /** Whether a turn resumes, and older turns arrive, by an action. */
  readonly hasTurnResume: boolean;
  readonly hasTurnsLoaded: boolean;
  readonly hasDraft: boolean;
  /** Which flags of a chat have an action. */
  readonly hasIsRead: boolean;
  readonly hasIsArchived: boolean;
  readonly hasBackgroundWork: boolean;
  /** A channel's URI as clients of the version know it. */
  readonly showUri: (uri: string) => string;
}

export function showConversation(chat: ChatState, style: ChatStyle): WireConversation {
  const { turns, activeTurn, steeringMessage, queuedMessages } = chat;
  const inputRequests = style.inputRequests === "parts" ? [] : openInputRequests(activeTurn);
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

type ChatStep = StepOf<"chat">;

/** The actions for one step, without the prefix of their types; text costs the same however long the chat is (E9). */
export function stepChat(step: ChatStep, style: ChatStyle): WireStep {
  const { action } = step;
  switch (action.type) {
    case "chat/delta":
    case "chat/reasoning":
    case "chat/textOmitted":
    case "chat/responsePart":
    case "chat/planChanged":
    case "chat/planRemoved":
    case "chat/usage":
      return stepPart(action, step, style);
    case "chat/toolCallStart":
    case "chat/toolCallUpdated":
    case "chat/toolCallReady":
    case "chat/toolCallConfirmed":
    case "chat/toolCallContentChanged":
    case "chat/toolCallComplete":
      return stepCall(action, step, style);
    // AHP has no action that changes a finished call; the terminal's own channel reports the exit.
    case "chat/toolCallTerminalExited":
      return SILENCE;
    case "chat/turnStarted":
    case "chat/turnComplete":
    case "chat/turnCancelled":
    case "chat/error":
    case "chat/turnInterrupted":
    case "chat/turnResume":
    case "chat/truncated":
    case "chat/turnsLoaded":
    case "chat/turnsOmitted":
      return stepTurn(action, step, style);
    case "chat/inputRequested":
    case "chat/inputAnswerChanged":
    case "chat/inputCompleted":
      return stepInput(action, step, style);
    case "chat/pendingMessageSet":
    case "chat/pendingMessageRemoved":
    case "chat/queuedMessagesReordered":
    case "chat/draftChanged":
      return stepOf(showPending(action, style));
    default:
      return stepOf(showDetail(action, step, style));
  }
}

function stepPart(action: PartAction, { before, after }: ChatStep, style: ChatStyle): WireStep {
  const { turnId } = action;
  switch (action.type) {
    case "chat/delta":
      return { main: { type: "delta", turnId, partId: action.partId, content: action.content } };
    case "chat/reasoning":
      return { main: { type: "reasoning", turnId, partId: action.partId, content: action.content } };
    // Clients that have the text keep it; later snapshots begin after it, and say so.
    case "chat/textOmitted":
      return SILENCE;
    case "chat/responsePart": {
      const shown = showPart(action.part, { chat: after.resource, turnId }, style);
      return stepOf(shown.map((part) => ({ type: "responsePart", turnId, part })));
    }
    case "chat/planChanged":
    case "chat/planRemoved":
      return showActivity(before) === showActivity(after) ? SILENCE : { main: activityChanged(after) };
    case "chat/usage":
      return stepOf(usageOf(after));
  }
}

function stepCall(
  { turnId, toolCallId }: ToolCallAction,
  { before, after }: ChatStep,
  style: ChatStyle,
): WireStep {
  const call = findToolCall(after.activeTurn, toolCallId);
  if (!call) return SILENCE;
  const place = { chat: after.resource, turnId, toolCallId };
  return stepToolCall(findToolCall(before.activeTurn, toolCallId), call, place, style);
}

function stepInput(action: InputAction, { after }: ChatStep, style: ChatStyle): WireStep {
  switch (action.type) {
    case "chat/inputRequested": {
      const request = showInputRequest(action.request);
      // A question marks a chat as unread on the wire, not in the model.
      const follow = after.isRead && style.hasIsRead ? [{ type: "isReadChanged", isRead: true }] : [];
      return { main: { type: "inputRequested", request }, follow };
    }
    case "chat/inputAnswerChanged": {
      const { requestId, questionId, answer } = action;
      return { main: { type: "inputAnswerChanged", requestId, questionId, answer } };
    }
    case "chat/inputCompleted": {
      const { requestId, response, answers } = action;
      return { main: { type: "inputCompleted", requestId, response, answers } };
    }
  }
}

function showPending(action: PendingMessageAction, style: ChatStyle): readonly WireAction[] {
  switch (action.type) {
    case "chat/pendingMessageSet": {
      const { kind, pending } = action;
      const message = showMessageField(pending.message, style);
      return [{ type: "pendingMessageSet", kind, id: pending.id, ...message }];
    }
    case "chat/pendingMessageRemoved":
      return [{ type: "pendingMessageRemoved", kind: action.kind, id: action.id }];
    case "chat/queuedMessagesReordered":
      return [{ type: "queuedMessagesReordered", order: action.order }];
    case "chat/draftChanged":
      if (!style.hasDraft) return [];
      return [{ type: "draftChanged", draft: action.draft && showMessage(action.draft) }];
  }
}

function showDetail(
  action: ChatDetailAction,
  { before, after }: ChatStep,
  style: ChatStyle,
): readonly WireAction[] {
  switch (action.type) {
    case "chat/activityChanged":
      return showActivity(before) === showActivity(after) ? [] : [activityChanged(after)];
    case "chat/contextUsageChanged":
      return usageOf(after);
    case "chat/isReadChanged":
      return style.hasIsRead ? [{ type: "isReadChanged", isRead: action.isRead }] : [];
    case "chat/isArchivedChanged":
      return style.hasIsArchived ? [{ type: "isArchivedChanged", isArchived: action.isArchived }] : [];
    case "chat/backgroundWorkSet":
      return style.hasBackgroundWork ? [{ type: "backgroundWorkSet", work: action.work }] : [];
    case "chat/backgroundWorkRemoved":
      return style.hasBackgroundWork ? [{ type: "backgroundWorkRemoved", id: action.id }] : [];
    // A chat's title is on the session's channel alone, and no client knows an agent's own kinds of update.
    case "chat/titleChanged":
    case "chat/agentUpdateReceived":
      return [];
  }
}

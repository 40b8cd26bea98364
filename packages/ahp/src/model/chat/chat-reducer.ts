// The reducer of a chat's channel.
import { applyChanges, ignoreUnknown, patch, upsert, without } from "../immutable.ts";
import type { ChatAction, ChatActionOf, ChatDetailAction, ChatState } from "./chat.ts";
import type { PendingMessage } from "./message.ts";
import { reduceToolCalls } from "./tool-call-reducer.ts";
import {
  addResponsePart,
  appendText,
  changeAnswer,
  changeTurn,
  completeInput,
  endTurn,
  loadTurns,
  omitText,
  omitTurns,
  removePlan,
  requestInput,
  resumeTurn,
  setPlan,
  startTurn,
  truncateTurns,
} from "./turn-reducer.ts";

/** The chat after an action; the same object when the action does not fit it (M2). */
export function reduceChat(chat: ChatState, action: ChatAction): ChatState {
  switch (action.type) {
    case "chat/delta":
    case "chat/reasoning":
      return changeTurn(chat, action.turnId, (turn) => appendText(turn, action));
    case "chat/textOmitted":
      return changeTurn(chat, action.turnId, (turn) => omitText(turn, action));
    case "chat/responsePart":
      return changeTurn(chat, action.turnId, (turn) => addResponsePart(turn, action));
    case "chat/toolCallStart":
    case "chat/toolCallUpdated":
    case "chat/toolCallReady":
    case "chat/toolCallConfirmed":
    case "chat/toolCallContentChanged":
    case "chat/toolCallComplete":
    case "chat/toolCallTerminalExited":
      return changeTurn(chat, action.turnId, (turn) => reduceToolCalls(turn, action));
    case "chat/planChanged":
      return changeTurn(chat, action.turnId, (turn) => setPlan(turn, action));
    case "chat/planRemoved":
      return changeTurn(chat, action.turnId, (turn) => removePlan(turn, action));
    case "chat/usage":
      return changeTurn(chat, action.turnId, (turn) =>
        patch(turn, { usage: applyChanges(turn.usage ?? {}, action.usage) }),
      );
    case "chat/inputRequested":
      return changeTurn(chat, action.turnId, (turn) => requestInput(turn, action));
    case "chat/inputAnswerChanged":
      return changeAnswer(chat, action);
    case "chat/inputCompleted":
      return completeInput(chat, action);
    case "chat/turnStarted":
      return startTurn(chat, action);
    case "chat/turnComplete":
    case "chat/turnCancelled":
    case "chat/error":
    case "chat/turnInterrupted":
      return endTurn(chat, action);
    case "chat/turnResume":
      return resumeTurn(chat, action);
    case "chat/truncated":
      return truncateTurns(chat, action);
    case "chat/turnsLoaded":
      return loadTurns(chat, action);
    case "chat/turnsOmitted":
      return omitTurns(chat, action);
    case "chat/pendingMessageSet":
      return setPendingMessage(chat, action);
    case "chat/pendingMessageRemoved":
      return removePendingMessage(chat, action);
    case "chat/queuedMessagesReordered":
      return reorderQueue(chat, action);
    case "chat/draftChanged":
      return patch(chat, { draft: action.draft });
    default:
      return reduceDetail(chat, action);
  }
}

function reduceDetail(chat: ChatState, action: ChatDetailAction): ChatState {
  switch (action.type) {
    case "chat/titleChanged":
      return patch(chat, { title: action.title });
    case "chat/activityChanged":
      return patch(chat, { activity: action.activity });
    case "chat/isReadChanged":
      return patch(chat, { isRead: action.isRead });
    case "chat/isArchivedChanged":
      return patch(chat, { isArchived: action.isArchived });
    case "chat/contextUsageChanged":
      return { ...chat, contextUsage: action.contextUsage };
    case "chat/backgroundWorkSet":
      return {
        ...chat,
        backgroundWork: upsert(chat.backgroundWork, action.work, (work) => work.id === action.work.id),
      };
    case "chat/backgroundWorkRemoved":
      return patch(chat, { backgroundWork: without(chat.backgroundWork, (work) => work.id === action.id) });
    case "chat/agentUpdateReceived": {
      const { updateKind, update } = action;
      const isSameKind = (known: { readonly updateKind: string }): boolean => known.updateKind === updateKind;
      const count = (chat.agentUpdates.find(isSameKind)?.count ?? 0) + 1;
      return { ...chat, agentUpdates: upsert(chat.agentUpdates, { updateKind, update, count }, isSameKind) };
    }
    default:
      return ignoreUnknown(chat, action);
  }
}

function setPendingMessage(
  chat: ChatState,
  { kind, pending }: ChatActionOf<"chat/pendingMessageSet">,
): ChatState {
  if (kind === "steering") return { ...chat, steeringMessage: pending };
  return {
    ...chat,
    queuedMessages: upsert(chat.queuedMessages, pending, (queued) => queued.id === pending.id),
  };
}

function removePendingMessage(
  chat: ChatState,
  { kind, id }: ChatActionOf<"chat/pendingMessageRemoved">,
): ChatState {
  if (kind === "steering") {
    return chat.steeringMessage?.id === id ? { ...chat, steeringMessage: undefined } : chat;
  }
  return patch(chat, { queuedMessages: without(chat.queuedMessages, (queued) => queued.id === id) });
}

/** Puts the queue in another order and loses nobody (M19). */
function reorderQueue(chat: ChatState, { order }: ChatActionOf<"chat/queuedMessagesReordered">): ChatState {
  const rest = new Map(chat.queuedMessages.map((queued) => [queued.id, queued]));
  const named: PendingMessage[] = [];
  for (const id of order) {
    const queued = rest.get(id);
    if (queued) named.push(queued);
    rest.delete(id);
  }
  const reordered = [...named, ...rest.values()];
  const isSame = reordered.every((queued, index) => queued === chat.queuedMessages[index]);
  return isSame ? chat : { ...chat, queuedMessages: reordered };
}

/**
 * One action in place of two adjacent ones, or `undefined` when they must stay apart.
 * Only two pieces of text for one part join: a piece and the part it opens do not,
 * because a part that is already there is ignored and the piece is not (M6).
 */
export function mergeChatActions(earlier: ChatAction, later: ChatAction): ChatAction | undefined {
  if (later.type !== "chat/delta" && later.type !== "chat/reasoning") return undefined;
  if (earlier.type !== later.type || earlier.turnId !== later.turnId || earlier.partId !== later.partId) {
    return undefined;
  }
  return { ...earlier, content: earlier.content + later.content };
}

// Which actions of a client a chat can take.
import type { Action } from "../../model/channel.ts";
import type { ChatState } from "../../model/chat/chat.ts";
import type { TurnAction } from "../../model/chat/chat-actions.ts";
import type { Message } from "../../model/chat/message.ts";
import type { Verdict } from "../dialect.ts";
import { judgeAnswer, judgeCompletion } from "./judge-input.ts";
import { judgeConfirmation, judgeContribution } from "./judge-tool-call.ts";
import { accept, HOST_ONLY, refuse, type Author } from "./verdict.ts";

/** Judges an action on a chat. */
export function judgeChat(action: Action, chat: ChatState, author: Author): Verdict {
  switch (action.type) {
    case "chat/turnStarted":
      return judgeStart(action, chat, author);
    case "chat/turnCancelled":
      return judgeCancel(action, chat, author);
    case "chat/turnResume":
      return judgeResume(action, chat);
    case "chat/truncated":
      return chat.activeTurn ? refuse("A turn is running: cancel it first.") : accept(action);
    case "chat/toolCallConfirmed":
      return judgeConfirmation(action, chat, author);
    case "chat/toolCallContentChanged":
    case "chat/toolCallComplete":
      return judgeContribution(action, chat, author);
    case "chat/inputAnswerChanged":
      return judgeAnswer(action, chat);
    case "chat/inputCompleted":
      return judgeCompletion(action, chat, author);
    case "chat/pendingMessageSet":
      return isFromPerson(action.pending.message) ? accept(action) : NOT_FROM_PERSON;
    case "chat/draftChanged":
      return !action.draft || isFromPerson(action.draft) ? accept(action) : NOT_FROM_PERSON;
    case "chat/pendingMessageRemoved": {
      const waiting = action.kind === "steering" ? [chat.steeringMessage] : chat.queuedMessages;
      const isThere = waiting.some((pending) => pending?.id === action.id);
      return isThere ? accept(action) : refuse("No such message is waiting.");
    }
    case "chat/queuedMessagesReordered":
    case "chat/isReadChanged":
    case "chat/isArchivedChanged":
      return accept(action);
    default:
      return HOST_ONLY;
  }
}

type ActionOf<Type extends TurnAction["type"]> = Extract<TurnAction, { type: Type }>;

const NOT_FROM_PERSON = refuse("A client can only send what a person wrote: the origin must be user.");

function isFromPerson({ origin }: Message): boolean {
  return origin.kind === "user";
}

/** The same turn again is no other turn: it changes nothing and is confirmed (E21). */
function judgeStart(action: ActionOf<"chat/turnStarted">, chat: ChatState, { at }: Author): Verdict {
  if (!isFromPerson(action.message)) return NOT_FROM_PERSON;
  if (chat.activeTurn && chat.activeTurn.id !== action.turnId) {
    return refuse("A turn is already running: wait for its end, or queue the message.");
  }
  return accept({ ...action, startedAt: at });
}

function judgeCancel(
  action: ActionOf<"chat/turnCancelled">,
  { activeTurn }: ChatState,
  { clientId, at }: Author,
): Verdict {
  if (activeTurn?.id !== action.turnId) return refuse("That turn is not running.");
  return accept({
    type: action.type,
    turnId: action.turnId,
    reason: action.reason,
    endedAt: at,
    durationMs: Math.max(0, Date.parse(at) - Date.parse(activeTurn.startedAt)),
    by: { kind: "client", clientId },
  });
}

function judgeResume(action: ActionOf<"chat/turnResume">, { activeTurn, turns }: ChatState): Verdict {
  const last = turns.at(-1);
  if (activeTurn) return refuse("A turn is already running.");
  if (last?.id !== action.turnId || (last.end.state !== "failed" && last.end.state !== "interrupted")) {
    return refuse("Only the last turn can be taken up again, and only if it failed.");
  }
  return last.end.resumable ? accept(action) : refuse("That turn cannot be taken up again.");
}

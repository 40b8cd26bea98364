// Rules for what clients do in a chat: send, cancel, resume, queue, answer.
import type { Action, ChatAction, ChatState, Message, SessionState } from "@holdfast/ahp";
import { LIMITS } from "@holdfast/protocol";
import { checkContribution, checkDecision } from "./approval-rules.ts";
import { checkAnswer, checkCompletion } from "./input-rules.ts";
import { type Author, hostOnly, type Rejection, type Ruling, allow, reject } from "./rule.ts";

type ActionOf<Type extends ChatAction["type"]> = Extract<ChatAction, { type: Type }>;

const NOT_FROM_PERSON = reject("A client can only send what a person wrote: the origin must be user.");

/** `inputNeeded` is what waits in the session, also outside of turns. */
export function checkChatAction(
  action: Action,
  chat: ChatState,
  author: Author,
  inputNeeded: SessionState["inputNeeded"] = [],
): Ruling {
  switch (action.type) {
    case "chat/turnStarted":
      return checkStart(action, chat, author);
    case "chat/turnCancelled":
      return checkCancel(action, chat, author);
    case "chat/turnResume":
      return checkResume(action, chat);
    case "chat/truncated":
      return reject(
        "Turns cannot be removed: the agent remembers them. Start a new session to continue without them.",
      );
    case "chat/toolCallConfirmed":
      return checkDecision(action, chat, author, inputNeeded);
    case "chat/toolCallContentChanged":
    case "chat/toolCallComplete":
      return checkContribution(action, chat, author);
    case "chat/inputAnswerChanged":
      return checkAnswer(action, chat);
    case "chat/inputCompleted":
      return checkCompletion(action, chat, author);
    case "chat/pendingMessageSet":
      return messageRejection(action.pending.message) ?? allow(action);
    case "chat/draftChanged":
      return (action.draft && messageRejection(action.draft)) ?? allow(action);
    case "chat/pendingMessageRemoved": {
      const waiting = action.kind === "steering" ? [chat.steeringMessage] : chat.queuedMessages;
      const isWaiting = waiting.some((pending) => pending?.id === action.id);
      return isWaiting ? allow(action) : reject("No such message is waiting.");
    }
    case "chat/queuedMessagesReordered":
    case "chat/isReadChanged":
    case "chat/isArchivedChanged":
      return allow(action);
    default:
      return hostOnly(action);
  }
}

function messageRejection({ origin, text }: Message): Rejection | undefined {
  return origin.kind === "user" ? textRejection(text) : NOT_FROM_PERSON;
}

/** Why a message is too long, whichever way it comes (N831). */
export function textRejection(text: string): Rejection | undefined {
  const { messageBytes } = LIMITS;
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes <= messageBytes) return undefined;
  const reason = `The message has ${sizeBytes} bytes; the limit is ${messageBytes}. Attach a file instead.`;
  return reject(reason, "BODY_TOO_LARGE");
}

/** The same turn again is no other turn: it changes nothing and is confirmed (E21). */
function checkStart(action: ActionOf<"chat/turnStarted">, chat: ChatState, { at }: Author): Ruling {
  const rejection = messageRejection(action.message);
  if (rejection !== undefined) return rejection;
  if (action.queuedMessageId !== undefined) return reject("The host itself starts queued messages.");
  if (chat.activeTurn && chat.activeTurn.id !== action.turnId) {
    return reject("A turn is already running: wait for its end, or queue the message.", "ACP_TURN_ACTIVE");
  }
  return allow({ ...action, startedAt: at });
}

function checkCancel(
  action: ActionOf<"chat/turnCancelled">,
  { activeTurn }: ChatState,
  { actor, at }: Author,
): Ruling {
  if (activeTurn?.id !== action.turnId) return reject("That turn is not running.");
  return allow({
    type: action.type,
    turnId: action.turnId,
    reason: action.reason,
    endedAt: at,
    durationMs: Math.max(0, Date.parse(at) - Date.parse(activeTurn.startedAt)),
    by: actor,
  });
}

function checkResume(action: ActionOf<"chat/turnResume">, { activeTurn, turns }: ChatState): Ruling {
  const last = turns.at(-1);
  if (activeTurn) return reject("A turn is already running.", "ACP_TURN_ACTIVE");
  if (last?.id !== action.turnId || (last.end.state !== "failed" && last.end.state !== "interrupted")) {
    return reject("Only the last turn can be resumed, and only if it failed or was interrupted.");
  }
  return last.end.resumable ? allow(action) : reject("That turn cannot be resumed.");
}

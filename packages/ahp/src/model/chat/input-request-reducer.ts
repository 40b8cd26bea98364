// How a question to a person is asked, answered and closed.
import type { InputRequestId } from "../ids.ts";
import type { ChatState } from "./chat.ts";
import type { InputAction } from "./chat-actions.ts";
import { appendPart, replacePart } from "./part-reducer.ts";
import type { ActiveTurn, InputRequestPart } from "./turn.ts";

type ActionOf<Type extends InputAction["type"]> = Extract<InputAction, { type: Type }>;

/** Asks a question, once. */
export function requestInput(turn: ActiveTurn, action: ActionOf<"chat/inputRequested">): ActiveTurn {
  if (
    turn.responseParts.some((part) => part.kind === "inputRequest" && part.request.id === action.request.id)
  ) {
    return turn;
  }
  return appendPart(turn, { kind: "inputRequest", request: action.request });
}

/** Keeps an answer that is being written, so that everyone who looks on sees it. */
export function changeAnswer(chat: ChatState, action: ActionOf<"chat/inputAnswerChanged">): ChatState {
  return changeOpenRequest(chat, action.requestId, (part) => {
    const { [action.questionId]: _before, ...others } = part.request.answers ?? {};
    const answers = action.answer ? { ...others, [action.questionId]: action.answer } : others;
    return { ...part, request: { ...part.request, answers } };
  });
}

/** Ends a question; the first answer counts (M17). */
export function completeInput(chat: ChatState, action: ActionOf<"chat/inputCompleted">): ChatState {
  return changeOpenRequest(chat, action.requestId, (part) => ({
    ...part,
    request: action.answers
      ? { ...part.request, answers: { ...part.request.answers, ...action.answers } }
      : part.request,
    response: { response: action.response, by: action.by },
  }));
}

function changeOpenRequest(
  chat: ChatState,
  id: InputRequestId,
  change: (part: InputRequestPart) => InputRequestPart,
): ChatState {
  const turn = chat.activeTurn;
  const index =
    turn?.responseParts.findLastIndex((part) => part.kind === "inputRequest" && part.request.id === id) ?? -1;
  const part = turn?.responseParts[index];
  if (!turn || part?.kind !== "inputRequest" || part.response) return chat;
  return { ...chat, activeTurn: replacePart(turn, index, change(part)) };
}

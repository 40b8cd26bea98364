// Whether an answer fits the question that it is given to.
import type { InputAction } from "../../model/chat/chat-actions.ts";
import type { ChatState } from "../../model/chat/chat.ts";
import type {
  InputAnswer,
  InputAnswers,
  InputQuestion,
  InputRequest,
} from "../../model/chat/input-request.ts";
import type { Verdict } from "../dialect.ts";
import { accept, refuse, type Author } from "./verdict.ts";

type ActionOf<Type extends InputAction["type"]> = Extract<InputAction, { type: Type }>;

const NOT_ASKED = refuse("No such question waits for an answer.");

/** Judges an answer that is being written. */
export function judgeAnswer(action: ActionOf<"chat/inputAnswerChanged">, chat: ChatState): Verdict {
  const request = findOpenRequest(chat, action.requestId);
  if (!request) return NOT_ASKED;
  const { questionId, answer } = action;
  const problem = answer && answersProblem(request, { [questionId]: answer });
  return problem === undefined ? accept(action) : refuse(problem);
}

/** Judges the end of a question; it is accepted with an answer to all that must be answered. */
export function judgeCompletion(
  action: ActionOf<"chat/inputCompleted">,
  chat: ChatState,
  { clientId }: Author,
): Verdict {
  const request = findOpenRequest(chat, action.requestId);
  if (!request) return NOT_ASKED;
  const problem = answersProblem(request, action.answers ?? {}) ?? missingAnswer(action, request);
  if (problem !== undefined) return refuse(problem);
  return accept({ ...action, by: { kind: "client", clientId } });
}

function missingAnswer(action: ActionOf<"chat/inputCompleted">, request: InputRequest): string | undefined {
  if (action.response !== "accept") return undefined;
  const answers: InputAnswers = { ...request.answers, ...action.answers };
  const missing = request.questions?.find(({ id, required }) => {
    const answer = answers[id];
    return required && (answer === undefined || answer.state === "skipped");
  });
  return missing && `The question ${JSON.stringify(missing.title ?? missing.message)} needs an answer.`;
}

/** A question that a form does not list may be answered too: some forms are described by a schema alone. */
function answersProblem({ questions = [] }: InputRequest, answers: InputAnswers): string | undefined {
  for (const [id, answer] of Object.entries(answers)) {
    const question = questions.find((candidate) => candidate.id === id);
    if (question && !fits(question, answer)) {
      return `The answer to ${JSON.stringify(question.title ?? question.message)} has the wrong kind.`;
    }
  }
  return undefined;
}

const valueKinds: { readonly [Kind in InputQuestion["kind"]]: string } = {
  text: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
  "single-select": "selected",
  "multi-select": "selected-many",
};

function fits({ kind }: InputQuestion, answer: InputAnswer): boolean {
  return answer.state === "skipped" || answer.value.kind === valueKinds[kind];
}

function findOpenRequest({ activeTurn }: ChatState, id: string): InputRequest | undefined {
  const part = activeTurn?.responseParts.findLast(
    (candidate) => candidate.kind === "inputRequest" && candidate.request.id === id,
  );
  return part?.kind === "inputRequest" && !part.response ? part.request : undefined;
}

// Rules for the answers to an agent's forms.
import {
  type ChatAction,
  type ChatState,
  type InputAnswer,
  type InputAnswers,
  type InputQuestion,
  type InputRequest,
  findInputRequest,
} from "@holdfast/ahp";
import { type Author, type Ruling, allow, reject } from "./rule.ts";

type ActionOf<Type extends ChatAction["type"]> = Extract<ChatAction, { type: Type }>;

const NOT_OPEN = reject("This question is not open: it was answered, expired, or never asked.");

/** An answer that is being written. */
export function checkAnswer(action: ActionOf<"chat/inputAnswerChanged">, chat: ChatState): Ruling {
  const request = findOpenRequest(chat, action.requestId);
  if (request === undefined) return NOT_OPEN;
  const { questionId, answer } = action;
  const problem = answer && answersProblem(request, { [questionId]: answer });
  return problem === undefined ? allow(action) : reject(problem);
}

/** The end of a form: accepted only with an answer to everything that needs one. */
export function checkCompletion(
  action: ActionOf<"chat/inputCompleted">,
  chat: ChatState,
  { actor }: Author,
): Ruling {
  const request = findOpenRequest(chat, action.requestId);
  if (request === undefined) return NOT_OPEN;
  const problem = answersProblem(request, action.answers ?? {}) ?? missingAnswer(action, request);
  return problem === undefined ? allow({ ...action, by: actor }) : reject(problem);
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
  const part = findInputRequest(activeTurn, id);
  return part?.response ? undefined : part?.request;
}

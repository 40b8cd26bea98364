// Translation of the app API's answers (a request's id, an option's id, a form's content) to actions of the model.
import {
  type ChatAction,
  type ChatState,
  type InputAnswer,
  type InputQuestion,
  type InputRequest,
  type InputValue,
  type JsonObject,
  type JsonValue,
  type PermissionScope,
  type SessionState,
  findInputRequest,
} from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import { findOption, NOT_OPEN, outcomeOf } from "../rules/approval-rules.ts";

const host = { kind: "host" } as const;

/** The decision that an option's id or kind stands for; the rules say whether it is open. Throws for an option that is not offered. */
export function decideApproval(
  { inputNeeded }: SessionState,
  requestId: string,
  option: string,
  scope?: PermissionScope,
): ChatAction | string {
  const needed = inputNeeded.find(({ id }) => id === requestId);
  if (needed?.kind !== "toolConfirmation") return NOT_OPEN.reason;
  const { turnId, toolCall } = needed;
  const { approval, toolCallId } = toolCall;
  const chosen = findOption(approval.options, option);
  if (chosen === undefined) throw unknownOption(option, approval.options);
  const outcome = outcomeOf(chosen);
  // The rules fill in who decided, and when.
  const made = { approvalId: approval.id, outcome, optionId: chosen.id, by: host, at: "" } as const;
  const decision = { ...made, ...(scope !== undefined && { scope }) };
  return { type: "chat/toolCallConfirmed", turnId, toolCallId, decision };
}

/** An open request has no such option: the caller must correct it, which a late decision need not (A713). */
function unknownOption(
  option: string,
  offered: readonly { readonly id: string; readonly kind?: string }[],
): HostError {
  const ids = offered.map(({ id }) => id).join(", ");
  return new HostError("ACP_INVALID_OPTION", `There is no option '${option}'. Choose one of: ${ids}.`, {
    details: {
      options: offered.map(({ id, kind }) => ({ optionId: id, ...(kind !== undefined && { kind }) })),
    },
  });
}

/** The completion of a form; undefined when the id is not that of a form. */
export function answerForm(
  { activeTurn }: ChatState,
  requestId: string,
  response: string,
  content: JsonObject,
): ChatAction | string | undefined {
  const request = findInputRequest(activeTurn, requestId)?.request;
  if (request === undefined) return undefined;
  if (response !== "accept" && response !== "decline" && response !== "cancel") {
    throw unknownOption(
      response,
      ["accept", "decline", "cancel"].map((id) => ({ id })),
    );
  }
  const answers = response === "accept" ? readAnswers(request, content) : undefined;
  if (typeof answers === "string") return answers;
  return {
    type: "chat/inputCompleted",
    requestId: request.id,
    response,
    ...(answers !== undefined && { answers }),
    by: host,
  };
}

function readAnswers(
  { questions = [] }: InputRequest,
  content: JsonObject,
): Record<string, InputAnswer> | string {
  const answers: Record<string, InputAnswer> = {};
  for (const [id, value] of Object.entries(content)) {
    if (value === undefined) continue;
    const read = readValue(value, questions.find((question) => question.id === id)?.kind);
    if (read === undefined) return `content.${id}: give text, a number, true or false, or a list of texts.`;
    answers[id] = { state: "submitted", value: read };
  }
  return answers;
}

function readValue(value: JsonValue, kind: InputQuestion["kind"] | undefined): InputValue | undefined {
  if (typeof value === "string") return { kind: kind === "single-select" ? "selected" : "text", value };
  if (typeof value === "number") return { kind: "number", value };
  if (typeof value === "boolean") return { kind: "boolean", value };
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isList ? { kind: "selected-many", value } : undefined;
}

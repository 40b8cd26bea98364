// What an agent asks in the middle of a turn: may it do something, or would somebody fill in a form (C23, C24).
import type { InputRequest } from "@holdfast/ahp";
import type { TurnEvent, TurnEventOf } from "@holdfast/sdk";
import { safeText } from "../../safe-text.ts";
import { fieldsOf } from "./tool-call-lines.ts";

/** A request for permission. */
export type ApprovalRequest = TurnEventOf<"permission_request">["data"];

/** A form or an address. */
export type FormRequest = Pick<InputRequest, "message" | "url" | "questions">;

/** A question that waits for an answer. */
export type Question =
  | { readonly kind: "approval"; readonly id: string; readonly request: ApprovalRequest }
  | { readonly kind: "form"; readonly id: string; readonly request: FormRequest };

/** The question that an event asks, if it does. */
export function questionOf({ type, data }: TurnEvent): Question | undefined {
  if (type === "permission_request") return { kind: "approval", id: data.requestId, request: data };
  if (type !== "status" || data.tag !== "input_request") return undefined;
  const { requestId, ...request } = fieldsOf(data);
  return { kind: "form", id: String(requestId), request };
}

/** Whether an event ends a question: somebody answered it, or its turn is over. */
export function settles({ type, data }: TurnEvent, id: string): boolean {
  if (type === "close") return true;
  if (type !== "status") return false;
  const isAnswer = data.tag === "permission_resolved" || data.tag === "input_resolved";
  return isAnswer && fieldsOf(data)["requestId"] === id;
}

/** What is said where nobody can be asked: what waits, and the command that answers it. */
export function waitingSentence(question: Question, sessionName: string): string {
  if (question.kind === "form") {
    const what = safeText(question.request.message ?? "something");
    return `The agent asks "${what}" and waits: answer it with \`holdfast chat ${sessionName}\`.`;
  }
  const { action, target } = question.request;
  return (
    `The agent asks to ${safeText(action)} "${safeText(target)}" and waits: ` +
    `answer it with \`holdfast approve ${question.id}\` or \`holdfast deny ${question.id}\`.`
  );
}

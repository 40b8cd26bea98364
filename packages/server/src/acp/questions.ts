// Questions of a session at one editor: permission requests and forms, asked again after an unusable answer, withdrawn when answered elsewhere.
import type { JsonObject, PendingToolCall, SessionInputRequest } from "@holdfast/ahp";
import { runsOutside } from "@holdfast/core";
import { type Connection, ErrorCode, RpcError } from "@holdfast/jsonrpc";
import type { PermissionDecision } from "@holdfast/protocol";
import type { EditorFeatures } from "./features.ts";
import { membersOf, readContent } from "./params.ts";
import { announceCall, type TerminalView } from "./tool-call.ts";

export interface QuestionsParts {
  readonly rpc: Pick<Connection, "request">;
  readonly sessionId: string;
  readonly features: EditorFeatures;
  readonly view: TerminalView;
  /** How often each question was asked on this connection. */
  readonly asked: Map<string, number>;
  /** Decides for every client; gives the reason why the decision changes nothing. */
  readonly decide: (decision: PermissionDecision) => string | undefined;
  /** Shows the person at the editor why a question is still open. */
  readonly report: (title: string, description: string) => void;
}

interface Question {
  readonly method: string;
  readonly params: object;
  readonly title: string;
  readonly read: (response: unknown) => Answer;
}

/** The meaning of an editor's response. */
type Answer =
  | { readonly kind: "decided"; readonly decision: Omit<PermissionDecision, "requestId"> }
  | { readonly kind: "left open" }
  | { readonly kind: "unusable"; readonly why: string; readonly isFinal?: boolean }
  /** Nobody waits for it any more. */
  | { readonly kind: "over" };

interface OpenQuestion {
  readonly request: SessionInputRequest;
  readonly withdrawal: AbortController;
  /** Whether the editor has been asked and has not answered. */
  isAsked: boolean;
  wasAskedAgain: boolean;
  timer?: NodeJS.Timeout;
}

/** An editor that cancels a turn also answers its questions: by then they are withdrawn. */
const reportAfterMs = 1000;

/** The open questions of one session on one connection. Its owner closes it. */
export class Questions {
  readonly #parts: QuestionsParts;
  readonly #open = new Map<string, OpenQuestion>();

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
  }

  /** Asks what is new, and withdraws what is no longer open. */
  update(waiting: ReadonlyMap<string, SessionInputRequest>): void {
    for (const [id, question] of this.#open) {
      if (waiting.has(id)) continue;
      this.#open.delete(id);
      this.#parts.asked.delete(id);
      withdraw(question);
    }
    for (const [id, request] of waiting) {
      if (this.#open.has(id)) continue;
      const withdrawal = new AbortController();
      const question = { request, withdrawal, isAsked: false, wasAskedAgain: false };
      this.#open.set(id, question);
      this.#ask(id, question);
    }
  }

  /** Asks again what the editor left open. */
  askAgain(): void {
    for (const [id, question] of this.#open) if (!question.isAsked) this.#ask(id, question);
  }

  /** The session is no longer followed here; the questions stay open for others. */
  close(): void {
    for (const question of this.#open.values()) withdraw(question);
    this.#open.clear();
  }

  #ask(id: string, open: OpenQuestion): void {
    const question = this.#question(open.request);
    if (question === undefined) return;
    clearTimeout(open.timer);
    open.isAsked = true;
    const { rpc, asked } = this.#parts;
    const times = (asked.get(id) ?? 0) + 1;
    asked.set(id, times);
    const { method, params, read } = question;
    // The id is the same on every connection, so that an editor's bridge knows a question that is asked again. On one
    // connection it is another each time: the answer to an earlier request may be on its way.
    const requestId = times === 1 ? id : `${id}#${times}`;
    rpc
      .request(method, params, { id: requestId, signal: open.withdrawal.signal })
      .then(read, readFailure)
      .then((answer) => this.#take(id, open, question, answer))
      .catch(() => {
        // The session is gone, and its questions with it.
      });
  }

  #take(id: string, open: OpenQuestion, question: Question, answer: Answer): void {
    if (this.#open.get(id) !== open || answer.kind === "over") return;
    if (answer.kind !== "decided") return this.#leaveOpen(id, open, question, answer);
    const why = this.#parts.decide({ requestId: id, ...answer.decision });
    if (why !== undefined) this.#leaveOpen(id, open, question, { kind: "unusable", why });
  }

  /** Says why the question is still open; after an answer that cannot be used, asks once more (B52). */
  #leaveOpen(
    id: string,
    open: OpenQuestion,
    { title }: Question,
    answer: Extract<Answer, { kind: "left open" | "unusable" }>,
  ): void {
    open.isAsked = false;
    clearTimeout(open.timer);
    open.timer = setTimeout(() => {
      if (this.#open.get(id) !== open) return;
      const isUnusable = answer.kind === "unusable";
      const asksAgain = isUnusable && answer.isFinal !== true && !open.wasAskedAgain;
      const problem = isUnusable ? `The answer cannot be used: ${answer.why}. ` : "";
      this.#parts.report(`Still open: ${title}`, problem + (asksAgain ? ASKED_AGAIN : LEFT_OPEN));
      if (!asksAgain) return;
      open.wasAskedAgain = true;
      this.#ask(id, open);
    }, reportAfterMs);
    open.timer.unref();
  }

  #question(request: SessionInputRequest): Question | undefined {
    return request.kind === "toolConfirmation"
      ? this.#permission(request.toolCall)
      : this.#form(request.request);
  }

  #permission(call: PendingToolCall): Question {
    const { sessionId, view } = this.#parts;
    const { approval } = call;
    const [announced] = announceCall(call, view);
    const { sessionUpdate: _kind, _meta, ...toolCall } = announced ?? { sessionUpdate: "" };
    const { subject } = approval;
    const title = approval.target === "" ? call.displayName : approval.target;
    // Few editors show more than the title.
    const mark = subject?.kind === "command" && runsOutside(subject) ? ` (${subject.isolation ?? ""})` : "";
    const options = approval.options.map(({ id }) => id);
    return {
      method: "session/request_permission",
      title: title + mark,
      params: {
        sessionId,
        toolCall: { ...toolCall, title: title + mark },
        options: approval.options.map(({ id, label, kind }) => ({
          optionId: id,
          name: label,
          kind: kinds.has(kind) ? kind : "allow_once",
        })),
        _meta: { holdfast: describeApproval(approval) },
      },
      read: (response) => readOutcome(response, options),
    };
  }

  #form(request: Extract<SessionInputRequest, { kind: "chatInput" }>["request"]): Question | undefined {
    const { sessionId, features } = this.#parts;
    const { message = "", url, requestedSchema, toolCallId } = request;
    const [method, title] = ["elicitation/create", message];
    const scope = { sessionId, ...(toolCallId !== undefined && { toolCallId }) };
    if (url !== undefined) {
      const params = { ...scope, mode: "url", message, url, elicitationId: request.id };
      return features.links ? { method, params, title, read: readAction } : undefined;
    }
    const schema: JsonObject = requestedSchema ?? { type: "object", properties: {} };
    const params = { ...scope, mode: "form", message, requestedSchema: schema };
    return features.forms ? { method, params, title, read: readAction } : undefined;
  }
}

const kinds: ReadonlySet<string> = new Set(["allow_once", "allow_always", "reject_once", "reject_always"]);

/** Facts that ACP has no field for: the exact subject, who enforces it, and until when it can be decided. */
function describeApproval({ id, subject, source, expiresAt }: PendingToolCall["approval"]): object {
  return {
    requestId: id,
    ...(subject !== undefined && { subject }),
    ...(source !== undefined && { source }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

const ASKED_AGAIN = "You are asked once more.";
const LEFT_OPEN =
  "The request stays open: decide it in another client, or load the session to be asked again.";

function withdraw({ withdrawal, timer }: OpenQuestion): void {
  clearTimeout(timer);
  withdrawal.abort();
}

/** Only a chosen option decides; a request that an editor cancels stays open for others. */
function readOutcome(response: unknown, options: readonly string[]): Answer {
  const { outcome, optionId } = membersOf(membersOf(response)["outcome"]);
  if (outcome === "cancelled") return { kind: "left open" };
  if (outcome !== "selected") return unusable('outcome.outcome: expected "selected" or "cancelled"');
  if (typeof optionId === "string" && options.includes(optionId)) {
    return { kind: "decided", decision: { optionId } };
  }
  return unusable(`outcome.optionId: expected one of ${options.join(", ")}`);
}

function readAction(response: unknown): Answer {
  const { action, content } = membersOf(response);
  if (action !== "accept" && action !== "decline" && action !== "cancel") {
    return unusable("action: expected accept, decline or cancel");
  }
  const decision = { optionId: action, ...(action === "accept" && { content: readContent(content) }) };
  return { kind: "decided", decision };
}

function unusable(why: string): Answer {
  return { kind: "unusable", why };
}

/** The request was withdrawn, or the connection ended, or the editor answered with an error. */
function readFailure(error: unknown): Answer {
  if (!(error instanceof RpcError)) return { kind: "over" };
  if (error.code === ErrorCode.requestCancelled) return { kind: "left open" };
  const isFinal = error.code === ErrorCode.methodNotFound;
  return { kind: "unusable", why: `error ${error.code}, ${error.message.replace(/\.$/, "")}`, isFinal };
}

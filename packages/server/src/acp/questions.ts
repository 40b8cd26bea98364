// Questions of a session at one editor: permission requests and forms, asked once each, withdrawn when answered elsewhere.
import type { JsonObject, PendingToolCall, SessionInputRequest } from "@holdfast/ahp";
import { runsOutside } from "@holdfast/core";
import type { Connection } from "@holdfast/jsonrpc";
import type { PermissionDecision } from "@holdfast/protocol";
import type { EditorFeatures } from "./features.ts";
import { membersOf, readContent } from "./params.ts";
import { announceCall, type TerminalView } from "./tool-call.ts";

export interface QuestionsParts {
  readonly rpc: Pick<Connection, "request">;
  readonly sessionId: string;
  readonly features: EditorFeatures;
  readonly view: TerminalView;
  /** Decides for every client; one that comes too late changes nothing. */
  readonly decide: (decision: PermissionDecision) => void;
}

interface Question {
  readonly method: string;
  readonly params: object;
  readonly read: (response: unknown) => Omit<PermissionDecision, "requestId"> | undefined;
}

/** The open questions of one session on one connection. Its owner closes it. */
export class Questions {
  readonly #parts: QuestionsParts;
  readonly #open = new Map<string, AbortController>();

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
  }

  /** Asks what is new, and withdraws what is no longer open. */
  update(waiting: ReadonlyMap<string, SessionInputRequest>): void {
    for (const [id, withdrawal] of this.#open) {
      if (waiting.has(id)) continue;
      this.#open.delete(id);
      withdrawal.abort();
    }
    for (const [id, request] of waiting) if (!this.#open.has(id)) this.#ask(id, request);
  }

  /** The connection is over; the questions stay open for others. */
  close(): void {
    this.#open.clear();
  }

  #ask(id: string, request: SessionInputRequest): void {
    const withdrawal = new AbortController();
    this.#open.set(id, withdrawal);
    const question = this.#question(request);
    if (question === undefined) return;
    const { method, params, read } = question;
    // The id is the same on every connection, so that an editor's bridge knows a question that is asked again.
    this.#parts.rpc
      .request(method, params, { id, signal: withdrawal.signal })
      .then((response) => {
        const decision = this.#open.has(id) ? read(response) : undefined;
        if (decision !== undefined) this.#parts.decide({ requestId: id, ...decision });
      })
      .catch(() => {
        // Withdrawn, or the editor cannot answer, or names an option that there is not: somebody else decides.
      });
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
    return {
      method: "session/request_permission",
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
      read: readOutcome,
    };
  }

  #form(request: Extract<SessionInputRequest, { kind: "chatInput" }>["request"]): Question | undefined {
    const { sessionId, features } = this.#parts;
    const { message = "", url, requestedSchema, toolCallId } = request;
    const scope = { sessionId, ...(toolCallId !== undefined && { toolCallId }) };
    if (url !== undefined) {
      const params = { ...scope, mode: "url", message, url, elicitationId: request.id };
      return features.links ? { method: "elicitation/create", params, read: readAction } : undefined;
    }
    const schema: JsonObject = requestedSchema ?? { type: "object", properties: {} };
    const params = { ...scope, mode: "form", message, requestedSchema: schema };
    return features.forms ? { method: "elicitation/create", params, read: readAction } : undefined;
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

/** A request that an editor cancels stays open for others: only a chosen option decides. */
function readOutcome(response: unknown): Omit<PermissionDecision, "requestId"> | undefined {
  const { outcome, optionId } = membersOf(membersOf(response)["outcome"]);
  return outcome === "selected" && typeof optionId === "string" ? { optionId } : undefined;
}

function readAction(response: unknown): Omit<PermissionDecision, "requestId"> | undefined {
  const { action, content } = membersOf(response);
  if (action !== "accept" && action !== "decline" && action !== "cancel") return undefined;
  return { optionId: action, ...(action === "accept" && { content: readContent(content) }) };
}

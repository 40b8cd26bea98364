// Questions of agents that are more than yes or no: forms to fill in and addresses to visit, answered from any connection.
import { randomUUID } from "node:crypto";
import {
  type Actor,
  type InputAnswers,
  type InputRequest,
  type JsonObject,
  type SessionKey,
  makeId,
} from "@holdfast/ahp";
import type { AnswerResult, ApprovalPlace } from "./approvals.ts";
import { readQuestions } from "./form-questions.ts";

/** What an agent is answered. */
export type ElicitationAnswer =
  /** `answers` are the same as people gave them, for those who watch. */
  | { readonly action: "accept"; readonly content: JsonObject; readonly answers?: InputAnswers | undefined }
  | { readonly action: "decline" | "cancel" };

/** What an agent asks. */
export interface Elicitation {
  readonly message: string;
  readonly mode: "form" | "url";
  readonly requestedSchema?: JsonObject | undefined;
  readonly url?: string | undefined;
  readonly toolCallId?: string | undefined;
}

interface Entry {
  readonly place: ApprovalPlace;
  readonly request: InputRequest;
  readonly resolve: (answer: ElicitationAnswer) => void;
}

/** All open questions of this kind. */
export class InputRequests {
  readonly #now: () => Date;
  readonly #open = new Map<string, Entry>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Asks; resolves with the first answer or the turn's end. */
  ask(place: ApprovalPlace, asked: Elicitation): Promise<ElicitationAnswer> {
    const request: InputRequest = {
      id: makeId("input request", randomUUID()),
      message: asked.message,
      requestedAt: this.#now().toISOString(),
      ...(asked.mode === "url" && asked.url !== undefined && { url: asked.url }),
      ...(asked.requestedSchema !== undefined && {
        requestedSchema: asked.requestedSchema,
        questions: readQuestions(asked.requestedSchema),
      }),
      ...(asked.toolCallId !== undefined && { toolCallId: makeId("tool call", asked.toolCallId) }),
    };
    const { chat, turnId } = place;
    place.tell({ to: "chat", action: { type: "chat/inputRequested", turnId, request } });
    place.tell({
      to: "session",
      action: {
        type: "session/inputNeededSet",
        request: { kind: "chatInput", id: request.id, chat, request },
      },
    });
    return new Promise((resolve) => {
      this.#open.set(request.id, { place, request, resolve });
    });
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  answer(id: string, answer: ElicitationAnswer, by: Actor, session?: SessionKey): AnswerResult {
    const entry = this.#open.get(id);
    if (entry === undefined || (session !== undefined && entry.place.key !== session)) {
      return { resolved: false, reason: "This question is not open: it was answered, or never asked." };
    }
    this.#open.delete(id);
    const { place, request } = entry;
    const answers = answer.action === "accept" ? answer.answers : undefined;
    place.tell({
      to: "chat",
      action: {
        type: "chat/inputCompleted",
        requestId: request.id,
        response: answer.action,
        ...(answers !== undefined && { answers }),
        by,
      },
    });
    place.tell({ to: "session", action: { type: "session/inputNeededRemoved", id: request.id } });
    // What those who watch are told beside it is none of the agent's words.
    entry.resolve(answer.action === "accept" ? { action: "accept", content: answer.content } : answer);
    return { resolved: true };
  }

  cancelTurn(turnId: string, by: Actor): void {
    for (const [id, entry] of this.#open) {
      if (entry.place.turnId === turnId) this.answer(id, { action: "cancel" }, by);
    }
  }

  close(): void {
    for (const id of this.#open.keys()) this.answer(id, { action: "cancel" }, { kind: "host" });
  }
}

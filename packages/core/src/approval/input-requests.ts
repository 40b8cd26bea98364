// Questions of agents that are more than yes or no: forms to fill in and addresses to visit, answered from any connection.
import {
  type Actor,
  type InputAnswers,
  type InputRequest,
  type JsonObject,
  makeId,
  type Timestamp,
} from "@holdfast/ahp";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { ApprovalPlace } from "./approvals.ts";
import { ExpiryWatch } from "./expiry-watch.ts";
import { readQuestions } from "./form-questions.ts";

/** The response to an agent's form. */
export type ElicitationAnswer =
  /** `answers` are the same as people gave them, for clients that watch. */
  | { readonly action: "accept"; readonly content: JsonObject; readonly answers?: InputAnswers | undefined }
  | { readonly action: "decline" | "cancel" };

/** A form of an agent. */
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
  readonly expiresAt: Timestamp;
  readonly resolve: (answer: ElicitationAnswer) => void;
}

/** All open questions of this kind. */
export class InputRequests {
  readonly #now: () => Date;
  readonly #expiryMs: number;
  readonly #open = new Map<string, Entry>();
  readonly #expiry: ExpiryWatch;
  /** Questions of an earlier host, for the requests that asked them. */
  readonly #restored = new Map<string, Promise<ElicitationAnswer>>();

  constructor(now: () => Date, expiryMs: number) {
    this.#now = now;
    this.#expiryMs = expiryMs;
    this.#expiry = new ExpiryWatch(
      now,
      () => this.#open.values(),
      () => this.expireDue(),
    );
  }

  /** Asks; resolves with the first answer, the expiry, or the turn's end. */
  ask(place: ApprovalPlace, asked: Elicitation, id: string): Promise<ElicitationAnswer> {
    const earlier = this.#restored.get(id);
    this.#restored.delete(id);
    if (earlier !== undefined) return earlier;
    const requestedAt = this.#now();
    const expiresAt = this.#expiryFrom(requestedAt);
    const request: InputRequest = {
      id: makeId("input request", id),
      message: asked.message,
      requestedAt: requestedAt.toISOString(),
      expiresAt,
      ...(asked.mode === "url" && asked.url !== undefined && { url: asked.url }),
      ...(asked.requestedSchema !== undefined && {
        requestedSchema: asked.requestedSchema,
        questions: readQuestions(asked.requestedSchema),
      }),
      ...(asked.toolCallId !== undefined && { toolCallId: makeId("tool call", asked.toolCallId) }),
    };
    const { chat, turnId } = place;
    place.dispatch({ to: "chat", action: { type: "chat/inputRequested", turnId, request } });
    place.dispatch({
      to: "session",
      action: {
        type: "session/inputNeededSet",
        request: { kind: "chatInput", id: request.id, chat, request },
      },
    });
    return this.#add({ place, request, expiresAt });
  }

  /** Opens a question of an earlier host again: it may be completed before the agent's request is handled again. */
  restore(place: ApprovalPlace, request: InputRequest): void {
    const { id, expiresAt = this.#expiryFrom(this.#now()) } = request;
    this.#restored.set(id, this.#add({ place, request, expiresAt }));
  }

  #expiryFrom(requestedAt: Date): Timestamp {
    return new Date(requestedAt.getTime() + this.#expiryMs).toISOString();
  }

  #add(asked: Omit<Entry, "resolve">): Promise<ElicitationAnswer> {
    return new Promise((resolve) => {
      this.#open.set(asked.request.id, { ...asked, resolve });
      this.#expiry.update();
    });
  }

  /** Completes an open question, as the rules allowed it; the first completion counts. */
  complete(id: string, answer: ElicitationAnswer, by: Actor, origin?: ActionOrigin): LogEntry | undefined {
    const entry = this.#open.get(id);
    if (entry === undefined) return undefined;
    this.#open.delete(id);
    const { place, request } = entry;
    const answers = answer.action === "accept" ? answer.answers : undefined;
    const action = {
      type: "chat/inputCompleted",
      requestId: request.id,
      response: answer.action,
      ...(answers !== undefined && { answers }),
      by,
    } as const;
    const logged = place.dispatch({ to: "chat", action }, origin);
    place.dispatch({ to: "session", action: { type: "session/inputNeededRemoved", id: request.id } });
    // The agent receives its own fields only, not those added for clients.
    entry.resolve(answer.action === "accept" ? { action: "accept", content: answer.content } : answer);
    return logged;
  }

  /** Cancels what is past its time by the clock, whatever became of the timer. */
  expireDue(): void {
    const nowMs = this.#now().getTime();
    for (const [id, { expiresAt }] of this.#open) {
      if (Date.parse(expiresAt) <= nowMs) this.complete(id, { action: "cancel" }, { kind: "expiry" });
    }
  }

  cancelTurn(turnId: string, by: Actor): void {
    for (const [id, entry] of this.#open) {
      if (entry.place.turnId === turnId) this.complete(id, { action: "cancel" }, by);
    }
  }

  close(): void {
    this.#expiry.close();
    for (const id of this.#open.keys()) this.complete(id, { action: "cancel" }, { kind: "host" });
  }
}

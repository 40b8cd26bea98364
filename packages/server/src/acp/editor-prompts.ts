// Prompts of one ACP client: each begins a turn, or waits in the queue, and is answered when its turn has ended.
import { randomUUID } from "node:crypto";
import { type Action, makeId, pendingMessages } from "@holdfast/ahp";
import { requireAccepted, type Submission, submitterOf } from "@holdfast/core";
import type { Connection } from "@holdfast/jsonrpc";
import { LIMITS } from "@holdfast/protocol";
import type { Caller } from "../host-port.ts";
import type { AcpHost } from "./acp-host.ts";
import type { AttachedSession } from "./attached-session.ts";
import { readPrompt } from "./content.ts";
import { invalidParams, ownMembers } from "./params.ts";
import { endOfPrompt } from "./prompt-end.ts";
import { toRpcError } from "./rpc-error.ts";

export interface EditorPromptsParts {
  readonly host: AcpHost;
  readonly caller: Caller;
  readonly rpc: Pick<Connection, "isOpen">;
  /** Begins the ids of the turns that this client starts; the same after a reconnect. */
  readonly clientId: string;
  readonly now: () => Date;
  readonly report: (error: unknown) => string;
}

export class EditorPrompts {
  readonly #parts: EditorPromptsParts;
  /** Prompts that wait for the end of their turn, by session. */
  readonly #waiting = new Map<string, Set<Promise<unknown>>>();

  constructor(parts: EditorPromptsParts) {
    this.#parts = parts;
  }

  /** Whether a prompt of this client waits in a session. */
  has(key: string): boolean {
    return this.#waitingIn(key).size > 0;
  }

  /** Begins a turn, or queues it behind another client's; answered when it has ended and everything of it was sent. */
  async run(session: AttachedSession, params: unknown, signal: AbortSignal): Promise<object> {
    const message = readPrompt(params);
    const turnId = this.#turnId(params);
    const started = this.#begin(session, turnId, message);
    const cancel = (): void => {
      // A connection that closes aborts its requests, too, and must not end the turn.
      const { host, caller, rpc, report } = this.#parts;
      if (!rpc.isOpen) return;
      // A session that is being closed is gone for its clients, and its turn is being cancelled.
      host.cancelTurn(session.key, { turnId }, caller).catch((error: unknown) => toRpcError(error, report));
    };
    signal.addEventListener("abort", cancel, { once: true });
    const ended = Promise.resolve(started).then(() => session.ended(turnId));
    const waiting = this.#waitingIn(session.key).add(ended);
    try {
      return endOfPrompt(await ended);
    } finally {
      signal.removeEventListener("abort", cancel);
      waiting.delete(ended);
    }
  }

  /**
   * Cancels what this client waits for in a session: its queued prompts, and its turn that runs. A client that waits for
   * nothing cancels the running turn; messages that others have queued stay (B60).
   */
  async cancel(session: AttachedSession): Promise<void> {
    const { host, caller, clientId } = this.#parts;
    const isOwn = (id: string): boolean => id.startsWith(`${clientId}.`);
    const chat = host.ahp.hub.state(session.chatUri, "chat");
    const pending = chat === undefined ? [] : pendingMessages(chat);
    const queued = pending.map(({ id }) => String(id)).filter(isOwn);
    for (const turnId of queued) await host.cancelTurn(session.key, { turnId }, caller);
    const running = chat?.activeTurn?.id;
    if (queued.length > 0 && (running === undefined || !isOwn(running))) return;
    await host.cancelTurn(session.key, {}, caller);
  }

  /** Cancels the turn that a prompt of this client waits for, and waits for its end; does nothing without one. */
  async cancelOwn(session: AttachedSession): Promise<void> {
    if (!this.has(session.key)) return;
    await this.cancel(session);
    await Promise.allSettled(this.#waitingIn(session.key));
  }

  #begin(
    session: AttachedSession,
    turnId: string,
    message: ReturnType<typeof readPrompt>,
  ): void | Promise<void> {
    const { host, now } = this.#parts;
    host.ahp.sessions.find(session.chatUri);
    const chat = host.ahp.hub.state(session.chatUri, "chat");
    if (chat !== undefined && pendingMessages(chat).some(({ id }) => String(id) === turnId)) return;
    const start = {
      type: "chat/turnStarted",
      turnId: makeId("turn", turnId),
      startedAt: now().toISOString(),
      message,
    } as const;
    const queue = {
      type: "chat/pendingMessageSet",
      kind: "queued",
      pending: { id: makeId("pending message", turnId), message },
    } as const;
    const conclude = async (submission: Submission): Promise<void> => {
      const isBusy = submission.outcome === "rejected" && submission.code === "ACP_TURN_ACTIVE";
      const last = isBusy ? await this.#submit(session.chatUri, queue) : submission;
      requireAccepted(last, "ACP_SESSION_NOT_FOUND");
    };
    const submission = this.#submit(session.chatUri, start);
    return submission instanceof Promise ? submission.then(conclude) : conclude(submission);
  }

  /** A turn that is sent again, after a lost connection, has the id that it had. */
  #turnId(params: unknown): string {
    const { clientId } = this.#parts;
    const { turnId } = ownMembers(params);
    if (turnId !== undefined) {
      const isOwn = typeof turnId === "string" && turnId.startsWith(`${clientId}.`);
      if (isOwn && turnId.length <= LIMITS.turnNameLength) return turnId;
      throw invalidParams("_meta.holdfast.turnId: expected the client's id, a dot and a name");
    }
    return `${clientId}.${randomUUID()}`;
  }

  #waitingIn(key: string): Set<Promise<unknown>> {
    const prompts = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, prompts);
    return prompts;
  }

  #submit(uri: string, action: Action): Submission | Promise<Submission> {
    const { host, caller } = this.#parts;
    return host.ahp.submit(uri, action, submitterOf(caller));
  }
}

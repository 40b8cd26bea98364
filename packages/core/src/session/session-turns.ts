// The turns of a session, one at a time: those that clients begin, those that wait in line, and their ends.
import { randomUUID } from "node:crypto";
import {
  type Actor,
  type Message,
  type PendingMessage,
  type PendingMessageId,
  type SessionAction,
  type SessionState,
  type TurnEnd,
  type TurnId,
  makeId,
} from "@holdfast/ahp";
import { type ChatRequest, HostError } from "@holdfast/protocol";
import type { AcpInitializeResult } from "../agent/acp.ts";
import type { Translated } from "../agent/session-updates.ts";
import { buildMessagePrompt, buildPrompt, describeAttachments } from "./prompt.ts";
import type { OnContextLost, SessionAgent } from "./session-agent.ts";
import { markRequest, type RepeatedRequest, type SessionChat } from "./session-chat.ts";
import type { SessionTools } from "./session-tools.ts";
import { type PendingKind, TurnQueue } from "./turn-queue.ts";
import { Turn, type TurnOpening, type TurnParts } from "./turn.ts";

/** A message, and the name under which its sender would send it again. */
export interface TurnRequest extends ChatRequest {
  readonly idempotencyKey?: string | undefined;
}

/** A turn that was taken on. */
export interface TakenTurn {
  readonly turnId: TurnId;
  /** The turn itself, as soon as it has begun; undefined when it was dropped before, or has ended long since. */
  readonly begun: Promise<Turn | undefined>;
  /** Whether it was taken on before, by a message with the same name. */
  readonly isRepeated: boolean;
}

/** What its turns need of a session. */
export interface TurnsOwner {
  readonly state: SessionState;
  /** What a turn's updates are read with. */
  readonly updateContext: TurnParts["context"];
  readonly dispatch: (translated: Translated) => void;
  tell(action: SessionAction): void;
  /** Somebody uses the session. */
  touch(): void;
  /** Throws when the session takes nothing on any more. */
  checkOpen(): void;
  /** A turn is over; what it left running becomes background work. */
  turnEnded(turnId: TurnId): void;
}

/** Makes the content blocks for an agent that has said what it takes. */
type Prompt = (info: AcpInitializeResult) => readonly object[];

/** What the host's end says to a turn that it cuts off. */
const stopped = {
  code: "HOST_STOPPING",
  message: "The host was stopped in mid-turn. What was said so far is kept; send the message again to go on.",
  retryable: true,
} as const;

/** The turns of one session; it ends with its session, which cancels or interrupts what runs. */
export class SessionTurns {
  readonly #owner: TurnsOwner;
  readonly #tools: SessionTools;
  readonly #agent: SessionAgent;
  readonly #chat: SessionChat;
  readonly #queue: TurnQueue;
  #turn: Turn | undefined;
  /** The number of the first action of the turn that began last. */
  #turnSeq = 0;

  constructor(owner: TurnsOwner, tools: SessionTools, agent: SessionAgent, chat: SessionChat) {
    this.#owner = owner;
    this.#tools = tools;
    this.#agent = agent;
    this.#chat = chat;
    this.#queue = new TurnQueue((action) => owner.dispatch({ to: "chat", action }));
  }

  /** The turn that began last, over or not. */
  get last(): Turn | undefined {
    return this.#turn;
  }

  /** Whether a turn runs or waits. */
  get isBusy(): boolean {
    return this.#isRunning || !this.#queue.isEmpty;
  }

  /** Where a turn begins in the log, if it is the last one and this host began it: it may not be kept yet. */
  startOf(turnId: TurnId): number | undefined {
    return this.#turn?.id === turnId ? this.#turnSeq : undefined;
  }

  /** Takes a message on: at once, or behind the running turn where that is asked for. */
  take(request: TurnRequest, isInteractive: boolean): TakenTurn {
    this.#owner.checkOpen();
    this.#chat.load();
    const { idempotencyKey } = request;
    const mark = idempotencyKey === undefined ? undefined : markRequest(idempotencyKey, request);
    const repeated = mark && this.#chat.findRepeated(mark);
    if (repeated !== undefined) return this.#takeAgain(repeated);
    if (this.#agent.ready !== undefined) buildPrompt(request, this.#agent.ready.agent.info);
    if (this.#isRunning && request.queue !== true) throw new HostError("ACP_TURN_ACTIVE");
    const turnId = makeId("turn", randomUUID());
    const attachments = describeAttachments(request);
    const message: Message = {
      text: request.message,
      origin: { kind: "user" },
      ...(attachments !== undefined && { attachments }),
      ...(mark !== undefined && { request: mark }),
    };
    const prompt: Prompt = (info) => buildPrompt(request, info);
    const begin = (queuedMessageId?: PendingMessageId): Turn =>
      this.#begin({ turnId, message, queuedMessageId, isInteractive }, prompt, request.onContextLost);
    const begun = this.isBusy ? this.#queue.push(turnId, message, begin) : Promise.resolve(begin());
    return { turnId, begun, isRepeated: false };
  }

  /** Begins a turn with a message of a client, under the name that the client gave it. */
  begin(turnId: TurnId, message: Message): void {
    this.#checkIdle();
    const prompt = this.#messagePrompt(message);
    this.#begin({ turnId, message, queuedMessageId: undefined, isInteractive: true }, prompt);
  }

  /** Sends the message of the last turn again, which failed or was cut off: the turn goes on. */
  resume(turnId: TurnId): void {
    this.#checkIdle();
    const { message } = this.#chat.endedTurn(turnId) ?? {};
    if (message === undefined) throw new HostError("NOT_FOUND", "There is no such turn.");
    const opening = { turnId, message, queuedMessageId: undefined, isInteractive: true, isResumed: true };
    this.#begin(opening, this.#messagePrompt(message));
  }

  /** Lines up a message of a client, or changes it where it stands; where nothing runs, it is sent at once. */
  setPending(kind: PendingKind, pending: PendingMessage): void {
    this.#owner.checkOpen();
    const { id, message } = pending;
    const prompt = this.#messagePrompt(message);
    const turnId = makeId("turn", id);
    this.#queue.set(kind, pending, (queuedMessageId) =>
      this.#begin({ turnId, message, queuedMessageId, isInteractive: true }, prompt),
    );
    if (!this.#isRunning) this.#queue.beginNext();
  }

  /** Takes a message out of the line; false when it does not wait. */
  removePending(kind: PendingKind, id: PendingMessageId): boolean {
    return this.#queue.remove(kind, id);
  }

  reorderPending(order: readonly PendingMessageId[]): void {
    this.#queue.reorder(order);
  }

  /** Cancels the running turn alone: what waits behind it comes next. */
  cancelRunning(by: Actor, reason?: string): void {
    this.#turn?.cancel(by, reason);
  }

  /** Cancels the running turn and what waits behind it; done when the turn has ended. */
  async cancel(by: Actor, reason?: string): Promise<void> {
    this.#queue.drop();
    const turn = this.#turn;
    if (turn === undefined || turn.isOver) return;
    turn.cancel(by, reason);
    await turn.ended;
  }

  /** The host stops: the running turn is cut off and says so, what waits is dropped. */
  interrupt(): void {
    this.#queue.drop();
    this.#turn?.interrupt(stopped);
  }

  /** The session is closed: everything is cancelled, and nobody waits for its end here. */
  abandon(by: Actor, reason: string): void {
    this.#queue.drop();
    this.#turn?.cancel(by, reason);
  }

  get #isRunning(): boolean {
    return this.#turn !== undefined && !this.#turn.isOver;
  }

  #takeAgain({ turnId, place }: RepeatedRequest): TakenTurn {
    const begun =
      place === "waiting"
        ? this.#queue.find(turnId)
        : Promise.resolve(place === "running" ? this.#turn : undefined);
    return { turnId, begun, isRepeated: true };
  }

  #checkIdle(): void {
    this.#owner.checkOpen();
    this.#chat.load();
    if (this.isBusy) throw new HostError("ACP_TURN_ACTIVE");
  }

  #messagePrompt(message: Message): Prompt {
    const prompt: Prompt = (info) => buildMessagePrompt(message, info);
    // What the agent cannot take is refused now rather than in mid-turn, if it is known.
    if (this.#agent.ready !== undefined) prompt(this.#agent.ready.agent.info);
    return prompt;
  }

  #begin(opening: TurnOpening, prompt: Prompt, onContextLost: OnContextLost = "continue"): Turn {
    const { turnId } = opening;
    const { hub, patience, redact, now, approvals, inputs, watchers } = this.#tools;
    const { timeoutSeconds } = this.#owner.state.runtimeOptions;
    this.#turnSeq = hub.lastSeq + 1;
    const turn = new Turn({
      ...opening,
      timeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
      patience,
      context: this.#owner.updateContext,
      dispatch: this.#owner.dispatch,
      now,
      redact,
      cancelQuestions: (by) => {
        approvals.cancelTurn(turnId, by);
        inputs.cancelTurn(turnId, by);
      },
    });
    this.#turn = turn;
    this.#owner.touch();
    watchers.tell(this.#owner.state, { type: "turn_started", turnId });
    void turn.run(
      () => this.#agent.connect({ onContextLost }),
      (agent) => prompt(agent.info),
    );
    void turn.ended.then((end) => this.#noteEnd(turn, end));
    return turn;
  }

  #noteEnd({ id: turnId, durationMs }: Turn, end: TurnEnd): void {
    const { watchers } = this.#tools;
    this.#owner.turnEnded(turnId);
    watchers.tell(this.#owner.state, { type: "turn_done", turnId, end, durationMs });
    if (end.state === "failed") {
      this.#owner.tell({ type: "session/errorReported", error: end.error });
      watchers.tell(this.#owner.state, { type: "session_error", error: end.error });
    }
    this.#owner.touch();
    this.#queue.beginNext();
  }
}

// The turns of a session, one at a time: those that clients begin, those that are queued, and their ends.
import { randomUUID } from "node:crypto";
import {
  type Actor,
  type Message,
  type PendingMessage,
  type PendingMessageId,
  type TurnEnd,
  type TurnId,
  makeId,
  pendingMessages,
} from "@holdfast/ahp";
import { type ChatRequest, ERRORS, HostError } from "@holdfast/protocol";
import type { AcpInitializeResult } from "../agent/acp.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { ReadyAgent } from "./agent-settings.ts";
import { buildMessagePrompt, buildPrompt, describeAttachments, requireStored } from "./prompt.ts";
import type { SessionAgent } from "./session-agent.ts";
import { markRequest } from "./session-chat.ts";
import type { SessionContext } from "./session-context.ts";
import type { SessionServices } from "./session-services.ts";
import {
  type BeginTurn,
  type PendingKind,
  type SavedQueue,
  type TurnManner,
  TurnQueue,
} from "./turn-queue.ts";
import { type SavedTurn, type SentSteering, Turn, type TurnOpening } from "./turn.ts";

/** A message, and the name under which its sender would send it again. */
export interface TurnRequest extends ChatRequest {
  readonly idempotencyKey?: string | undefined;
}

/** A turn that was accepted. */
export interface TakenTurn {
  readonly turnId: TurnId;
  /** Whether it was accepted before, by a message with the same name. */
  readonly isRepeated: boolean;
}

/** The turns of a session as the next host gets to know them. */
export interface SavedTurns {
  readonly turn?: SavedTurn | undefined;
  readonly queue?: SavedQueue | undefined;
}

/** Makes the content blocks for an agent whose capabilities are known. */
type Prompt = (info: AcpInitializeResult) => readonly object[];

/** The error of a turn that the host's end cuts off. */
const stopped = {
  code: "HOST_STOPPING",
  message: ERRORS.HOST_RESTARTED.message,
  retryable: true,
} as const;

/** The turns of one session; it ends with its session, which cancels or interrupts what runs. */
export class SessionTurns {
  readonly #context: SessionContext;
  readonly #agent: SessionAgent;
  readonly #services: SessionServices;
  readonly #queue: TurnQueue;
  /** The number of the first action of the turn that began last. */
  #turnSeq = 0;
  /** Settles when the agent has stopped working on the turn that was aborted last. */
  #aborted: Promise<void> | undefined;

  constructor(context: SessionContext, agent: SessionAgent, services: SessionServices) {
    this.#context = context;
    this.#agent = agent;
    this.#services = services;
    this.#queue = new TurnQueue((action, origin) => context.dispatch({ to: "chat", action }, origin));
    context.queue = this.#queue;
  }

  /** Whether a turn runs or waits. */
  get isBusy(): boolean {
    return this.#isRunning || !this.#queue.isEmpty;
  }

  /**
   * Continues the turn of an earlier host, and keeps what waits behind it. A turn whose prompt was sent waits for its
   * response; one that still waited for its agent begins again.
   */
  restore({ turn: saved, queue = [] }: SavedTurns, ready: ReadyAgent | undefined): void {
    const context = this.#context;
    const { activeTurn, steeringMessage } = context.chat.state;
    for (const each of pendingMessages(context.chat.state)) {
      const { id, message } = each;
      const turnId = makeId("turn", id);
      this.#queue.restore(
        each === steeringMessage ? "steering" : "queued",
        each,
        queue,
        // A message that cannot be sent ends its turn: nobody waits here for an error.
        (queuedMessageId, manner) =>
          this.#begin({ turnId, message, queuedMessageId, ...manner }, (info) =>
            buildMessagePrompt(message, info),
          ),
      );
    }
    if (saved === undefined || activeTurn?.id !== saved.id) return;
    const turn = new Turn(context, saved, (id) => this.#services.findTerminal(id));
    const wanted = { turnId: saved.id };
    this.#turnSeq = context.deps.storage.findTurnStart(context.chat.uri, wanted) ?? 0;
    context.turn = turn;
    context.touch();
    void turn.ended.then((end) => this.#noteEnd(turn, end));
    const { steering } = turn;
    if (steering !== undefined && ready !== undefined) {
      const { agent, sessionId } = ready;
      void this.#followSteering(turn, steering, agent.awaitSteering(steering.requestId, sessionId));
    }
    if (saved.prompt !== undefined && ready !== undefined) void turn.resume(ready.agent, saved.prompt);
    else {
      void turn.run(
        () => this.#agent.connect({ onContextLost: turn.onContextLost }),
        (agent) => buildMessagePrompt(activeTurn.message, agent.info),
      );
    }
  }

  /** Where a turn begins in the log, if it is the last one and this host began it: it may not be kept yet. */
  startOf(turnId: TurnId): number | undefined {
    return this.#context.turn?.id === turnId ? this.#turnSeq : undefined;
  }

  /** A turn once it has begun; undefined when it was dropped before, or has ended long since. */
  async begun(turnId: TurnId): Promise<Turn | undefined> {
    const { turn, chat } = this.#context;
    return turn?.id === chat.turnOf(turnId) ? turn : this.#queue.find(turnId);
  }

  /** Takes a message on: at once, or behind the running turn where that is asked for. */
  take(request: TurnRequest, isInteractive: boolean): TakenTurn {
    this.#context.checkOpen();
    this.#context.chat.load();
    const { idempotencyKey } = request;
    const mark = idempotencyKey === undefined ? undefined : markRequest(idempotencyKey, request);
    const repeated = mark && this.#context.chat.findRepeated(mark);
    if (repeated !== undefined) return { turnId: repeated, isRepeated: true };
    this.#context.deps.hub.recording.require();
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
    const manner: TurnManner = { isInteractive, onContextLost: request.onContextLost ?? "continue" };
    const begin = (queuedMessageId?: PendingMessageId): Turn =>
      this.#begin({ turnId, message, queuedMessageId, ...manner }, prompt);
    if (this.isBusy) this.#queue.push(turnId, message, manner, begin);
    else begin();
    return { turnId, isRepeated: false };
  }

  /** Begins a turn with a message of a client, under the name that the client gave it. */
  begin(turnId: TurnId, message: Message, origin?: ActionOrigin): LogEntry | undefined {
    this.#checkIdle();
    const prompt = this.#messagePrompt(message);
    const opening = { turnId, message, queuedMessageId: undefined, isInteractive: true, origin };
    return this.#begin(opening, prompt).opening;
  }

  /** Sends the message of the last turn again, which failed or was cut off: the turn continues. */
  resume(turnId: TurnId, origin?: ActionOrigin): LogEntry | undefined {
    this.#checkIdle();
    const { message } = this.#context.chat.endedTurn(turnId) ?? {};
    if (message === undefined) throw new HostError("NOT_FOUND", "There is no such turn.");
    const opening = {
      turnId,
      message,
      queuedMessageId: undefined,
      isInteractive: true,
      isResumed: true,
      origin,
    };
    return this.#begin(opening, this.#messagePrompt(message)).opening;
  }

  /** Queues a message of a client, or changes it where it stands; where nothing runs, it is sent at once. */
  setPending(kind: PendingKind, pending: PendingMessage, origin?: ActionOrigin): LogEntry | undefined {
    this.#context.checkOpen();
    const { id } = pending;
    const turnId = makeId("turn", id);
    // A change that comes after its turn began; sent as new, it would be the same turn again.
    if (!this.#queue.has(id) && this.#context.chat.hasBegun(turnId)) {
      throw new HostError("INVALID_REQUEST", "That message has been sent already.");
    }
    const message = this.#withMark(pending);
    const prompt = this.#messagePrompt(message);
    const begin: BeginTurn = (queuedMessageId, manner) =>
      this.#begin({ turnId, message, queuedMessageId, ...manner }, prompt);
    const entry = this.#queue.set(kind, { ...pending, message }, begin, origin);
    if (!this.#isRunning) this.#queue.beginNext();
    else if (kind === "steering") this.#steer({ id, message }, prompt);
    return entry;
  }

  removePending(kind: PendingKind, id: PendingMessageId, origin?: ActionOrigin): LogEntry | undefined {
    return this.#queue.remove(kind, id, origin);
  }

  reorderPending(order: readonly PendingMessageId[], origin?: ActionOrigin): LogEntry | undefined {
    return this.#queue.reorder(order, origin);
  }

  /** Cancels the running turn alone: what waits behind it comes next. */
  cancelRunning(by: Actor, reason?: string, origin?: ActionOrigin): LogEntry | undefined {
    return this.#context.turn?.cancel(by, reason, undefined, origin);
  }

  /** Cancels the running turn, or the named one, which may wait; done when it has ended (N12). */
  async cancel(by: Actor, reason?: string, turnId?: TurnId): Promise<void> {
    if (turnId !== undefined && this.#queue.withdraw(turnId)) return;
    const { turn } = this.#context;
    if (turn === undefined || turn.isOver || (turnId !== undefined && turn.id !== turnId)) return;
    turn.cancel(by, reason);
    await turn.ended;
  }

  /** Cancels the running turn and what waits behind it; done when the turn has ended. */
  async cancelAll(by: Actor, reason?: string): Promise<void> {
    this.#queue.drop();
    await this.cancel(by, reason);
  }

  /** Nothing can be recorded any more: the running turn fails, and queued messages stay queued (D261). */
  abort({ code, message }: HostError): void {
    this.#aborted = this.#context.turn?.abort({ code, message, retryable: true }) ?? this.#aborted;
  }

  /** Begins what waits, after a time in which nothing could be recorded. */
  goOn(): void {
    if (!this.#isRunning) this.#queue.beginNext();
  }

  /** The host stops: the running turn is cut off and says so, what waits is dropped. */
  interrupt(): void {
    this.#queue.drop();
    this.#context.turn?.interrupt(stopped);
  }

  /** The session is closed: everything is cancelled, and nobody waits for its end here. */
  abandon(by: Actor, reason: string): void {
    this.#queue.drop();
    this.#context.turn?.cancel(by, reason);
  }

  /** An agent that can takes the message into the running turn; for others it stays first in the queue (N760). */
  #steer({ id, message }: PendingMessage, prompt: Prompt): void {
    const { turn } = this.#context;
    const { ready } = this.#agent;
    if (turn?.isPrompting !== true || ready?.agent.canSteer !== true) return;
    const { agent, sessionId } = ready;
    const isTaken = agent.steer(sessionId, prompt(agent.info));
    const { text, request } = message;
    turn.steering = { id, text, request, requestId: agent.lastId };
    void this.#followSteering(turn, turn.steering, isTaken);
  }

  async #followSteering(turn: Turn, sent: SentSteering, isTaken: Promise<boolean>): Promise<void> {
    const wasTaken = await isTaken.catch((error: unknown) => {
      this.#context.warn(`The agent did not take a message into its turn: ${String(error)}`);
      return false;
    });
    if (turn.steering === sent) turn.steering = undefined;
    if (!wasTaken) return;
    const { id, text, request } = sent;
    // First, so that its removal does not mean that it was dropped (N871).
    turn.response.noteSteered(text, { id, ...(request !== undefined && { request }) });
    this.#queue.join(id, turn);
  }

  /** The sender of a message that somebody else edits recognizes it by its mark, and does not send it again. */
  #withMark({ id, message }: PendingMessage): Message {
    const before = pendingMessages(this.#context.chat.state).find((each) => each.id === id);
    const request = message.request ?? before?.message.request;
    return request === undefined ? message : { ...message, request };
  }

  get #isRunning(): boolean {
    return this.#context.turn?.isOver === false;
  }

  #checkIdle(): void {
    this.#context.checkOpen();
    this.#context.deps.hub.recording.require();
    this.#context.chat.load();
    if (this.isBusy) throw new HostError("ACP_TURN_ACTIVE");
  }

  #messagePrompt(message: Message): Prompt {
    requireStored(message);
    const prompt: Prompt = (info) => buildMessagePrompt(message, info);
    // A message that the agent cannot take is rejected now rather than in mid-turn, if that is known.
    if (this.#agent.ready !== undefined) prompt(this.#agent.ready.agent.info);
    return prompt;
  }

  #begin(opening: TurnOpening, prompt: Prompt): Turn {
    const context = this.#context;
    const { hub, watchers } = context.deps;
    this.#nameAfter(opening.message);
    this.#turnSeq = hub.lastSeq + 1;
    const turn = new Turn(context, opening, (id) => this.#services.findTerminal(id));
    context.turn = turn;
    context.touch();
    watchers.notify(context.state, { type: "turn_started", turnId: turn.id });
    const snapshot = context.changes.beginTurn(turn.id);
    void turn.run(
      async () => {
        // An agent has one prompt at a time, and the aborted turn's timer may still end its process.
        await this.#aborted?.catch(() => {});
        // It may have waited for an agent that did not start.
        context.checkStarted();
        const connected = await this.#agent.connect({ onContextLost: turn.onContextLost });
        await snapshot;
        return connected;
      },
      (agent) => prompt(agent.info),
    );
    void turn.ended.then((end) => this.#noteEnd(turn, end));
    return turn;
  }

  /** A turn that cannot be indexed now is indexed after the next start. */
  #index(turnId: TurnId): void {
    const { chat, deps } = this.#context;
    if (!deps.hub.recording.isStoring) return;
    try {
      const turn = chat.endedTurn(turnId);
      if (turn !== undefined) deps.search.put(chat.uri, turn);
    } catch (error) {
      this.#context.warn(`A turn could not be indexed for searches: ${String(error)}`);
    }
  }

  /** The first message names the session until the agent or a person does (N340). */
  #nameAfter({ text }: Message): void {
    const { state, entry } = this.#context;
    if (state.label !== undefined || state.title !== entry.label) return;
    const name = titleFrom(text);
    if (name !== "") this.#context.publish({ type: "session/titleChanged", title: name });
  }

  #noteEnd({ id: turnId, durationMs }: Turn, end: TurnEnd): void {
    const context = this.#context;
    const { watchers, installations, hub } = context.deps;
    // Commands that it left running become background work.
    if (context.ending === undefined) this.#services.turnEnded(turnId);
    context.changes.endTurn(turnId);
    this.#index(turnId);
    // A client that shows the session marks it as read again.
    if (context.state.isRead) context.publish({ type: "session/isReadChanged", isRead: false });
    watchers.notify(context.state, { type: "turn_done", turnId, end, durationMs });
    const needsSignIn = end.state === "failed" && end.error.remedy !== undefined;
    if (needsSignIn || end.state === "complete") installations.noteSignIn(context.entry.id, !needsSignIn);
    if (end.state === "failed") {
      context.publish({ type: "session/errorReported", error: end.error });
      watchers.notify(context.state, { type: "session_error", error: end.error });
    }
    context.touch();
    // Else `goOn` begins it.
    if (hub.recording.isStoring) this.#queue.beginNext();
  }
}

const maxTitleCharacters = 80;

/** The first line of a message that is not blank, cut to 80 characters; empty when there is none. */
function titleFrom(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "";
  const characters = Array.from(line.trim().replaceAll(/\s+/g, " "));
  return characters.length <= maxTitleCharacters
    ? characters.join("")
    : `${characters.slice(0, maxTitleCharacters - 1).join("")}…`;
}

// One session: its agent, its chat, its turns one at a time, and what it holds in the background.
import { randomUUID } from "node:crypto";
import {
  type Actor,
  type ApprovalPolicy,
  type ChatUri,
  type Message,
  type PendingMessage,
  type PendingMessageId,
  type RuntimeOptions,
  type SessionAction,
  type SessionKey,
  type SessionState,
  type SessionUri,
  type TurnEnd,
  type TurnId,
  makeId,
  turnParts,
} from "@holdfast/ahp";
import { type ChatRequest, HostError } from "@holdfast/protocol";
import { HeldTerminals } from "@holdfast/terminal/acp-parts";
import type { AcpInitializeResult } from "../agent/acp.ts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import type { Translated } from "../agent/session-updates.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import { IdleWatch } from "./idle-watch.ts";
import { buildMessagePrompt, buildPrompt, describeAttachments } from "./prompt.ts";
import type { ServiceContext } from "./service-context.ts";
import { type AgentOwner, type OnContextLost, SessionAgent } from "./session-agent.ts";
import { markRequest, type RepeatedRequest, SessionChat } from "./session-chat.ts";
import { SessionServices } from "./session-services.ts";
import { SessionSummaries } from "./session-summaries.ts";
import type { SessionTools } from "./session-tools.ts";
import { type PendingKind, TurnQueue } from "./turn-queue.ts";
import { Turn, type TurnOpening } from "./turn.ts";
import { checkWorkingDirectory } from "./working-directory.ts";

/** What names a session. */
export interface SessionNames {
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly chat: ChatUri;
  readonly entry: AgentEntry;
}

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

/** Makes the content blocks for an agent that has said what it takes. */
type Prompt = (info: AcpInitializeResult) => readonly object[];

/** The host stops: what a turn that was cut off says. */
const stopped = {
  code: "HOST_STOPPING",
  message: "The host was stopped in mid-turn. What was said so far is kept; send the message again to go on.",
  retryable: true,
} as const;

/** A session of the host. `close` ends its agent and everything it started. */
export class HostSession implements ServiceContext, AgentOwner {
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly chat: ChatUri;
  readonly entry: AgentEntry;
  readonly held = new HeldTerminals<HostTerminal>();
  readonly #tools: SessionTools;
  readonly #summaries: SessionSummaries;
  readonly services: SessionServices;
  readonly #agent: SessionAgent;
  readonly #queue: TurnQueue;
  readonly #chat: SessionChat;
  readonly #idle: IdleWatch;
  #turn: Turn | undefined;
  /** The number of the first action of the turn that began last. */
  #turnSeq = 0;
  #closing: Promise<void> | undefined;
  /** It ends because the host does, and stays. */
  #isSuspended = false;

  constructor(names: SessionNames, tools: SessionTools) {
    this.key = names.key;
    this.uri = names.uri;
    this.chat = names.chat;
    this.entry = names.entry;
    this.#tools = tools;
    this.#summaries = new SessionSummaries(tools.hub, names.uri, names.chat);
    this.services = new SessionServices(this);
    this.#agent = new SessionAgent(this, tools);
    this.#queue = new TurnQueue((action) => this.dispatch({ to: "chat", action }));
    this.#chat = new SessionChat(names.chat, tools.hub, tools.storage, () => this.#idle.touch());
    this.#idle = new IdleWatch({
      idleMs: tools.patience.idleMs,
      isBusy: async () => this.isBusy || (await this.held.hasRunning()),
      rest: () => this.#rest(),
      onFault: (error) => this.#tools.log("error", "A session could not rest", { session: this.key, error }),
    });
  }

  get hub(): SessionTools["hub"] {
    return this.#tools.hub;
  }

  get approvals(): SessionTools["approvals"] {
    return this.#tools.approvals;
  }

  get inputs(): SessionTools["inputs"] {
    return this.#tools.inputs;
  }

  get audit(): SessionTools["audit"] {
    return this.#tools.audit;
  }

  get terminals(): SessionTools["terminals"] {
    return this.#tools.terminals;
  }

  get turn(): Turn | undefined {
    return this.#turn;
  }

  /** The state of the session's channel. */
  get state(): SessionState {
    const state = this.hub.state(this.uri, "session");
    if (state === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    return state;
  }

  /** Its chat, in memory or not. */
  get conversation(): SessionChat {
    return this.#chat;
  }

  /** Whether a turn runs or waits. */
  get isBusy(): boolean {
    return (this.#turn !== undefined && !this.#turn.isOver) || !this.#queue.isEmpty;
  }

  /** Where a turn begins in the log, if it is the last one and this host began it: it may not be kept yet. */
  startOf(turnId: TurnId): number | undefined {
    return this.#turn?.id === turnId ? this.#turnSeq : undefined;
  }

  /** Whether its agent's process is there. */
  get hasAgent(): boolean {
    return this.#agent.ready !== undefined;
  }

  get policy(): ApprovalPolicy | undefined {
    return this.state.runtimeOptions.approvalPolicy;
  }

  /** Where the agent works: a session that was moved in mid-turn is elsewhere only from the next turn on. */
  get roots(): readonly string[] {
    return [this.state.backendCwd ?? this.cwd];
  }

  /** Whether anything was said before, in an earlier turn or in the one that goes on. */
  get hasHistory(): boolean {
    const { turns, activeTurn } = this.#chat.state;
    return turns.length > 0 || (activeTurn !== undefined && turnParts(activeTurn).length > 0);
  }

  get agentName(): string {
    return this.state.agent?.name ?? this.entry.id;
  }

  /** Where the agent and its commands run. */
  get cwd(): string {
    return this.state.runtimeOptions.cwd ?? "/";
  }

  now(): Date {
    return this.#tools.now();
  }

  warn(message: string): void {
    this.#tools.log("warn", message, { session: this.key });
  }

  /** Starts the agent for the first time; rejects, with nothing left behind, when it cannot. */
  async start(): Promise<void> {
    await this.#agent.connect();
    this.#idle.touch();
  }

  tell(action: SessionAction): void {
    this.dispatch({ to: "session", action });
    // What keeps a turn from its agent is told with the end of that turn.
    if (action.type === "session/stale" && action.cause === "agent-exited" && action.error !== undefined) {
      this.#tools.watchers.tell(this.state, { type: "session_error", error: action.error });
    }
  }

  /** Sends something to the chat or the session; summaries follow, but not for every piece of text. */
  readonly dispatch = ({ to, action }: Translated): void => {
    this.#turn?.flush();
    if (to === "chat") this.#chat.load();
    if (to === "session") this.hub.dispatch(this.uri, action);
    else this.hub.dispatch(this.chat, action);
    if (action.type !== "chat/delta" && action.type !== "chat/reasoning") this.#summaries.update();
  };

  /** Takes a message on: at once, or behind the running turn where that is asked for. */
  takeTurn(request: TurnRequest, isInteractive: boolean): TakenTurn {
    this.#checkOpen();
    this.#chat.load();
    const { idempotencyKey } = request;
    const mark = idempotencyKey === undefined ? undefined : markRequest(idempotencyKey, request);
    const repeated = mark && this.#chat.findRepeated(mark);
    if (repeated !== undefined) return this.#takeAgain(repeated);
    if (this.#agent.ready !== undefined) buildPrompt(request, this.#agent.ready.agent.info);
    const isBusy = this.#turn !== undefined && !this.#turn.isOver;
    if (isBusy && request.queue !== true) throw new HostError("ACP_TURN_ACTIVE");
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
    const begun =
      isBusy || !this.#queue.isEmpty ? this.#queue.push(turnId, message, begin) : Promise.resolve(begin());
    return { turnId, begun, isRepeated: false };
  }

  /** Begins a turn with a message of a client, under the name that the client gave it. */
  beginTurn(turnId: TurnId, message: Message): void {
    this.#checkIdle();
    const prompt = this.#messagePrompt(message);
    this.#begin({ turnId, message, queuedMessageId: undefined, isInteractive: true }, prompt);
  }

  /** Sends the message of the last turn again, which failed or was cut off: the turn goes on. */
  resumeTurn(turnId: TurnId): void {
    this.#checkIdle();
    const { message } = this.#chat.endedTurn(turnId) ?? {};
    if (message === undefined) throw new HostError("NOT_FOUND", "There is no such turn.");
    const opening = { turnId, message, queuedMessageId: undefined, isInteractive: true, isResumed: true };
    this.#begin(opening, this.#messagePrompt(message));
  }

  /** Lines up a message of a client, or changes it where it stands; where nothing runs, it is sent at once. */
  setPending(kind: PendingKind, pending: PendingMessage): void {
    this.#checkOpen();
    const { id, message } = pending;
    const prompt = this.#messagePrompt(message);
    const turnId = makeId("turn", id);
    this.#queue.set(kind, pending, (queuedMessageId) =>
      this.#begin({ turnId, message, queuedMessageId, isInteractive: true }, prompt),
    );
    if (this.#turn === undefined || this.#turn.isOver) this.#queue.beginNext();
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

  /** Cancels the running turn and what waits behind it. */
  async cancel(by: Actor, reason?: string): Promise<void> {
    this.#queue.drop();
    const turn = this.#turn;
    if (turn === undefined || turn.isOver) return;
    turn.cancel(by, reason);
    await turn.ended;
  }

  /**
   * Sets options from the next turn on; modes and the agent's own options are set now.
   * `tellChanges` is called to tell the options themselves, so that a client can know its own change again.
   */
  async patch(changes: RuntimeOptions, tellChanges = (tell: () => void): void => tell()): Promise<void> {
    this.#idle.touch();
    const { cwd, ...others } = changes;
    // First, so that nothing is half changed.
    if (cwd !== undefined) await checkWorkingDirectory(cwd);
    await this.#agent.change(others);
    const extras = others.extras && { ...this.state.runtimeOptions.extras, ...others.extras };
    // Before the move, which takes a moment: a turn that begins in it must know what was set.
    tellChanges(() =>
      this.tell({
        type: "session/runtimeOptionsChanged",
        changes: { ...others, ...(extras !== undefined && { extras }) },
      }),
    );
    if (cwd !== undefined) await this.#agent.moveTo(cwd);
  }

  /** Ends the turn, the agent and everything the session started. Idempotent. */
  close(by: Actor, reason?: string): Promise<void> {
    this.#closing ??= this.#closeNow(by, reason);
    return this.#closing;
  }

  /** The host stops: everything ends as with `close`, but the session stays, and the next host takes it up. */
  suspend(): Promise<void> {
    this.#isSuspended ||= this.#closing === undefined;
    this.#closing ??= this.#suspendNow();
    return this.#closing;
  }

  async #suspendNow(): Promise<void> {
    this.#queue.drop();
    this.#turn?.interrupt(stopped);
    await this.#endAll();
    this.tell({ type: "session/stale", at: this.now().toISOString(), cause: "host-restarted" });
  }

  async #endAll(): Promise<void> {
    this.#idle.close();
    await Promise.all([this.#agent.close(), this.held.close()]);
    // What was being started meanwhile.
    await this.services.settled();
    await this.held.close();
    await this.terminals.endClaimedBy(this.uri);
    await this.#turn?.ended;
  }

  /** Nobody has used the session for long: what can be brought back is let go. */
  async #rest(): Promise<void> {
    await this.#agent.evict();
    await this.hub.settled();
    // Somebody may have come meanwhile.
    if (this.isBusy || this.#closing !== undefined) return;
    this.hub.forgetLog(this.uri);
    if (!this.#chat.rest()) this.#idle.touch();
  }

  #takeAgain({ turnId, place }: RepeatedRequest): TakenTurn {
    const begun =
      place === "waiting"
        ? this.#queue.find(turnId)
        : Promise.resolve(place === "running" ? this.#turn : undefined);
    return { turnId, begun, isRepeated: true };
  }

  async #closeNow(by: Actor, reason?: string): Promise<void> {
    this.#chat.load();
    this.#queue.drop();
    this.#turn?.cancel(by, reason ?? "The session was closed.");
    this.services.letGoTaken();
    await this.#endAll();
    this.tell({
      type: "session/closed",
      at: this.now().toISOString(),
      by,
      ...(reason !== undefined && { reason }),
    });
  }

  #checkOpen(): void {
    if (this.#isSuspended) throw new HostError("HOST_STOPPING");
    if (this.#closing !== undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
  }

  #checkIdle(): void {
    this.#checkOpen();
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
    const { timeoutSeconds } = this.state.runtimeOptions;
    this.#turnSeq = this.hub.lastSeq + 1;
    const turn = new Turn({
      ...opening,
      timeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
      patience: this.#tools.patience,
      context: { terminal: (id) => this.held.display(id) },
      dispatch: this.dispatch,
      now: () => this.now(),
      redact: this.#tools.redact,
      cancelQuestions: (by) => {
        this.approvals.cancelTurn(turnId, by);
        this.inputs.cancelTurn(turnId, by);
      },
    });
    this.#turn = turn;
    this.#idle.touch();
    this.#tools.watchers.tell(this.state, { type: "turn_started", turnId });
    void turn.run(
      () => this.#agent.connect({ onContextLost }),
      (agent) => prompt(agent.info),
    );
    void turn.ended.then((end) => this.#noteEnd(turn, end));
    return turn;
  }

  #noteEnd({ id: turnId, durationMs }: Turn, end: TurnEnd): void {
    const { watchers } = this.#tools;
    if (this.#closing === undefined) this.services.turnEnded(turnId);
    watchers.tell(this.state, { type: "turn_done", turnId, end, durationMs });
    if (end.state === "failed") {
      this.tell({ type: "session/errorReported", error: end.error });
      watchers.tell(this.state, { type: "session_error", error: end.error });
    }
    this.#idle.touch();
    this.#queue.beginNext();
  }
}

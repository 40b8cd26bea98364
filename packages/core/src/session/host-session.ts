// One session: its agent, its chat, its turns one at a time, and what it holds in the background.
import { randomUUID } from "node:crypto";
import {
  type Actor,
  type ApprovalPolicy,
  type ChatUri,
  type Message,
  type PendingMessageId,
  type RuntimeOptions,
  type SessionAction,
  type SessionKey,
  type SessionState,
  type SessionUri,
  type TurnEnd,
  type TurnId,
  makeId,
} from "@holdfast/ahp";
import { type ChatRequest, HostError } from "@holdfast/protocol";
import { HeldTerminals } from "@holdfast/terminal/acp-parts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import type { Translated } from "../agent/session-updates.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import { IdleWatch } from "./idle-watch.ts";
import { buildPrompt, describeAttachments } from "./prompt.ts";
import type { ServiceContext } from "./service-context.ts";
import { type AgentOwner, SessionAgent } from "./session-agent.ts";
import { markRequest, type RepeatedRequest, SessionChat } from "./session-chat.ts";
import { SessionServices } from "./session-services.ts";
import { SessionSummaries } from "./session-summaries.ts";
import type { SessionTools } from "./session-tools.ts";
import { TurnQueue } from "./turn-queue.ts";
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
    this.#chat = new SessionChat(names.chat, tools.hub, tools.storage);
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

  get roots(): readonly string[] {
    return [this.cwd];
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
    if (this.#closing !== undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
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
    const begin = (queuedMessageId?: PendingMessageId): Turn =>
      this.#begin({ turnId, message, queuedMessageId, isInteractive }, request);
    const begun =
      isBusy || !this.#queue.isEmpty ? this.#queue.push(turnId, message, begin) : Promise.resolve(begin());
    return { turnId, begun, isRepeated: false };
  }

  /** Cancels the running turn and what waits behind it. */
  async cancel(by: Actor, reason?: string): Promise<void> {
    this.#queue.drop();
    const turn = this.#turn;
    if (turn === undefined || turn.isOver) return;
    turn.cancel(by, reason);
    await turn.ended;
  }

  /** Sets options from the next turn on; modes and the agent's own options are set now. */
  async patch(changes: RuntimeOptions): Promise<void> {
    this.#idle.touch();
    const { cwd, extras } = changes;
    // First, so that nothing is half changed.
    if (cwd !== undefined) await checkWorkingDirectory(cwd);
    await this.#agent.change(changes);
    if (cwd !== undefined) await this.#agent.moveTo(cwd);
    const all = extras && { ...this.state.runtimeOptions.extras, ...extras };
    this.tell({
      type: "session/runtimeOptionsChanged",
      changes: { ...changes, ...(all !== undefined && { extras: all }) },
    });
  }

  /** Ends the turn, the agent and everything the session started. Idempotent. */
  close(by: Actor, reason?: string): Promise<void> {
    this.#closing ??= this.#closeNow(by, reason);
    return this.#closing;
  }

  /** The host stops: everything ends as with `close`, but the session stays, and the next host takes it up. */
  suspend(): Promise<void> {
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
    await this.#turn?.ended;
  }

  /** Nobody has used the session for long: what can be brought back is let go. */
  async #rest(): Promise<void> {
    await this.#agent.evict();
    if (this.isBusy) return;
    await this.hub.settled();
    this.#chat.rest();
    this.hub.forgetLog(this.uri);
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
    await this.#endAll();
    this.tell({
      type: "session/closed",
      at: this.now().toISOString(),
      by,
      ...(reason !== undefined && { reason }),
    });
  }

  #begin(opening: TurnOpening, request: ChatRequest): Turn {
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
      cancelQuestions: (by) => {
        this.approvals.cancelTurn(turnId, by);
        this.inputs.cancelTurn(turnId, by);
      },
    });
    this.#turn = turn;
    this.#idle.touch();
    this.#tools.watchers.tell(this.state, { type: "turn_started", turnId });
    void turn.run(
      () => this.#agent.connect({ onContextLost: request.onContextLost ?? "continue" }),
      (agent) => buildPrompt(request, agent.info),
    );
    void turn.ended.then((end) => this.#noteEnd(turn, end));
    return turn;
  }

  #noteEnd({ id: turnId, durationMs }: Turn, end: TurnEnd): void {
    const { watchers } = this.#tools;
    watchers.tell(this.state, { type: "turn_done", turnId, end, durationMs });
    if (end.state === "failed") {
      this.tell({ type: "session/errorReported", error: end.error });
      watchers.tell(this.state, { type: "session_error", error: end.error });
    }
    this.#idle.touch();
    this.#queue.beginNext();
  }
}

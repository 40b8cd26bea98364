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
  type TurnId,
  makeId,
} from "@holdfast/ahp";
import { type ChatRequest, HostError } from "@holdfast/protocol";
import { HeldTerminals } from "@holdfast/terminal/acp-parts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import type { Translated } from "../agent/session-updates.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import { buildPrompt } from "./prompt.ts";
import type { ServiceContext } from "./service-context.ts";
import { type AgentOwner, SessionAgent } from "./session-agent.ts";
import { SessionServices } from "./session-services.ts";
import { SessionSummaries } from "./session-summaries.ts";
import type { SessionTools } from "./session-tools.ts";
import { TurnQueue } from "./turn-queue.ts";
import { Turn, type TurnOpening } from "./turn.ts";

/** What names a session. */
export interface SessionNames {
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly chat: ChatUri;
  readonly entry: AgentEntry;
}

/** A turn that was taken on. */
export interface TakenTurn {
  readonly turnId: TurnId;
  /** The turn itself, as soon as it has begun; undefined when it was dropped before. */
  readonly begun: Promise<Turn | undefined>;
}

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
  #turn: Turn | undefined;
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

  get policy(): ApprovalPolicy | undefined {
    return this.state.runtimeOptions.approvalPolicy;
  }

  get roots(): readonly string[] {
    return [this.cwd];
  }

  get isReplaying(): boolean {
    return this.#agent.isReplaying;
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
  }

  tell(action: SessionAction): void {
    this.dispatch({ to: "session", action });
  }

  /** Sends something to the chat or the session; summaries follow, but not for every piece of text. */
  readonly dispatch = ({ to, action }: Translated): void => {
    this.#turn?.flush();
    if (to === "session") this.hub.dispatch(this.uri, action);
    else this.hub.dispatch(this.chat, action);
    if (action.type !== "chat/delta" && action.type !== "chat/reasoning") this.#summaries.update();
  };

  /** Takes a message on: at once, or behind the running turn where that is asked for. */
  takeTurn(request: ChatRequest, isInteractive: boolean): TakenTurn {
    if (this.#closing !== undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    if (this.#agent.ready !== undefined) buildPrompt(request, this.#agent.ready.agent.info);
    const isBusy = this.#turn !== undefined && !this.#turn.isOver;
    if (isBusy && request.queue !== true) throw new HostError("ACP_TURN_ACTIVE");
    const turnId = makeId("turn", randomUUID());
    const message: Message = { text: request.message, origin: { kind: "user" } };
    const begin = (queuedMessageId?: PendingMessageId): Turn =>
      this.#begin({ turnId, message, queuedMessageId, isInteractive }, request);
    const begun =
      isBusy || !this.#queue.isEmpty ? this.#queue.push(turnId, message, begin) : Promise.resolve(begin());
    return { turnId, begun };
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
    const { runtimeMode, extras } = changes;
    const { ready } = this.#agent;
    if (ready !== undefined && runtimeMode !== undefined) await this.#agent.setMode(ready, runtimeMode);
    if (ready !== undefined) {
      for (const [id, value] of Object.entries(extras ?? {})) await this.#agent.setOption(ready, id, value);
    }
    this.tell({ type: "session/runtimeOptionsChanged", changes });
  }

  /** Ends the turn, the agent and everything the session started. Idempotent. */
  close(by: Actor, reason?: string): Promise<void> {
    this.#closing ??= this.#closeNow(by, reason);
    return this.#closing;
  }

  async #closeNow(by: Actor, reason?: string): Promise<void> {
    this.#queue.drop();
    this.#turn?.cancel(by, reason ?? "The session was closed.");
    await Promise.all([this.#agent.close(), this.held.close()]);
    // What was being started meanwhile.
    await this.services.settled();
    await this.held.close();
    await this.#turn?.ended;
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
    void turn.run(
      () => this.#agent.connect(),
      (agent) => buildPrompt(request, agent.info),
    );
    void turn.ended.then((end) => {
      if (end.state === "failed") this.tell({ type: "session/errorReported", error: end.error });
      this.#queue.beginNext();
    });
    return turn;
  }
}

// One session: its agent, its chat, its turns one at a time, and what it holds in the background.
import { randomUUID } from "node:crypto";
import {
  type Actor,
  type ApprovalPolicy,
  type ChatUri,
  type ConnectedAgent,
  type RuntimeOptions,
  type SessionKey,
  type SessionState,
  type SessionUri,
  type StaleCause,
  type TurnId,
  makeId,
} from "@holdfast/ahp";
import { type ChatRequest, HostError } from "@holdfast/protocol";
import { HeldTerminals } from "@holdfast/terminal/acp-parts";
import type { AcpSessionResult, AcpUpdate } from "../agent/acp.ts";
import { AgentConnection } from "../agent/agent-connection.ts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import { type Translated, readConfigOptions, readModes, translateOutsideTurn } from "../agent/update-actions.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import { buildLaunch } from "./agent-launch.ts";
import { buildPrompt } from "./prompt.ts";
import type { ServiceContext } from "./service-context.ts";
import { SessionServices } from "./session-services.ts";
import { SessionSummaries } from "./session-summaries.ts";
import type { SessionTools } from "./session-tools.ts";
import { Turn } from "./turn.ts";

/** Turns that may wait behind the running one. */
const maxQueued = 16;

/** What names a session. */
export interface SessionNames {
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly chat: ChatUri;
  readonly entry: AgentEntry;
}

type AgentState =
  | { readonly name: "none" }
  | { readonly name: "starting"; readonly started: Promise<ReadyAgent> }
  | ({ readonly name: "ready" } & ReadyAgent);

interface ReadyAgent {
  readonly agent: AgentConnection;
  readonly sessionId: string;
}

/** A turn that was taken on. */
export interface TakenTurn {
  readonly turnId: TurnId;
  /** The turn itself, as soon as it has begun. */
  readonly begun: Promise<Turn>;
}

interface WaitingTurn {
  readonly turnId: TurnId;
  readonly begin: () => void;
}

/** A session of the host. `close` ends its agent and everything it started. */
export class HostSession implements ServiceContext {
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly chat: ChatUri;
  readonly entry: AgentEntry;
  readonly held = new HeldTerminals<HostTerminal>();
  readonly #tools: SessionTools;
  readonly #summaries: SessionSummaries;
  readonly #services: SessionServices;
  #agent: AgentState = { name: "none" };
  #turn: Turn | undefined;
  #waiting: WaitingTurn[] = [];
  #isReplaying = false;
  #closing: Promise<void> | undefined;

  constructor(names: SessionNames, tools: SessionTools) {
    this.key = names.key;
    this.uri = names.uri;
    this.chat = names.chat;
    this.entry = names.entry;
    this.#tools = tools;
    this.#summaries = new SessionSummaries(tools.hub, names.uri, names.chat);
    this.#services = new SessionServices(this);
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
    return [this.#cwd];
  }

  get agentName(): string {
    return this.#agent.name === "ready" ? (this.#agent.agent.info.agentInfo?.name ?? this.entry.id) : this.entry.id;
  }

  get #cwd(): string {
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
    await this.#connect();
  }

  /** Sends something to the chat or the session; summaries follow, but not for every piece of text. */
  readonly dispatch = ({ to, action }: Translated): void => {
    if (to === "session") this.hub.dispatch(this.uri, action);
    else this.hub.dispatch(this.chat, action);
    if (action.type !== "chat/delta" && action.type !== "chat/reasoning") this.#summaries.update();
  };

  /** Takes a message on: at once, or behind the running turn where that is asked for. */
  takeTurn(request: ChatRequest, isInteractive: boolean): TakenTurn {
    if (this.#closing !== undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    if (this.#agent.name === "ready") buildPrompt(request, this.#agent.agent.info);
    const isBusy = this.#turn !== undefined && !this.#turn.isOver;
    if (isBusy && request.queue !== true) throw new HostError("ACP_TURN_ACTIVE");
    if (this.#waiting.length >= maxQueued) throw new HostError("ACP_QUEUE_FULL");
    const turnId = makeId("turn", randomUUID());
    if (!isBusy && this.#waiting.length === 0) return { turnId, begun: Promise.resolve(this.#begin(turnId, request, isInteractive)) };
    const begun = new Promise<Turn>((resolve) => {
      this.#waiting.push({ turnId, begin: () => resolve(this.#begin(turnId, request, isInteractive)) });
    });
    return { turnId, begun };
  }

  /** Cancels the running turn and what waits behind it. */
  async cancel(by: Actor, reason?: string): Promise<void> {
    this.#waiting = [];
    const turn = this.#turn;
    if (turn === undefined || turn.isOver) return;
    turn.cancel(by, reason);
    await turn.ended;
  }

  /** Sets options from the next turn on; modes and the agent's own options are set now. */
  async patch(changes: RuntimeOptions): Promise<void> {
    const { runtimeMode, extras } = changes;
    const ready = this.#agent.name === "ready" ? this.#agent : undefined;
    if (ready !== undefined && runtimeMode !== undefined) await this.#setMode(ready, runtimeMode);
    if (ready !== undefined) for (const [id, value] of Object.entries(extras ?? {})) await this.#setOption(ready, id, value);
    this.dispatch({ to: "session", action: { type: "session/runtimeOptionsChanged", changes } });
  }

  /** Ends the turn, the agent and everything the session started. Idempotent. */
  close(by: Actor, reason?: string): Promise<void> {
    this.#closing ??= this.#closeNow(by, reason);
    return this.#closing;
  }

  async #closeNow(by: Actor, reason?: string): Promise<void> {
    this.#waiting = [];
    this.#turn?.cancel(by, reason ?? "The session was closed.");
    const agent = this.#agent.name === "ready" ? this.#agent.agent : undefined;
    if (this.#agent.name === "starting") await this.#agent.started.then(({ agent: late }) => late.close()).catch(() => {});
    await Promise.all([agent?.close(), this.held.close()]);
    await this.#turn?.ended;
    this.dispatch({ to: "session", action: { type: "session/closed", at: this.now().toISOString(), by, ...(reason !== undefined && { reason }) } });
  }

  #begin(turnId: TurnId, request: ChatRequest, isInteractive: boolean): Turn {
    const { timeoutSeconds } = this.state.runtimeOptions;
    const turn = new Turn({
      turnId,
      message: { text: request.message, origin: { kind: "user" } },
      isInteractive,
      timeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
      context: { terminal: (id) => this.held.display(id) },
      dispatch: this.dispatch,
      now: () => this.now(),
      cancelQuestions: (by) => {
        this.approvals.cancelTurn(turnId, by);
        this.inputs.cancelTurn(turnId, by);
      },
    });
    this.#turn = turn;
    void turn.run(() => this.#connect(), (agent) => buildPrompt(request, agent.info));
    void turn.ended.then((end) => {
      if (end.state === "failed") this.dispatch({ to: "session", action: { type: "session/errorReported", error: end.error } });
      this.#waiting.shift()?.begin();
    });
    return turn;
  }

  /** The agent, brought back if it is gone. */
  #connect(): Promise<ReadyAgent> {
    if (this.#agent.name === "ready") return Promise.resolve(this.#agent);
    if (this.#agent.name === "starting") return this.#agent.started;
    const started = this.#startAgent();
    this.#agent = { name: "starting", started };
    return started;
  }

  async #startAgent(): Promise<ReadyAgent> {
    const known = this.state.backendId;
    if (known !== undefined) this.dispatch({ to: "session", action: { type: "session/resuming" } });
    let agent: AgentConnection | undefined;
    try {
      const { keeper, installations } = this.#tools;
      const launch = await buildLaunch(keeper, installations, { entry: this.entry, cwd: this.#cwd, model: this.state.runtimeOptions.model, variables: this.#tools.agentVariables(this.entry) });
      agent = await AgentConnection.start(keeper, launch, this.#receiving());
      const ready = await this.#openSession(agent, known);
      this.#agent = { name: "ready", ...ready };
      void agent.exited.then((exit) => this.#noteExit(ready.agent, exit.stderrTail));
      return ready;
    } catch (error) {
      await agent?.close();
      this.#agent = { name: "none" };
      if (known !== undefined) this.#markStale("resume-failed");
      throw error instanceof HostError ? error : new HostError("ACP_SESSION_INIT_FAILED", `${this.entry.label} could not be started: ${explain(error)}`, { cause: error });
    }
  }

  /** Updates outside a turn are kept too; those that replay what we know are not. */
  #receiving(): SessionServices {
    const services = this.#services;
    services.update = (update: AcpUpdate): void => {
      if (this.#isReplaying) return;
      if (this.#turn !== undefined) this.#turn.update(update);
      else for (const translated of translateOutsideTurn(update)) this.dispatch(translated);
    };
    return services;
  }

  async #openSession(agent: AgentConnection, known: string | undefined): Promise<ReadyAgent> {
    const result = known === undefined ? undefined : await this.#reopen(agent, known);
    const opened = result ?? (await agent.newSession(this.#cwd));
    const sessionId = opened.sessionId ?? known ?? "";
    if (known !== undefined && result === undefined) {
      this.dispatch({ to: "session", action: { type: "session/contextLost", at: this.now().toISOString(), reason: "The agent came back without its memory of the turns before." } });
    }
    this.dispatch({ to: "session", action: { type: "session/ready", at: this.now().toISOString(), backendId: sessionId, agent: describeAgent(agent) } });
    if (opened.modes !== undefined && opened.modes !== null) this.dispatch({ to: "session", action: { type: "session/modesChanged", modes: readModes(opened.modes) } });
    if (opened.configOptions !== undefined && opened.configOptions !== null) {
      this.dispatch({ to: "session", action: { type: "session/configOptionsChanged", configOptions: readConfigOptions(opened.configOptions) } });
    }
    await this.#applyOptions({ agent, sessionId });
    return { agent, sessionId };
  }

  /** Brings the agent's own session back; undefined when it is gone, for whatever reason it gives. */
  async #reopen(agent: AgentConnection, known: string): Promise<AcpSessionResult | undefined> {
    const { agentCapabilities } = agent.info;
    const method = agentCapabilities?.sessionCapabilities?.resume !== undefined ? "session/resume" : agentCapabilities?.loadSession === true ? "session/load" : undefined;
    if (method === undefined) return undefined;
    this.#isReplaying = true;
    try {
      return { sessionId: known, ...(await agent.reopenSession(method, known, this.#cwd)) };
    } catch (error) {
      this.warn(`${method} failed: ${explain(error)}`);
      return undefined;
    } finally {
      this.#isReplaying = false;
    }
  }

  async #applyOptions(ready: ReadyAgent): Promise<void> {
    const { model, runtimeMode, extras } = this.state.runtimeOptions;
    const choice = this.entry.model[0];
    if (model !== undefined && choice?.by === "configOption") await this.#setOption(ready, choice.id, model);
    if (runtimeMode !== undefined) await this.#setMode(ready, runtimeMode);
    for (const [id, value] of Object.entries(extras ?? {})) await this.#setOption(ready, id, value);
  }

  async #setMode({ agent, sessionId }: ReadyAgent, mode: string): Promise<void> {
    const option = this.state.configOptions.find((candidate) => candidate.category === "mode");
    if (option !== undefined) return this.#setOption({ agent, sessionId }, option.id, mode);
    if (this.state.modes?.available.some(({ id }) => id === mode) !== true) {
      throw new HostError("ACP_INVALID_OPTION", `runtimeMode: this agent has no mode '${mode}'. It has: ${this.state.modes?.available.map(({ id }) => id).join(", ") ?? "none"}.`);
    }
    await agent.setMode(sessionId, mode);
    this.dispatch({ to: "session", action: { type: "session/modeChanged", modeId: mode } });
  }

  async #setOption({ agent, sessionId }: ReadyAgent, id: string, value: string): Promise<void> {
    const option = this.state.configOptions.find((candidate) => candidate.id === id);
    if (option === undefined) {
      throw new HostError("ACP_INVALID_OPTION", `extras: this agent has no option '${id}'. It has: ${this.state.configOptions.map((known) => known.id).join(", ") || "none"}.`);
    }
    if (option.type === "select" && !option.choices.some((choice) => choice.value === value)) {
      throw new HostError("ACP_INVALID_OPTION", `${id} cannot be '${value}'. It can be: ${option.choices.map((choice) => choice.value).join(", ")}.`);
    }
    const { configOptions } = await agent.setConfigOption(sessionId, id, option.type === "boolean" ? value === "true" : value);
    if (configOptions !== undefined && configOptions !== null) {
      this.dispatch({ to: "session", action: { type: "session/configOptionsChanged", configOptions: readConfigOptions(configOptions) } });
    }
  }

  /** The process is gone; the session stays, and the next turn brings an agent back. */
  #noteExit(agent: AgentConnection, stderrTail: readonly string[]): void {
    if (this.#agent.name !== "ready" || this.#agent.agent !== agent) return;
    this.#agent = { name: "none" };
    void agent.close();
    if (this.#closing === undefined) this.#markStale("agent-exited", stderrTail);
  }

  #markStale(cause: StaleCause, stderrTail: readonly string[] = []): void {
    const error = { code: "ACP_AGENT_EXITED", message: "The agent's process ended.", stderrTail };
    this.dispatch({ to: "session", action: { type: "session/stale", at: this.now().toISOString(), cause, error } });
  }
}

function describeAgent({ info }: AgentConnection): ConnectedAgent {
  const { agentInfo, agentCapabilities } = info;
  const prompt = agentCapabilities?.promptCapabilities ?? {};
  const accepts = (["image", "audio", "embeddedContext"] as const).filter((kind) => prompt[kind] === true);
  const resume = agentCapabilities?.sessionCapabilities?.resume !== undefined ? "resume" : agentCapabilities?.loadSession === true ? "load" : "none";
  return { name: agentInfo?.name ?? "agent", resume, accepts, ...(agentInfo?.version !== undefined && { version: agentInfo.version }) };
}

function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// One session: its agent, its chat, its turns, and what it holds in the background.
import {
  type Actor,
  type ApprovalPolicy,
  type ChatUri,
  type RuntimeOptions,
  type SessionAction,
  type SessionKey,
  type SessionState,
  type SessionUri,
  type TurnId,
  turnParts,
} from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import { HeldTerminals } from "@holdfast/terminal/acp-parts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import type { Translated } from "../agent/session-updates.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import { IdleWatch } from "./idle-watch.ts";
import type { ServiceContext } from "./service-context.ts";
import { type AgentOwner, SessionAgent } from "./session-agent.ts";
import { SessionChat } from "./session-chat.ts";
import { SessionServices } from "./session-services.ts";
import { SessionSummaries } from "./session-summaries.ts";
import type { SessionTools } from "./session-tools.ts";
import { SessionTurns, type TurnsOwner } from "./session-turns.ts";
import type { Turn, TurnParts } from "./turn.ts";
import { checkWorkingDirectory } from "./working-directory.ts";

/** What names a session. */
export interface SessionNames {
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly chat: ChatUri;
  readonly entry: AgentEntry;
}

/** A session of the host. `close` ends its agent and everything it started. */
export class HostSession implements ServiceContext, AgentOwner, TurnsOwner {
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly chat: ChatUri;
  readonly entry: AgentEntry;
  readonly held = new HeldTerminals<HostTerminal>();
  readonly #tools: SessionTools;
  readonly #summaries: SessionSummaries;
  readonly services: SessionServices;
  readonly #agent: SessionAgent;
  readonly turns: SessionTurns;
  readonly #chat: SessionChat;
  readonly #idle: IdleWatch;
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
    this.#chat = new SessionChat(names.chat, tools.hub, tools.storage, () => this.#idle.touch());
    this.turns = new SessionTurns(this, tools, this.#agent, this.#chat);
    this.#idle = new IdleWatch({
      idleMs: tools.patience.idleMs,
      isBusy: async () => this.turns.isBusy || (await this.held.hasRunning()),
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
    return this.turns.last;
  }

  get updateContext(): TurnParts["context"] {
    return { terminal: (id) => this.held.display(id) ?? this.services.displayed.find(id) };
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

  /** Where the agent and its commands run. */
  get cwd(): string {
    return this.state.runtimeOptions.cwd ?? "/";
  }

  now(): Date {
    return this.#tools.now();
  }

  touch(): void {
    this.#idle.touch();
  }

  turnEnded(turnId: TurnId): void {
    if (this.#closing === undefined) this.services.turnEnded(turnId);
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
    this.turns.last?.flush();
    if (to === "chat") this.#chat.load();
    if (to === "session") this.hub.dispatch(this.uri, action);
    else this.hub.dispatch(this.chat, action);
    if (action.type !== "chat/delta" && action.type !== "chat/reasoning") this.#summaries.update();
  };

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
    this.turns.interrupt();
    await this.#endAll();
    this.tell({ type: "session/stale", at: this.now().toISOString(), cause: "host-restarted" });
  }

  async #endAll(): Promise<void> {
    this.#idle.close();
    await Promise.all([this.#agent.close(), this.held.close()]);
    // What was being started meanwhile.
    await this.services.settled();
    await Promise.all([this.held.close(), this.services.displayed.close()]);
    await this.terminals.endClaimedBy(this.uri);
    await this.turns.last?.ended;
  }

  /** Nobody has used the session for long: what can be brought back is let go. */
  async #rest(): Promise<void> {
    await this.#agent.evict();
    await this.hub.settled();
    // Somebody may have come meanwhile.
    if (this.turns.isBusy || this.#closing !== undefined) return;
    this.hub.forgetLog(this.uri);
    if (!this.#chat.rest()) this.#idle.touch();
  }

  async #closeNow(by: Actor, reason?: string): Promise<void> {
    this.#chat.load();
    this.turns.abandon(by, reason ?? "The session was closed.");
    this.services.letGoTaken();
    await this.#endAll();
    this.tell({
      type: "session/closed",
      at: this.now().toISOString(),
      by,
      ...(reason !== undefined && { reason }),
    });
  }

  /** Throws when the session takes nothing on any more. */
  checkOpen(): void {
    if (this.#isSuspended) throw new HostError("HOST_STOPPING");
    if (this.#closing !== undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
  }
}

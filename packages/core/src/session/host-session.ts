// One session: its agent, its chat, its turns, and what it holds in the background.
import type {
  ActiveTurn,
  Actor,
  ApprovalPolicy,
  ChatAction,
  ChatUri,
  Message,
  RuntimeOptions,
  SessionAction,
  SessionKey,
  SessionState,
  SessionUri,
  TurnId,
} from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import { HeldTerminals } from "@holdfast/terminal/acp-parts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import { describeProcesses } from "../agent/background-processes.ts";
import type { Translated } from "../agent/session-updates.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import { CommandCalls } from "./command-calls.ts";
import { IdleWatch } from "./idle-watch.ts";
import type { ServiceContext } from "./service-context.ts";
import { type AgentOwner, SessionAgent } from "./session-agent.ts";
import { SessionChat } from "./session-chat.ts";
import { SessionServices } from "./session-services.ts";
import { SessionSummaries } from "./session-summaries.ts";
import type { SessionDeps } from "./session-deps.ts";
import { SessionTurns, type TurnsOwner } from "./session-turns.ts";
import type { Turn, TurnParts } from "./turn.ts";
import { TurnText } from "./turn-text.ts";
import { checkWorkingDirectory } from "../resource/files.ts";

/** The names of a session. */
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
  readonly commandCalls = new CommandCalls();
  readonly #deps: SessionDeps;
  readonly #turnText: TurnText;
  readonly #summaries: SessionSummaries;
  readonly services: SessionServices;
  readonly #agent: SessionAgent;
  readonly turns: SessionTurns;
  readonly #chat: SessionChat;
  readonly #idle: IdleWatch;
  #closing: Promise<void> | undefined;
  /** It ends because the host does, and stays. */
  #isSuspended = false;

  constructor(names: SessionNames, deps: SessionDeps) {
    this.key = names.key;
    this.uri = names.uri;
    this.chat = names.chat;
    this.entry = names.entry;
    this.#deps = deps;
    this.#turnText = new TurnText(deps.turnTextBytes);
    this.#summaries = new SessionSummaries(deps.hub, names.uri, names.chat);
    this.services = new SessionServices(this);
    this.#agent = new SessionAgent(this, deps);
    this.#chat = new SessionChat(names.chat, deps.hub, deps.storage, () => this.#idle.touch());
    this.turns = new SessionTurns(this, deps, this.#agent, this.#chat);
    this.#idle = new IdleWatch({
      idleMs: deps.timeouts.idleMs,
      isBusy: async () =>
        this.turns.isBusy || (await this.held.hasRunning()) || (await this.#hasBackground()),
      unload: () => this.#unload(),
      onFault: (error) =>
        this.#deps.log("error", "An idle session could not be unloaded", { session: this.key, error }),
    });
  }

  get hub(): SessionDeps["hub"] {
    return this.#deps.hub;
  }

  get approvals(): SessionDeps["approvals"] {
    return this.#deps.approvals;
  }

  get inputs(): SessionDeps["inputs"] {
    return this.#deps.inputs;
  }

  get audit(): SessionDeps["audit"] {
    return this.#deps.audit;
  }

  get terminals(): SessionDeps["terminals"] {
    return this.#deps.terminals;
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

  /** Whether there is any history, in an earlier turn or in the current one. */
  get hasHistory(): boolean {
    const { turns, activeTurn } = this.#chat.state;
    if (turns.length > 0 || activeTurn === undefined) return turns.length > 0;
    return activeTurn.openPart !== undefined || activeTurn.responseParts.length > 0;
  }

  /** Where the agent and its commands run. */
  get cwd(): string {
    return this.state.runtimeOptions.cwd ?? "/";
  }

  now(): Date {
    return this.#deps.now();
  }

  touch(): void {
    this.#idle.touch();
  }

  /** The first message names the session until the agent or a person does (N340). */
  nameAfter({ text }: Message): void {
    const { label, title } = this.state;
    if (label !== undefined || title !== this.entry.label) return;
    const name = titleFrom(text);
    if (name !== "") this.publish({ type: "session/titleChanged", title: name });
  }

  turnEnded(turnId: TurnId): void {
    if (this.#closing === undefined) this.services.turnEnded(turnId);
  }

  warn(message: string): void {
    this.#deps.log("warn", message, { session: this.key });
  }

  /** Starts the agent for the first time; rejects, with nothing left behind, when it cannot. */
  async start(): Promise<void> {
    await this.#agent.connect();
    this.#idle.touch();
  }

  publish(action: SessionAction): void {
    this.dispatch({ to: "session", action });
    // An agent that could not be reached is reported with the end of its turn.
    if (action.type === "session/stale" && action.cause === "agent-exited" && action.error !== undefined) {
      this.#deps.watchers.notify(this.state, { type: "session_error", error: action.error });
    }
  }

  /** Sends something to the chat or the session; summaries follow, but not for every piece of text. */
  readonly dispatch = ({ to, action }: Translated, origin?: ActionOrigin): LogEntry | undefined => {
    this.turns.last?.flush();
    if (to === "chat") this.#chat.load();
    const entry = this.hub.dispatch(to === "chat" ? this.chat : this.uri, action, origin);
    if (to === "chat") {
      this.commandCalls.note(action);
      this.#boundText(action);
      if (turnEnds.has(action.type)) this.#chat.boundTurns();
    }
    if (action.type !== "chat/delta" && action.type !== "chat/reasoning") this.#summaries.update();
    return entry;
  };

  #boundText(action: ChatAction): void {
    const activeTurn = (): ActiveTurn | undefined => this.hub.state(this.chat, "chat")?.activeTurn;
    this.#turnText.note(action, activeTurn);
    const turnId = this.#turnText.isAboveLimit ? activeTurn()?.id : undefined;
    if (turnId === undefined) return;
    for (const omission of this.#turnText.trim(turnId, activeTurn)) this.hub.dispatch(this.chat, omission);
  }

  /**
   * Sets options from the next turn on; modes and the agent's own options are set now. Gives the entry of the options
   * themselves.
   */
  async patch(changes: RuntimeOptions, origin?: ActionOrigin): Promise<LogEntry | undefined> {
    this.#idle.touch();
    const { cwd, ...others } = changes;
    // First, so that nothing is half changed.
    if (cwd !== undefined) await checkWorkingDirectory(cwd);
    await this.#agent.change(others);
    const extras = others.extras && { ...this.state.runtimeOptions.extras, ...others.extras };
    // Before the move, which takes a moment: a turn that begins in it must know what was set.
    const set = { ...others, ...(extras !== undefined && { extras }) };
    const action = { type: "session/runtimeOptionsChanged", changes: set } as const;
    const entry = this.dispatch({ to: "session", action }, origin);
    if (cwd !== undefined) await this.#agent.moveTo(cwd);
    return entry;
  }

  /** Ends the turn, the agent and everything the session started. Idempotent. */
  close(by: Actor, reason?: string): Promise<void> {
    this.#closing ??= this.#closeNow(by, reason);
    return this.#closing;
  }

  /** The host stops: everything ends as with `close`, but the session stays, and the next host resumes it. */
  suspend(): Promise<void> {
    this.#isSuspended ||= this.#closing === undefined;
    this.#closing ??= this.#suspendNow();
    return this.#closing;
  }

  async #suspendNow(): Promise<void> {
    const wasBusy = this.turns.isBusy;
    this.turns.interrupt();
    const hadRunning = wasBusy || (await this.held.hasRunning());
    await this.#endAll();
    // Why a session without an agent has none is known already.
    if (this.state.lifecycle.status === "stale" && !hadRunning) return;
    const cause = hadRunning ? "host-restarted" : "evicted";
    this.publish({ type: "session/stale", at: this.now().toISOString(), cause });
  }

  async #endAll(): Promise<void> {
    this.#idle.close();
    await Promise.all([this.#agent.close(), this.held.close()]);
    // Commands that were being started meanwhile.
    await this.services.settled();
    await Promise.all([this.held.close(), this.services.displayed.close()]);
    await this.terminals.endClaimedBy(this.uri);
    await this.turns.last?.ended;
  }

  /** Whether the agent's tree holds more than the agent; the session's activity says what keeps it from being stopped. */
  async #hasBackground(): Promise<boolean> {
    const processes = await this.#agent.listBackground();
    const text = processes.length === 0 ? undefined : describeProcesses(processes);
    const activity = text && `The idle agent is not stopped: it runs ${this.#deps.redact?.(text) ?? text}`;
    if (this.#closing === undefined && activity !== this.state.activity) {
      this.publish({ type: "session/activityChanged", ...(activity !== undefined && { activity }) });
    }
    return processes.length > 0;
  }

  /** Ends the agent's process; the next turn starts it again. */
  stopAgent(): void {
    this.#agent.evict().catch((error: unknown) => {
      this.#deps.log("error", "An agent could not be stopped", { session: this.key, error });
    });
  }

  /** Nobody has used the session for long: stops the agent and unloads what can be loaded again. */
  async #unload(): Promise<void> {
    await this.#agent.evict();
    await this.hub.settled();
    // Somebody may have come meanwhile.
    if (this.turns.isBusy || this.#closing !== undefined) return;
    this.hub.forgetLog(this.uri);
    if (!this.#chat.unload()) this.#idle.touch();
  }

  async #closeNow(by: Actor, reason?: string): Promise<void> {
    this.#chat.load();
    this.turns.abandon(by, reason ?? "The session was closed.");
    this.services.releaseTaken();
    await this.#endAll();
    this.publish({
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

const turnEnds: ReadonlySet<Translated["action"]["type"]> = new Set([
  "chat/turnComplete",
  "chat/turnCancelled",
  "chat/error",
  "chat/turnInterrupted",
]);

const maxTitleCharacters = 80;

/** The first line of a message that is not blank, cut to 80 characters; empty when there is none. */
function titleFrom(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "";
  const characters = Array.from(line.trim().replaceAll(/\s+/g, " "));
  return characters.length <= maxTitleCharacters
    ? characters.join("")
    : `${characters.slice(0, maxTitleCharacters - 1).join("")}…`;
}

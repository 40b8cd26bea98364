// One session: its agent, its chat, its turns, and what it holds in the background.
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type ActiveClient,
  type Actor,
  type ApprovalPolicy,
  makeId,
  type RuntimeOptions,
  type SessionAction,
  type SessionInputRequest,
  type SessionKey,
  type SessionState,
  type SessionUri,
} from "@holdfast/ahp";
import { describeProcesses } from "../agent/background-processes.ts";
import type { Translated } from "../agent/session-updates.ts";
import type { HeldSandbox } from "@holdfast/terminal/port";
import type { SessionChanges } from "../changes/session-changes.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import { oneLine, unofferedTools } from "../editor/lent-tool.ts";
import type { StoredRun } from "../ports.ts";
import { checkWorkingDirectory } from "../resource/files.ts";
import type { AgentSide } from "../terminal/agent-side.ts";
import { IdleWatch } from "./idle-watch.ts";
import { type Beginning, type SavedAgent, SessionAgent } from "./session-agent.ts";
import type { SessionChat } from "./session-chat.ts";
import { SessionContext, type SessionNames } from "./session-context.ts";
import type { SessionDeps } from "./session-deps.ts";
import { type SavedServices, SessionServices } from "./session-services.ts";
import { type SavedTurns, SessionTurns } from "./session-turns.ts";

/** Tools that a notice lists; a session keeps its notices. */
const maxListed = 20;

/** Options to set; a policy can also be removed. */
export type OptionChanges = Omit<RuntimeOptions, "approvalPolicy"> & {
  readonly approvalPolicy?: ApprovalPolicy | null;
};

/** Parts of an earlier host's session that are still there. */
export interface SessionRemains {
  readonly saved?: SavedSession | undefined;
  readonly agent?:
    | { readonly runId: string; readonly stored: StoredRun; readonly saved: SavedAgent }
    | undefined;
  readonly sandbox?: HeldSandbox | undefined;
}

/** A session as the next host gets to know it, besides its state. */
export interface SavedSession extends Partial<SavedAgent>, SavedTurns {
  readonly services?: SavedServices | undefined;
}

/** A session of the host. `close` ends its agent and everything it started. */
export class HostSession {
  readonly turns: SessionTurns;
  readonly #context: SessionContext;
  readonly #services: SessionServices;
  readonly #agent: SessionAgent;
  readonly #idle: IdleWatch;
  #closing: Promise<void> | undefined;

  constructor(names: SessionNames, deps: SessionDeps) {
    const context = new SessionContext(names, deps, () => this.#idle.touch());
    this.#context = context;
    this.#services = new SessionServices(context);
    this.#agent = new SessionAgent(context, this.#services, this.#services.lentTools);
    this.turns = new SessionTurns(context, this.#agent, this.#services);
    this.#idle = new IdleWatch({
      idleMs: deps.timeouts.idleMs,
      isBusy: async () =>
        this.turns.isBusy ||
        context.state.inputNeeded.length > 0 ||
        (await context.held.hasRunning()) ||
        (await this.#hasBackground()),
      unload: () => this.#unload(),
      onFault: (error) =>
        deps.log("error", "An idle session could not be unloaded", { session: this.key, error }),
    });
  }

  get key(): SessionKey {
    return this.#context.key;
  }

  get uri(): SessionUri {
    return this.#context.uri;
  }

  /** Its chat, in memory or not. */
  get chat(): SessionChat {
    return this.#context.chat;
  }

  /** The state of the session's channel. */
  get state(): SessionState {
    return this.#context.state;
  }

  /** The folders that its agent may work in; the first is where commands run. */
  get roots(): readonly string[] {
    return this.#context.roots;
  }

  /** The same folders without links, as they were when the agent was started. */
  get realRoots(): readonly string[] {
    return this.#context.realRoots;
  }

  /** Whether its agent's process is there. */
  get hasAgent(): boolean {
    return this.#agent.ready !== undefined;
  }

  /** The changes in its folder. */
  get changes(): SessionChanges {
    return this.#context.changes;
  }

  touch(): void {
    this.#idle.touch();
  }

  publish(action: SessionAction): void {
    this.#context.publish(action);
  }

  dispatch(translated: Translated, origin?: ActionOrigin): LogEntry | undefined {
    return this.#context.dispatch(translated, origin);
  }

  /** A client takes part; tools of it that agents cannot be offered are reported once (E834). */
  setActiveClient(client: ActiveClient, origin?: ActionOrigin): LogEntry | undefined {
    const before = this.state.activeClients.find(({ clientId }) => clientId === client.clientId);
    const entry = this.dispatch(
      { to: "session", action: { type: "session/activeClientSet", client } },
      origin,
    );
    const problems = unofferedTools(client.tools);
    const isKnown = isDeepStrictEqual(problems, unofferedTools(before?.tools ?? []));
    if (isKnown || problems.length === 0) return entry;
    const more = problems.length - maxListed;
    const notice = {
      id: makeId("notice", randomUUID()),
      at: this.#context.now().toISOString(),
      severity: "warning",
      title: `Some tools of the client ${oneLine(client.displayName ?? client.clientId)} cannot be offered to agents.`,
      description: [...problems.slice(0, maxListed), ...(more > 0 ? [`…and ${more} more`] : [])].join("\n"),
    };
    this.publish({ type: "session/noticeAdded", notice });
    return entry;
  }

  /** The agent's side of terminals that an earlier host opened for it. */
  get agentSide(): AgentSide {
    return this.#services.agentSide;
  }

  /** Continues what an earlier host left: its terminals are there, its agent may be. */
  async restore({ saved, agent, sandbox }: SessionRemains): Promise<void> {
    const context = this.#context;
    if (sandbox !== undefined) context.sandbox.restore(sandbox);
    await this.#services.restore(saved?.services ?? {});
    for (const needed of this.state.inputNeeded) this.#restoreQuestion(needed);
    const ready = agent && this.#agent.restore(agent.stored, agent.saved);
    if (context.chat.activeTurn !== undefined) {
      context.chat.resumeTurn();
      this.turns.restore(saved ?? {}, ready);
      this.#services.lentTools.resumeCalls();
    }
    if (agent !== undefined) await ready?.agent.attach(context.deps.processPort, agent.runId, agent.stored);
    this.#idle.touch();
  }

  #restoreQuestion(needed: SessionInputRequest): void {
    const { approvals, inputs } = this.#context.deps;
    const place = this.#context.placeOf(undefined);
    if (needed.kind === "chatInput") {
      return inputs.restore({ ...place, turnId: this.chat.activeTurn?.id ?? place.turnId }, needed.request);
    }
    const { toolCall, turnId } = needed;
    const isLoose = this.chat.toolCall(toolCall.toolCallId) === undefined;
    approvals.restore({ ...place, turnId }, toolCall, isLoose);
  }

  /** Leaves the agent and everything that it started running, for the next host. */
  detach(): void {
    this.#context.ending ??= "suspended";
    this.#idle.close();
    this.#context.turn?.response.flush();
  }

  /** Starts the agent for the first time, with the context of another of its sessions; rejects, with nothing left behind, when it cannot. */
  async start(beginning: Beginning = {}): Promise<void> {
    await this.#agent.connect(beginning);
    this.#idle.touch();
  }

  /**
   * Sets options from the next turn on; modes and the agent's own options are set now. Gives the entry of the options
   * themselves.
   */
  async patch(changes: OptionChanges, origin?: ActionOrigin): Promise<LogEntry | undefined> {
    this.#idle.touch();
    const { cwd, ...others } = changes;
    this.#context.deps.limits.checkSession(others, this.state.owner);
    // First, so that nothing is half changed.
    if (cwd !== undefined) await checkWorkingDirectory(cwd);
    await this.#agent.change({ ...others, approvalPolicy: others.approvalPolicy ?? undefined });
    const extras = others.extras && { ...this.state.runtimeOptions.extras, ...others.extras };
    // Before the move, which takes a moment: a turn that begins in it must know what was set.
    const set = { ...others, ...(extras !== undefined && { extras }) };
    const action = { type: "session/runtimeOptionsChanged", changes: set } as const;
    const entry = this.dispatch({ to: "session", action }, origin);
    if (others.limits !== undefined) this.#applyLimits();
    if (cwd !== undefined) await this.#agent.moveTo(cwd);
    return entry;
  }

  #applyLimits(): void {
    const { limits, processPort } = this.#context.deps;
    processPort.limit(limits.scopesOf(this.state));
    this.#agent.publishLimits();
  }

  /** Ends the turn, the agent and everything the session started. Idempotent. */
  close(by: Actor, reason?: string): Promise<void> {
    this.#context.ending ??= "closed";
    this.#closing ??= this.#closeNow(by, reason);
    return this.#closing;
  }

  /** The host stops: everything ends as with `close`, but the session stays, and the next host resumes it. */
  suspend(): Promise<void> {
    this.#context.ending ??= "suspended";
    this.#closing ??= this.#suspendNow();
    return this.#closing;
  }

  async #suspendNow(): Promise<void> {
    const wasBusy = this.turns.isBusy;
    this.turns.interrupt();
    const hadRunning = wasBusy || (await this.#context.held.hasRunning());
    await this.#endAll();
    // Why a session without an agent has none is known already.
    if (this.state.lifecycle.status === "stale" && !hadRunning) return;
    const cause = hadRunning ? "host-restarted" : "evicted";
    this.publish({ type: "session/stale", at: this.#context.now().toISOString(), cause });
  }

  async #endAll(): Promise<void> {
    this.#idle.close();
    await Promise.all([this.#agent.close(), this.#context.held.close()]);
    // Commands that were being started meanwhile.
    await this.#services.settled();
    await Promise.all([this.#context.held.close(), this.#services.displayed.close()]);
    await this.#context.deps.terminals.endClaimedBy(this.uri);
    await this.#context.turn?.ended;
    await this.#context.changes.close();
    this.#context.sandbox.close();
  }

  /** Whether the agent's tree holds more than the agent; the session's activity says what keeps it from being stopped. */
  async #hasBackground(): Promise<boolean> {
    const processes = await this.#agent.listBackground();
    const text = processes.length === 0 ? undefined : describeProcesses(processes);
    const activity = text && `The idle agent is not stopped: it runs ${this.#context.redact(text)}`;
    if (this.#closing === undefined && activity !== this.state.activity) {
      this.publish({ type: "session/activityChanged", ...(activity !== undefined && { activity }) });
    }
    return processes.length > 0;
  }

  /** Ends the agent's process; the next turn starts it again. */
  stopAgent(): void {
    this.#agent.evict().catch((error: unknown) => {
      this.#context.deps.log("error", "An agent could not be stopped", { session: this.key, error });
    });
  }

  /** Nobody has used the session for long: stops the agent and unloads what can be loaded again. */
  async #unload(): Promise<void> {
    if (await this.#agent.evict()) this.#context.sandbox.close();
    await this.#context.deps.hub.settled();
    // Somebody may have come meanwhile.
    if (this.turns.isBusy || this.#closing !== undefined) return;
    this.#context.deps.hub.forgetLog(this.uri);
    if (!this.chat.unload()) this.#idle.touch();
  }

  async #closeNow(by: Actor, reason?: string): Promise<void> {
    this.chat.load();
    this.turns.abandon(by, reason ?? "The session was closed.");
    this.#services.releaseTaken();
    this.#context.deps.clientTools.withdraw(this.#context.uri);
    await this.#endAll();
    this.publish({
      type: "session/closed",
      at: this.#context.now().toISOString(),
      by,
      ...(reason !== undefined && { reason }),
    });
  }
}

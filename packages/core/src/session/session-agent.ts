// The agent of a session: started when it is needed, resumed with its context when it is gone, stopped when it is idle.
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { ErrorInfo, StaleCause } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { ToolLender } from "../editor/client-tools.ts";
import type { TreeProcess } from "@holdfast/terminal/port";
import { canCloseSession, describeAgent } from "../agent/acp.ts";
import type { AgentConnection, AgentExit, AgentServices } from "../agent/agent-connection.ts";
import { openSignedIn, readRemedy, saysLoginNeeded } from "../agent/sign-in.ts";
import type { AgentContext } from "./agent-context.ts";
import { describeIdleExit, explainHarmfulRestart, explainStart, explainUnset } from "./agent-failure.ts";
import {
  type EarlierSession,
  findEarlier,
  isBeginning,
  type OnContextLost,
  openSession,
} from "./agent-opening.ts";
import { AgentProcesses, type SavedLaunch } from "./agent-launch.ts";
import { AgentSettings, type ReadyAgent, type RequestedSettings } from "./agent-settings.ts";
import { AgentToolOffer } from "./agent-tools.ts";
import type { StoredRun } from "../ports.ts";
import { checkWorkingDirectory } from "../resource/files.ts";

/** A ready agent as the next host gets to know it. */
export interface SavedAgent extends SavedLaunch {
  readonly sessionId: string;
  readonly needsRestart: boolean;
  /** The digest of its token for lent tools. */
  readonly toolsDigest?: string | undefined;
}

type AgentState =
  | { readonly name: "none" }
  | { readonly name: "starting"; readonly started: Promise<ReadyAgent> }
  | { readonly name: "ready"; readonly ready: ReadyAgent }
  /** It is being stopped; the session stays. */
  | { readonly name: "ending"; readonly ended: Promise<void> }
  | { readonly name: "closed" };

/** The beginning of a session, besides its options. */
export interface Beginning {
  /** The agent's own session whose context it begins with. */
  readonly forkOf?: string | undefined;
  /** Settings by their names, of which the agent gets those that it offers. */
  readonly preferences?: Readonly<Record<string, string>> | undefined;
}

/** One agent process at a time, for one session. `close` ends it for good. */
export class SessionAgent {
  readonly #context: AgentContext;
  readonly #settings: AgentSettings;
  readonly #processes: AgentProcesses;
  readonly #tools: AgentToolOffer;
  #state: AgentState = { name: "none" };
  #onContextLost: OnContextLost = "continue";
  #beginning: Beginning = {};
  /** Something was set that it only takes when it is started. */
  #needsRestart = false;

  constructor(context: AgentContext, services: AgentServices, lentTools: ToolLender) {
    this.#context = context;
    this.#tools = new AgentToolOffer(context, lentTools);
    const { models, installations, defaultModel } = context.deps;
    const { id } = context.entry;
    this.#settings = new AgentSettings(context, {
      defaultModel,
      redact: (text) => this.#redact(text),
      noteModels: (option) => models.note(id, installations.versionOf(id), option, "session"),
    });
    this.#processes = new AgentProcesses(context, services, (agent) => ({
      launchedModel: this.#processes.launchedModel,
      needsRestart: this.#needsRestart,
      // Of a process that is being opened, the next host has no use.
      ...(agent !== undefined &&
        this.ready?.agent === agent && {
          sessionId: this.ready.sessionId,
          connection: agent.saved,
          toolsDigest: this.#tools.digest,
        }),
      turn: context.turn?.saved,
      queue: context.queue?.saved,
      services: services.saved?.(),
    }));
  }

  /** Continues with the agent of an earlier host; nothing arrives from it before it is attached. */
  restore(stored: StoredRun, { sessionId, needsRestart, toolsDigest, ...launch }: SavedAgent): ReadyAgent {
    const agent = this.#processes.restore(stored, launch);
    const ready = { agent, sessionId };
    this.#needsRestart = needsRestart;
    this.#tools.restore(agent, toolsDigest);
    this.#context.pinRoot(this.#context.cwd);
    this.#becomeReady(ready);
    return ready;
  }

  #becomeReady(ready: ReadyAgent): void {
    const { agent } = ready;
    this.#state = { name: "ready", ready };
    this.#context.ledger?.changed();
    void agent.exited.then((exit) => this.#noteExit(agent, exit));
  }

  /** The agent while it is ready. */
  get ready(): ReadyAgent | undefined {
    return this.#state.name === "ready" ? this.#state.ready : undefined;
  }

  /** Whether its context survives its process, as far as it has reported. */
  get canResume(): boolean {
    const { agent } = this.#context.state;
    return agent !== undefined && agent.resume !== "none";
  }

  /** The agent, started or resumed if it is not there, and in the session's directory. */
  connect({
    onContextLost = "continue",
    ...beginning
  }: Beginning & { readonly onContextLost?: OnContextLost } = {}): Promise<ReadyAgent> {
    this.#onContextLost = onContextLost;
    this.#beginning = { ...this.#beginning, ...beginning };
    const state = this.#state;
    switch (state.name) {
      case "closed":
        return Promise.reject(new HostError("ACP_SESSION_NOT_FOUND"));
      case "starting":
        return state.started;
      case "ending":
        return state.ended.then(() => this.connect({ onContextLost }));
      case "none":
        return this.#begin(this.#startSettled());
      case "ready":
        if (this.#needsRestart || this.#context.sandbox.isOutdated) {
          return this.#begin(this.#restart(state.ready));
        }
        if (this.#earlier.kind === "elsewhere") return this.#begin(this.#move(state.ready));
        return Promise.resolve(state.ready);
    }
  }

  /** Stops an idle agent that can be resumed; false when it is not there or could not be. */
  async evict(): Promise<boolean> {
    const { ready } = this;
    if (ready === undefined || !this.canResume) return false;
    const ended = this.#endUnwatched(ready.agent).then(() => {
      if (this.#state.name === "ending") this.#state = { name: "none" };
    });
    this.#state = { name: "ending", ended };
    this.#publishStale("evicted");
    await ended;
    return true;
  }

  /** Background work of an agent that could be stopped; empty where none could be. */
  async listBackground(): Promise<readonly TreeProcess[]> {
    return this.canResume ? ((await this.ready?.agent.listBackground()) ?? []) : [];
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { name: "closed" };
    await this.#processes.endAll();
    // A start that is under way sees that it came too late, and ends what it started.
    if (state.name === "starting") await state.started.catch(() => {});
  }

  /**
   * Sets model, mode and options, all or, where one of them is known to be impossible, none.
   * An agent that takes its model only when it is started is restarted before the next turn.
   */
  async change(requested: RequestedSettings): Promise<void> {
    // An agent that is starting reads its settings on the way; its failure goes to the caller that started it.
    if (this.#state.name === "starting") await this.#state.started.catch(() => {});
    const changes = this.#settings.findChanges(requested);
    const { ready } = this;
    if (ready === undefined) return;
    if (changes.model !== undefined) await this.#checkRestart(changes.model);
    try {
      const effect = await this.#settings.set(ready, changes, this.#processes.launchedModel);
      if (effect === "at-launch") this.#needsRestart = true;
    } catch (error) {
      if (this.#isClosed) throw new HostError("ACP_SESSION_NOT_FOUND", undefined, { cause: error });
      throw explainUnset(error, (text) => this.#redact(text));
    }
    this.#assertOpen();
  }

  /** Moves the session to another directory: from the next turn on the agent has a new session there, without its context. */
  async moveTo(cwd: string): Promise<void> {
    await checkWorkingDirectory(cwd);
    this.#assertOpen();
    this.#context.publish({ type: "session/runtimeOptionsChanged", changes: { cwd } });
    const workingDirectories = [pathToFileURL(cwd).href];
    this.#context.publish({ type: "session/workingDirectoriesChanged", workingDirectories });
  }

  get #earlier(): EarlierSession {
    return findEarlier(this.#context, this.#beginning.forkOf);
  }

  #begin(started: Promise<ReadyAgent>): Promise<ReadyAgent> {
    const state = { name: "starting", started } as const;
    this.#state = state;
    // Also where the agent before it could not be ended: the next turn tries again.
    started.catch(() => {
      if (this.#state === state) this.#state = { name: "none" };
    });
    return started;
  }

  /** Starts it, and a second time where it takes its model only then: a turn must not run with another one. */
  async #startSettled(): Promise<ReadyAgent> {
    const isFirst = isBeginning(this.#earlier);
    const ready = await this.#start(isFirst);
    return this.#needsRestart ? this.#restart(ready, isFirst) : ready;
  }

  async #start(isFirst: boolean): Promise<ReadyAgent> {
    const { cwd } = this.#context;
    const earlier = this.#earlier;
    if (!isBeginning(earlier)) this.#context.publish({ type: "session/resuming" });
    this.#context.pinRoot(cwd);
    let agent: AgentConnection | undefined;
    try {
      this.#needsRestart = false;
      agent = await this.#processes.start(this.#settings.offersModel);
      this.#assertOpen();
      this.publishLimits(agent);
      await agent.initialize();
      return await this.#open(agent, earlier, cwd, isFirst);
    } catch (error) {
      throw await this.#giveUp(agent, error, earlier);
    }
  }

  /** The same session in a new process, for what it only takes when it is started. */
  async #restart({ agent }: ReadyAgent, isFirst = false): Promise<ReadyAgent> {
    this.#publishStale("settings-changed");
    await this.#processes.end(agent);
    this.#assertOpen();
    return this.#start(isFirst);
  }

  /** Another session in the same process, because the directory is another. */
  async #move({ agent, sessionId }: ReadyAgent): Promise<ReadyAgent> {
    const { cwd } = this.#context;
    const earlier = this.#earlier;
    this.#context.pinRoot(cwd);
    try {
      const ready = await this.#open(agent, earlier, cwd);
      if (ready.sessionId === sessionId) return ready;
      const left = agent.leaveSession(sessionId, canCloseSession(agent.info));
      left.catch((error: unknown) =>
        this.#context.warn(`The session left behind was not closed: ${String(error)}`),
      );
      return ready;
    } catch (error) {
      throw await this.#giveUp(agent, error, earlier);
    }
  }

  /**
   * Opens the agent's own session, publishes the outcome, and applies the session's settings.
   * The directory is the one that `earlier` was found for: the session may move again meanwhile.
   */
  async #open(
    agent: AgentConnection,
    earlier: EarlierSession,
    cwd: string,
    isFirst = false,
  ): Promise<ReadyAgent> {
    const { quirks } = this.#context.entry;
    // Before the first turn nothing can be lost: many agents do not even keep such a session.
    const { hasCompletedTurn } = this.#context;
    const hasHistory = this.#context.hasHistory || this.#beginning.forkOf !== undefined;
    const onContextLost = hasHistory ? this.#onContextLost : "continue";
    const mcpServers = this.#tools.offer(agent);
    const opening = { earlier, cwd, mcpServers, quirks, onContextLost, hasCompletedTurn };
    const { environment } = this.#processes;
    const { sessionId, result, loss } = await openSignedIn(agent, this.#context.entry, environment, () =>
      openSession(agent, opening),
    );
    await agent.noteOwnProcesses(mcpServers);
    this.#assertOpen();
    const at = this.#context.deps.now().toISOString();
    if (loss !== undefined && hasHistory) {
      this.#context.publish({ type: "session/contextLost", at, reason: this.#redact(loss) });
    }
    const about = describeAgent(agent.info, this.#context.entry);
    const opened = {
      type: "session/ready",
      at,
      backendId: sessionId,
      backendCwd: cwd,
      agent: about,
    } as const;
    // A caller that opens a session gets an error for what cannot be set; a resumed session continues without.
    if (!isFirst) this.#context.publish(opened);
    this.#settings.publishOffers(result);
    const ready = { agent, sessionId };
    if (isFirst) this.#prefer();
    const requested = this.#context.state.runtimeOptions;
    const how = isFirst ? "set" : "restore";
    const effect = await this.#settings[how](ready, requested, this.#processes.launchedModel);
    if (effect === "at-launch") this.#needsRestart = true;
    this.#assertOpen();
    if (isFirst) this.#context.publish(opened);
    this.#becomeReady(ready);
    return ready;
  }

  /** Adds the preferences that the agent can meet to the session's options (E830). */
  #prefer(): void {
    const changes = this.#settings.offered(this.#beginning.preferences ?? {});
    if (Object.keys(changes).length === 0) return;
    this.#context.publish({ type: "session/runtimeOptionsChanged", changes });
  }

  /** Publishes the limits in force, which depend on what enforces them on the agent's tree. */
  publishLimits(agent = this.ready?.agent): void {
    if (agent === undefined) return;
    const { deps, state } = this.#context;
    const found = deps.limits.inForce(state, agent.limitBackends);
    const limits = found.length === 0 ? undefined : found;
    if (isDeepStrictEqual(limits, state.limits)) return;
    this.#context.publish({ type: "session/limitsChanged", ...(limits !== undefined && { limits }) });
  }

  /** Ends what was begun and says what became of it; what is known of the agent's session stays known. */
  async #giveUp(
    agent: AgentConnection | undefined,
    cause: unknown,
    earlier: EarlierSession,
  ): Promise<HostError> {
    const { entry } = this.#context;
    const stderrTail = agent === undefined ? [] : await this.#processes.end(agent);
    if (this.#isClosed) return new HostError("ACP_SESSION_NOT_FOUND", undefined, { cause });
    this.#state = { name: "none" };
    const isFirst = isBeginning(earlier);
    if (saysLoginNeeded(cause)) this.#context.deps.installations.noteSignIn(entry.id, false);
    const failure = explainStart(entry, cause, agent, stderrTail);
    const { code, details } = failure;
    const message = this.#redact(failure.message);
    if (isFirst) return new HostError(code, message, { cause, details });
    const retryable = code !== "ACP_CONTEXT_LOST";
    this.#publishStale("resume-failed", { code, message, retryable, stderrTail, ...readRemedy(details) });
    return new HostError(code, message, { cause, details: { ...details, retryable } });
  }

  /** An agent that takes its model only when it is started must not lose its context or its background work over it. */
  async #checkRestart(model: string): Promise<void> {
    if (!this.#settings.needsRestartFor(model, this.#processes.launchedModel)) return;
    const background = await this.listBackground();
    const { canResume } = this;
    if (canResume && background.length === 0) return;
    const { entry } = this.#context;
    throw explainHarmfulRestart(entry, model, { canResume, background }, (text) => this.#redact(text));
  }

  get #isClosed(): boolean {
    return this.#state.name === "closed";
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new HostError("ACP_SESSION_NOT_FOUND");
  }

  /** The process is gone; the session stays, and the next turn restarts the agent. */
  #noteExit(agent: AgentConnection, exit: AgentExit): void {
    if (this.ready?.agent !== agent) return;
    this.#state = { name: "none" };
    void this.#endUnwatched(agent);
    this.#publishStale("agent-exited", describeIdleExit(exit));
  }

  /** Ends a process and what it left behind, where no caller waits that could receive a failure. */
  async #endUnwatched(agent: AgentConnection): Promise<void> {
    try {
      await this.#processes.end(agent);
    } catch (error) {
      this.#context.warn(`What is left of the agent could not be ended: ${String(error)}`);
    }
  }

  #publishStale(cause: StaleCause, error?: ErrorInfo): void {
    const at = this.#context.deps.now().toISOString();
    this.#context.publish({ type: "session/stale", at, cause, ...(error !== undefined && { error }) });
  }

  #redact(text: string): string {
    return this.#context.deps.redact?.(text) ?? text;
  }
}

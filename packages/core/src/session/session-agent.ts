// The agent of a session: started when it is needed, brought back with its memory when it is gone, let go when it is idle.
import { pathToFileURL } from "node:url";
import type { ErrorInfo, SessionAction, SessionState, StaleCause } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { AcpMcpServer } from "../agent/acp.ts";
import { canCloseSession, describeAgent } from "../agent/agent-abilities.ts";
import type { AgentConnection, AgentServices } from "../agent/agent-connection.ts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import { explainFailedStart } from "../agent/failed-start.ts";
import { type EarlierSession, type OnContextLost, openSession } from "./agent-opening.ts";
import { AgentProcesses, type ProcessTools } from "./agent-processes.ts";
import { AgentSettings, type ReadyAgent, type SettingWishes } from "./agent-settings.ts";
import type { SessionTools } from "./session-tools.ts";
import { checkWorkingDirectory } from "./working-directory.ts";

export type { OnContextLost } from "./agent-opening.ts";
export type { ReadyAgent } from "./agent-settings.ts";

/** What the agent needs of its session. */
export interface AgentOwner {
  readonly entry: AgentEntry;
  readonly state: SessionState;
  readonly cwd: string;
  readonly services: AgentServices;
  /** Whether anything was said that the agent could forget. */
  readonly hasHistory: boolean;
  tell(action: SessionAction): void;
  warn(message: string): void;
}

/** What the agent needs of its host. */
export type AgentTools = ProcessTools & Pick<SessionTools, "now" | "mcpServers">;

type AgentState =
  | { readonly name: "none" }
  | { readonly name: "starting"; readonly started: Promise<ReadyAgent> }
  | { readonly name: "ready"; readonly ready: ReadyAgent }
  /** It is being let go; the session stays. */
  | { readonly name: "ending"; readonly ended: Promise<void> }
  | { readonly name: "closed" };

/** One agent process at a time, for one session. `close` ends it for good. */
export class SessionAgent {
  readonly #owner: AgentOwner;
  readonly #tools: AgentTools;
  readonly #settings: AgentSettings;
  readonly #processes: AgentProcesses;
  #state: AgentState = { name: "none" };
  #onContextLost: OnContextLost = "continue";
  /** Something was set that it only takes when it is started. */
  #needsRestart = false;

  constructor(owner: AgentOwner, tools: AgentTools) {
    this.#owner = owner;
    this.#tools = tools;
    this.#settings = new AgentSettings(owner, tools.installations.models, (text) => this.#redact(text));
    this.#processes = new AgentProcesses(owner, tools);
  }

  /** The agent while it is ready. */
  get ready(): ReadyAgent | undefined {
    return this.#state.name === "ready" ? this.#state.ready : undefined;
  }

  /** Whether its memory survives its process, as far as it has said so. */
  get canResume(): boolean {
    const { agent } = this.#owner.state;
    return agent !== undefined && agent.resume !== "none";
  }

  /** The agent, started or brought back if it is not there, and in the session's directory. */
  connect({
    onContextLost = "continue",
  }: { readonly onContextLost?: OnContextLost } = {}): Promise<ReadyAgent> {
    this.#onContextLost = onContextLost;
    const state = this.#state;
    switch (state.name) {
      case "closed":
        return Promise.reject(new HostError("ACP_SESSION_NOT_FOUND"));
      case "starting":
        return state.started;
      case "ending":
        return state.ended.then(() => this.connect({ onContextLost }));
      case "none":
        return this.#begin(this.#start());
      case "ready":
        if (this.#needsRestart) return this.#begin(this.#restart(state.ready));
        if (this.#earlier.kind === "elsewhere") return this.#begin(this.#move(state.ready));
        return Promise.resolve(state.ready);
    }
  }

  /** Lets an idle agent go that can be brought back; false when it is not there or could not be. */
  async evict(): Promise<boolean> {
    const { ready } = this;
    if (ready === undefined || !this.canResume) return false;
    const ended = this.#endUnwatched(ready.agent).then(() => {
      if (this.#state.name === "ending") this.#state = { name: "none" };
    });
    this.#state = { name: "ending", ended };
    this.#tellStale("evicted");
    await ended;
    return true;
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
   * An agent that takes its model only when it is started is started anew before the next turn.
   */
  async change(wishes: SettingWishes): Promise<void> {
    // What is being started reads its settings on the way; how it fails is told to whoever started it.
    if (this.#state.name === "starting") await this.#state.started.catch(() => {});
    this.#settings.check(wishes);
    const { ready } = this;
    if (ready === undefined) return;
    const isOtherModel = wishes.model !== this.#owner.state.runtimeOptions.model;
    const changes = isOtherModel ? wishes : { ...wishes, model: undefined };
    if (changes.model !== undefined) this.#checkRestart(changes.model);
    try {
      const effect = await this.#settings.set(ready, changes, this.#processes.launchedModel);
      if (effect === "at-launch") this.#needsRestart = true;
    } catch (error) {
      throw this.#explainUnset(error);
    }
    this.#assertOpen();
  }

  /** Moves the session to another directory: from the next turn on the agent has a new session there, and no memory. */
  async moveTo(cwd: string): Promise<void> {
    await checkWorkingDirectory(cwd);
    this.#assertOpen();
    this.#owner.tell({ type: "session/runtimeOptionsChanged", changes: { cwd } });
    const workingDirectories = [pathToFileURL(cwd).href];
    this.#owner.tell({ type: "session/workingDirectoriesChanged", workingDirectories });
  }

  get #earlier(): EarlierSession {
    const { state, cwd } = this.#owner;
    const { backendId, backendCwd = cwd } = state;
    if (backendId === undefined) return { kind: "none" };
    return backendCwd === cwd ? { kind: "known", sessionId: backendId } : { kind: "elsewhere" };
  }

  #begin(started: Promise<ReadyAgent>): Promise<ReadyAgent> {
    this.#state = { name: "starting", started };
    return started;
  }

  async #start(): Promise<ReadyAgent> {
    const { cwd } = this.#owner;
    const earlier = this.#earlier;
    if (earlier.kind !== "none") this.#owner.tell({ type: "session/resuming" });
    let agent: AgentConnection | undefined;
    try {
      this.#needsRestart = false;
      agent = await this.#processes.start(this.#settings.offersModels);
      this.#assertOpen();
      await agent.initialize();
      return await this.#open(agent, earlier, cwd);
    } catch (error) {
      throw await this.#giveUp(agent, error, earlier);
    }
  }

  /** The same session in a new process, for what it only takes when it is started. */
  async #restart({ agent }: ReadyAgent): Promise<ReadyAgent> {
    this.#tellStale("settings-changed");
    await this.#processes.end(agent);
    this.#assertOpen();
    return this.#start();
  }

  /** Another session in the same process, because the directory is another. */
  async #move({ agent, sessionId }: ReadyAgent): Promise<ReadyAgent> {
    const { cwd } = this.#owner;
    const earlier = this.#earlier;
    try {
      const ready = await this.#open(agent, earlier, cwd);
      if (ready.sessionId === sessionId) return ready;
      const left = agent.leaveSession(sessionId, canCloseSession(agent.info));
      left.catch((error: unknown) =>
        this.#owner.warn(`The session left behind was not closed: ${String(error)}`),
      );
      return ready;
    } catch (error) {
      throw await this.#giveUp(agent, error, earlier);
    }
  }

  /**
   * Opens the agent's own session, tells what became of it, and sets it as the session wants.
   * The directory is the one that `earlier` was found for: the session may move again meanwhile.
   */
  async #open(agent: AgentConnection, earlier: EarlierSession, cwd: string): Promise<ReadyAgent> {
    const { quirks } = this.#owner.entry;
    // Where nothing was said yet, nothing is lost: many agents do not even keep such a session.
    const { hasHistory } = this.#owner;
    const onContextLost = hasHistory ? this.#onContextLost : "continue";
    const mcpServers = this.#offerMcpServers(agent);
    const opening = { earlier, cwd, mcpServers, quirks, onContextLost };
    const { sessionId, result, loss } = await openSession(agent, opening);
    this.#assertOpen();
    const at = this.#tools.now().toISOString();
    if (loss !== undefined && hasHistory) {
      this.#owner.tell({ type: "session/contextLost", at, reason: this.#redact(loss) });
    }
    const about = describeAgent(agent.info, quirks);
    this.#owner.tell({ type: "session/ready", at, backendId: sessionId, backendCwd: cwd, agent: about });
    this.#settings.tellOffers(result);
    const ready = { agent, sessionId };
    const wishes = this.#owner.state.runtimeOptions;
    const how = earlier.kind === "none" ? "set" : "restore";
    const effect = await this.#settings[how](ready, wishes, this.#processes.launchedModel);
    if (effect === "at-launch") this.#needsRestart = true;
    this.#assertOpen();
    this.#state = { name: "ready", ready };
    void agent.exited.then(({ stderrTail }) => this.#noteExit(agent, stderrTail));
    return ready;
  }

  #offerMcpServers(agent: AgentConnection): readonly AcpMcpServer[] {
    const { servers, problems } = this.#tools.mcpServers.offer(
      this.#owner.state.mcpServers ?? [],
      agent.info,
    );
    for (const problem of problems) this.#owner.warn(problem);
    return servers;
  }

  /** Ends what was begun and says what became of it; what is known of the agent's session stays known. */
  async #giveUp(
    agent: AgentConnection | undefined,
    cause: unknown,
    earlier: EarlierSession,
  ): Promise<HostError> {
    const { entry } = this.#owner;
    const stderrTail = agent === undefined ? [] : await this.#processes.end(agent);
    if (this.#isClosed) return new HostError("ACP_SESSION_NOT_FOUND", undefined, { cause });
    this.#state = { name: "none" };
    const isFirst = earlier.kind === "none";
    const failure = explainFailedStart(`${entry.label} could not be started`, cause, stderrTail);
    const { code, details } = failure;
    const message = this.#redact(failure.message);
    if (isFirst) return new HostError(code, message, { cause, details });
    const retryable = code !== "ACP_CONTEXT_LOST";
    this.#tellStale("resume-failed", { code, message, retryable, stderrTail });
    return new HostError(code, message, { cause, details: { ...details, retryable } });
  }

  /** An agent that takes its model only when it is started must not lose its memory over it. */
  #checkRestart(model: string): void {
    if (this.canResume || !this.#settings.needsRestartFor(model, this.#processes.launchedModel)) return;
    throw new HostError(
      "ACP_INVALID_OPTION",
      `model: ${this.#owner.entry.label} takes its model only when it is started, and would forget the conversation. Open a new session with '${model}'.`,
    );
  }

  /** Why something could not be set: the agent refused, the session was closed, or the agent died or is silent. */
  #explainUnset(cause: unknown): HostError {
    if (this.#isClosed) return new HostError("ACP_SESSION_NOT_FOUND", undefined, { cause });
    if (cause instanceof HostError) return cause;
    const words = this.#redact(cause instanceof Error ? cause.message : String(cause));
    return new HostError(
      "ACP_AGENT_EXITED",
      `The agent ended or was silent before anything was set: ${words}. Send the request again.`,
      { cause },
    );
  }

  get #isClosed(): boolean {
    return this.#state.name === "closed";
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new HostError("ACP_SESSION_NOT_FOUND");
  }

  /** The process is gone; the session stays, and the next turn brings an agent back. */
  #noteExit(agent: AgentConnection, stderrTail: readonly string[]): void {
    if (this.ready?.agent !== agent) return;
    this.#state = { name: "none" };
    void this.#endUnwatched(agent);
    this.#tellStale("agent-exited", {
      code: "ACP_AGENT_EXITED",
      message: "The agent's process ended.",
      stderrTail,
    });
  }

  /** Ends a process and what it left behind, where nobody waits who could be told of a failure. */
  async #endUnwatched(agent: AgentConnection): Promise<void> {
    try {
      await this.#processes.end(agent);
    } catch (error) {
      this.#owner.warn(`What is left of the agent could not be ended: ${String(error)}`);
    }
  }

  #tellStale(cause: StaleCause, error?: ErrorInfo): void {
    const at = this.#tools.now().toISOString();
    this.#owner.tell({ type: "session/stale", at, cause, ...(error !== undefined && { error }) });
  }

  #redact(text: string): string {
    return this.#tools.redact?.(text) ?? text;
  }
}

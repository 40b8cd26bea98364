// The agent of a session: started when it is needed, brought back with its memory when it is gone, set as the session wants.
import type { ConnectedAgent, SessionAction, SessionState, StaleCause } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { AcpConfigOption, AcpSessionResult } from "../agent/acp.ts";
import { AgentConnection, type AgentServices } from "../agent/agent-connection.ts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import { readConfigOptions, readModes } from "../agent/session-updates.ts";
import { buildLaunch } from "./agent-launch.ts";
import type { SessionTools } from "./session-tools.ts";

/** An agent that has a session open. */
export interface ReadyAgent {
  readonly agent: AgentConnection;
  readonly sessionId: string;
}

/** What the agent needs of its session. */
export interface AgentOwner {
  readonly entry: AgentEntry;
  readonly state: SessionState;
  readonly cwd: string;
  readonly services: AgentServices;
  tell(action: SessionAction): void;
  warn(message: string): void;
}

type AgentState =
  | { readonly name: "none" }
  | { readonly name: "starting"; readonly started: Promise<ReadyAgent> }
  | { readonly name: "ready"; readonly ready: ReadyAgent }
  | { readonly name: "closed" };

/** One agent process at a time, for one session. `close` ends it for good. */
export class SessionAgent {
  readonly #owner: AgentOwner;
  readonly #tools: SessionTools;
  /** Every process that may not be gone: the one in use, and one that died and left children behind. */
  readonly #processes = new Set<AgentConnection>();
  #state: AgentState = { name: "none" };
  #isReplaying = false;

  constructor(owner: AgentOwner, tools: SessionTools) {
    this.#owner = owner;
    this.#tools = tools;
  }

  /** True while the agent tells a history again that we have: `session/load` does. */
  get isReplaying(): boolean {
    return this.#isReplaying;
  }

  /** The agent while it is ready. */
  get ready(): ReadyAgent | undefined {
    return this.#state.name === "ready" ? this.#state.ready : undefined;
  }

  /** The agent, started or brought back if it is not there. */
  connect(): Promise<ReadyAgent> {
    switch (this.#state.name) {
      case "ready":
        return Promise.resolve(this.#state.ready);
      case "starting":
        return this.#state.started;
      case "closed":
        return Promise.reject(new HostError("ACP_SESSION_NOT_FOUND"));
      case "none": {
        const started = this.#start();
        this.#state = { name: "starting", started };
        return started;
      }
    }
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { name: "closed" };
    await Promise.all([...this.#processes].map((agent) => this.#end(agent)));
    // A start that is under way sees that it came too late, and ends what it started.
    if (state.name === "starting") await state.started.catch(() => {});
  }

  /** Sets a mode: by the agent's option for modes where it has one, else by the older method. */
  async setMode(ready: ReadyAgent, mode: string): Promise<void> {
    const { modes, configOptions } = this.#owner.state;
    const option = configOptions.find((candidate) => candidate.category === "mode");
    if (option !== undefined) return this.setOption(ready, option.id, mode);
    if (modes?.available.some(({ id }) => id === mode) !== true) {
      throw new HostError(
        "ACP_INVALID_OPTION",
        `runtimeMode: this agent has no mode '${mode}'. It has: ${list(modes?.available.map(({ id }) => id))}.`,
      );
    }
    await ready.agent.setMode(ready.sessionId, mode);
    this.#owner.tell({ type: "session/modeChanged", modeId: mode });
  }

  /** Sets one of the options that the agent offers. */
  async setOption({ agent, sessionId }: ReadyAgent, id: string, value: string): Promise<void> {
    const { configOptions } = this.#owner.state;
    const option = configOptions.find((candidate) => candidate.id === id);
    if (option === undefined) {
      throw new HostError(
        "ACP_INVALID_OPTION",
        `extras: this agent has no option '${id}'. It has: ${list(configOptions.map((known) => known.id))}.`,
      );
    }
    if (option.type === "select" && !option.choices.some((choice) => choice.value === value)) {
      throw new HostError(
        "ACP_INVALID_OPTION",
        `${id} cannot be '${value}'. It can be: ${list(option.choices.map((choice) => choice.value))}.`,
      );
    }
    const result = await agent.setConfigOption(
      sessionId,
      id,
      option.type === "boolean" ? value === "true" : value,
    );
    this.#tellOptions(result.configOptions);
  }

  async #start(): Promise<ReadyAgent> {
    const { state, entry, cwd, services } = this.#owner;
    const { keeper, installations } = this.#tools;
    const known = state.backendId;
    if (known !== undefined) this.#owner.tell({ type: "session/resuming" });
    let agent: AgentConnection | undefined;
    try {
      const launch = await buildLaunch(keeper, installations, {
        entry,
        cwd,
        model: state.runtimeOptions.model,
        variables: this.#tools.agentVariables(entry),
      });
      agent = await AgentConnection.start(keeper, launch, services, this.#tools.patience);
      this.#processes.add(agent);
      if (this.#isClosed()) throw new HostError("ACP_SESSION_NOT_FOUND");
      await agent.initialize();
      const ready = await this.#openSession(agent, known);
      if (this.#isClosed()) throw new HostError("ACP_SESSION_NOT_FOUND");
      this.#state = { name: "ready", ready };
      void agent.exited.then(({ stderrTail }) => this.#noteExit(ready.agent, stderrTail));
      return ready;
    } catch (error) {
      if (agent !== undefined) await this.#end(agent);
      if (!this.#isClosed()) this.#state = { name: "none" };
      if (known !== undefined) this.#tellStale("resume-failed");
      throw error instanceof HostError
        ? error
        : new HostError("ACP_SESSION_INIT_FAILED", `${entry.label} could not be started: ${explain(error)}`, {
            cause: error,
          });
    }
  }

  #isClosed(): boolean {
    return this.#state.name === "closed";
  }

  async #openSession(agent: AgentConnection, known: string | undefined): Promise<ReadyAgent> {
    const { cwd } = this.#owner;
    const reopened = known === undefined ? undefined : await this.#reopen(agent, known, cwd);
    const opened = reopened ?? (await agent.newSession(cwd));
    const sessionId = opened.sessionId ?? known ?? "";
    const at = this.#tools.now().toISOString();
    if (known !== undefined && reopened === undefined) {
      this.#owner.tell({
        type: "session/contextLost",
        at,
        reason: "The agent came back without its memory of the turns before.",
      });
    }
    this.#owner.tell({ type: "session/ready", at, backendId: sessionId, agent: describeAgent(agent) });
    if (opened.modes !== undefined && opened.modes !== null) {
      this.#owner.tell({ type: "session/modesChanged", modes: readModes(opened.modes) });
    }
    this.#tellOptions(opened.configOptions);
    await this.#applyOptions({ agent, sessionId });
    return { agent, sessionId };
  }

  /** Brings the agent's own session back; undefined when it is gone, for whatever reason the agent gives. */
  async #reopen(agent: AgentConnection, known: string, cwd: string): Promise<AcpSessionResult | undefined> {
    const means = resumeMeans(agent);
    if (means === "none") return undefined;
    this.#isReplaying = true;
    try {
      return { sessionId: known, ...(await agent.reopenSession(`session/${means}`, known, cwd)) };
    } catch (error) {
      this.#owner.warn(`session/${means} failed: ${explain(error)}`);
      return undefined;
    } finally {
      this.#isReplaying = false;
    }
  }

  async #applyOptions(ready: ReadyAgent): Promise<void> {
    const { model, runtimeMode, extras } = this.#owner.state.runtimeOptions;
    const choice = this.#owner.entry.model[0];
    if (model !== undefined && choice?.by === "configOption") await this.setOption(ready, choice.id, model);
    if (runtimeMode !== undefined) await this.setMode(ready, runtimeMode);
    for (const [id, value] of Object.entries(extras ?? {})) await this.setOption(ready, id, value);
  }

  #tellOptions(options: readonly AcpConfigOption[] | null | undefined): void {
    if (options !== undefined && options !== null) {
      this.#owner.tell({ type: "session/configOptionsChanged", configOptions: readConfigOptions(options) });
    }
  }

  /** The process is gone; the session stays, and the next turn brings an agent back. */
  #noteExit(agent: AgentConnection, stderrTail: readonly string[]): void {
    if (this.ready?.agent !== agent) return;
    this.#state = { name: "none" };
    void this.#end(agent);
    this.#tellStale("agent-exited", stderrTail);
  }

  async #end(agent: AgentConnection): Promise<void> {
    await agent.close();
    this.#processes.delete(agent);
  }

  #tellStale(cause: StaleCause, stderrTail: readonly string[] = []): void {
    const error = { code: "ACP_AGENT_EXITED", message: "The agent's process ended.", stderrTail };
    this.#owner.tell({ type: "session/stale", at: this.#tools.now().toISOString(), cause, error });
  }
}

/** How an agent's memory survives its process. */
function resumeMeans({ info: { agentCapabilities } }: AgentConnection): ConnectedAgent["resume"] {
  if (agentCapabilities?.sessionCapabilities?.resume !== undefined) return "resume";
  return agentCapabilities?.loadSession === true ? "load" : "none";
}

function describeAgent(agent: AgentConnection): ConnectedAgent {
  const { agentInfo, agentCapabilities } = agent.info;
  const prompt = agentCapabilities?.promptCapabilities ?? {};
  const accepts = (["image", "audio", "embeddedContext"] as const).filter((kind) => prompt[kind] === true);
  return {
    name: agentInfo?.name ?? "agent",
    resume: resumeMeans(agent),
    accepts,
    ...(agentInfo?.version !== undefined && { version: agentInfo.version }),
  };
}

function list(names: readonly string[] | undefined): string {
  return names === undefined || names.length === 0 ? "none" : names.join(", ");
}

function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

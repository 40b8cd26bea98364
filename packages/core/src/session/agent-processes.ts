// The processes of a session's agent: started as the session wants them, and ended with all that they started.
import type { SessionState } from "@holdfast/ahp";
import { AgentConnection, type AgentServices } from "../agent/agent-connection.ts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import { buildLaunch } from "./agent-launch.ts";
import type { SessionTools } from "./session-tools.ts";

/** What starting an agent needs of its host. */
export type ProcessTools = Pick<
  SessionTools,
  "keeper" | "installations" | "patience" | "agentVariables" | "hostEnvironment" | "onSecrets" | "redact"
>;

/** What starting an agent needs of its session. */
export interface ProcessOwner {
  readonly entry: AgentEntry;
  readonly state: SessionState;
  readonly cwd: string;
  readonly services: AgentServices;
}

/** Every process that may not be gone: the one in use, and one that died and left children behind. */
export class AgentProcesses {
  readonly #owner: ProcessOwner;
  readonly #tools: ProcessTools;
  readonly #processes = new Set<AgentConnection>();
  #launchedModel: string | undefined;

  constructor(owner: ProcessOwner, tools: ProcessTools) {
    this.#owner = owner;
    this.#tools = tools;
  }

  /** The model that the last process was started with, where the agent takes it then. */
  get launchedModel(): string | undefined {
    return this.#launchedModel;
  }

  /** Starts a process; `offersModels` says whether the agent offers models in its sessions, where that is known. */
  async start(offersModels: boolean | undefined): Promise<AgentConnection> {
    const { state, entry, cwd, services } = this.#owner;
    const { keeper, installations, patience, redact, hostEnvironment = process.env } = this.#tools;
    const launch = await buildLaunch(keeper, installations, {
      entry,
      cwd,
      model: state.runtimeOptions.model,
      offersModels,
      variables: this.#tools.agentVariables(entry),
      forwardedProvider: state.forwardedProvider,
      hostEnvironment,
    });
    this.#tools.onSecrets?.(launch.secrets);
    this.#launchedModel = launch.model;
    const agent = await AgentConnection.start(keeper, launch.request, services, patience, redact);
    this.#processes.add(agent);
    return agent;
  }

  /** Ends a process with all that it started; gives its last words. */
  async end(agent: AgentConnection): Promise<readonly string[]> {
    await agent.close();
    this.#processes.delete(agent);
    return (await agent.exited).stderrTail;
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#processes].map((agent) => this.end(agent)));
  }
}

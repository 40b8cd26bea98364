// One session's agent alone: a real process and the real reducer, without the rest of a host.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  type RuntimeOptions,
  type SessionAction,
  type SessionState,
  channelModels,
  formatSessionKey,
  makeId,
  newSessionState,
  sessionUri,
} from "@holdfast/ahp";
import { Spawner } from "@holdfast/terminal/process";
import type { ProcessPort } from "@holdfast/terminal/port";
import { afterAll, afterEach } from "vitest";
import type { AcpUpdate } from "../agent/acp.ts";
import type { AgentServices } from "../agent/agent-connection.ts";
import { rejectingServices } from "../agent/agent-wire.ts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import { Audit } from "../audit/audit.ts";
import { KnownModels } from "../agent/known-models.ts";
import { ClientToolLeases, type ToolLender } from "../editor/client-tools.ts";
import { McpServers } from "../agent/mcp-servers.ts";
import { Installations } from "../agent/installations.ts";
import { Hub } from "../channel/hub.ts";
import { HostLimits } from "../limit/host-limits.ts";
import { DEFAULT_TIMEOUTS, type Timeouts } from "../timeouts.ts";
import type { AgentContext, AgentDeps } from "../session/agent-context.ts";
import { SessionAgent } from "../session/session-agent.ts";
import { ProcessOwners } from "../terminal/process-owners.ts";
import { MemoryMeta } from "./memory-storage.ts";
import { AgentRecord } from "./agent-record.ts";
import type { Script } from "./script.ts";
import { sharedProcessPort } from "./shared-process-port.ts";

const program = fileURLToPath(new URL("fake-agent.mjs", import.meta.url));

const NO_TOOLS: ToolLender = {
  list: () => [],
  watch: () => () => {},
  call: () => Promise.reject(new Error("Nobody lends a tool")),
};

/** Options of a lone agent. */
export interface LoneAgentOptions {
  /** One script for each process, the last for all later ones. */
  readonly scripts?: readonly Script[];
  /** Catalogue fields of the agent; `launch` replaces the fake agent. */
  readonly entry?: Partial<AgentEntry>;
  readonly runtimeOptions?: RuntimeOptions;
  readonly forwardedProvider?: string;
  readonly timeouts?: Partial<Timeouts>;
  readonly deps?: Partial<AgentDeps>;
}

/** The agent of a session that exists only in this test. */
export class LoneAgent implements AgentContext {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "core-agent-")));
  readonly entry: AgentEntry;
  readonly agent: SessionAgent;
  readonly deps: AgentDeps;
  readonly actions: SessionAction[] = [];
  readonly warnings: string[] = [];
  /** Updates of the agent that arrived here. */
  readonly updates: AcpUpdate[] = [];
  readonly services: AgentServices = makeServices(this);
  readonly sandbox: AgentContext["sandbox"] = {
    isOutdated: false,
    enter: () => Promise.resolve({ id: undefined, level: "none" }),
  };
  hasHistory = false;
  hasCompletedTurn = false;
  readonly ledger = undefined;
  readonly turn = undefined;
  readonly queue = undefined;
  #state: SessionState;

  constructor(processPort: ProcessPort, options: LoneAgentOptions) {
    const { scripts = [{}], entry, runtimeOptions, forwardedProvider, timeouts, deps } = options;
    for (const name of ["work", "other"]) mkdirSync(path.join(this.folder, name));
    writeFileSync(path.join(this.folder, "script.json"), JSON.stringify(scripts));
    const launch = { command: process.execPath, args: [program], env: this.environment };
    this.entry = { ...plainEntry, launch, ...entry };
    const id = makeId("session", crypto.randomUUID());
    this.#state = newSessionState({
      resource: sessionUri(id),
      key: formatSessionKey({ handle: "mine", sessionId: id }),
      provider: makeId("agent", "mine"),
      owner: { kind: "person" },
      title: "Mine",
      at: new Date(0).toISOString(),
      workingDirectories: [],
      runtimeOptions: { cwd: path.join(this.folder, "work"), ...runtimeOptions },
      ...(forwardedProvider !== undefined && { forwardedProvider }),
    });
    this.deps = {
      processPort,
      installations: new Installations(processPort, "0.0.0"),
      mcpServers: new McpServers({}),
      clientTools: new ClientToolLeases(),
      audit: new Audit(() => new Date(0)),
      models: new KnownModels(new MemoryMeta(), () => new Date(0)),
      limits: new HostLimits({ command: {}, agent: {}, session: {}, key: {}, host: {} }),
      timeouts: { ...DEFAULT_TIMEOUTS, ...timeouts },
      clientVersion: "1.2.3",
      now: () => new Date(0),
      agentVariables: () => ({}),
      owners: new ProcessOwners(this.folder),
      hub: new Hub(),
      keepsRuns: false,
      ...deps,
    };
    this.agent = new SessionAgent(this, this.services, NO_TOOLS);
  }

  get uri(): SessionState["resource"] {
    return this.#state.resource;
  }

  /** The environment in which the fake agent's program finds its script. */
  get environment(): Record<string, string> {
    const place = (name: string): string => path.join(this.folder, name);
    return { FAKE_AGENT_SCRIPT: place("script.json"), FAKE_AGENT_RECORD: place("record.ndjson") };
  }

  get state(): SessionState {
    return this.#state;
  }

  get cwd(): string {
    return this.#state.runtimeOptions.cwd ?? "/";
  }

  get heard(): AgentRecord {
    return new AgentRecord(path.join(this.folder, "record.ndjson"));
  }

  /** The types of the actions published so far. */
  get actionTypes(): readonly string[] {
    return this.actions.map(({ type }) => type);
  }

  publish(action: SessionAction): void {
    const { reduce, checkAction } = channelModels.session;
    const checked = checkAction(JSON.parse(JSON.stringify(action)));
    if (!checked.ok) throw new Error(JSON.stringify(checked));
    this.actions.push(action);
    this.#state = reduce(this.#state, action);
  }

  pinRoot(root: string): string {
    return root;
  }

  warn(message: string): void {
    this.warnings.push(message);
  }

  /** Runs a turn to its end. */
  async prompt(text: string, options?: Parameters<SessionAgent["connect"]>[0]): Promise<string> {
    const { agent, sessionId } = await this.agent.connect(options);
    const { stopReason } = await agent.prompt(sessionId, [{ type: "text", text }]);
    this.hasHistory = true;
    this.hasCompletedTurn = true;
    return stopReason;
  }

  /** Changes options as a session does: the agent first, then the published state. */
  async change(changes: RuntimeOptions): Promise<void> {
    await this.agent.change(changes);
    this.publish({ type: "session/runtimeOptionsChanged", changes });
  }

  /** The session as the next host finds it: the same state, and nothing that was only in memory. */
  restart(): SessionAgent {
    return new SessionAgent(this, this.services, NO_TOOLS);
  }

  async close(): Promise<void> {
    await this.agent.close();
    rmSync(this.folder, { recursive: true });
  }
}

const plainEntry: Omit<AgentEntry, "launch"> = {
  id: "mine",
  handles: ["mine"],
  label: "Mine",
  builtIn: false,
  alternatives: [],
  keepSecrets: [],
  model: [],
  forwarding: {},
  quirks: [],
  commandEnvironment: {},
  throughHost: [],
  asks: true,
  askModes: [],
};

function makeServices({ updates, warnings }: Pick<LoneAgent, "updates" | "warnings">): AgentServices {
  return {
    ...rejectingServices("A lone agent has nobody to ask"),
    update: (update) => void updates.push(update),
    updateText: (update, text) => void updates.push({ ...update, text }),
    joinsText: () => false,
    warn: (message) => void warnings.push(message),
  };
}

/** Makes lone agents that are closed after each test; with an environment, by a separate process port. */
export function useLoneAgents(
  environment?: Readonly<Record<string, string>>,
): (options?: LoneAgentOptions) => LoneAgent {
  const agents: LoneAgent[] = [];
  const ownPort =
    environment &&
    new Spawner({ environment: { PATH: process.env["PATH"], HOME: tmpdir(), ...environment } });
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((agent) => agent.close()));
  });
  afterAll(() => ownPort?.close());
  return (options = {}) => {
    const agent = new LoneAgent(ownPort ?? sharedProcessPort(), options);
    agents.push(agent);
    return agent;
  };
}

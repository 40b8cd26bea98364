// The launch of a session's agent: program, arguments and environment, with the model and the provider chosen at launch.
import { randomUUID } from "node:crypto";
import { limitOutcome } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { LimitScope, ProcessPort, RunLimits, RunRequest } from "@holdfast/terminal/port";
import {
  AgentConnection,
  type AgentConnectionOptions,
  type AgentExit,
  type AgentServices,
  type SavedConnection,
} from "../agent/agent-connection.ts";
import { AgentLedger } from "../agent/agent-ledger.ts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import type { Installations } from "../agent/installations.ts";
import { ALLOWED } from "../audit/audit.ts";
import { describeActor } from "../audit/describe-actor.ts";
import { portNameOf } from "../limit/limit-kind.ts";
import { findLaunchChoice, modelNameOf } from "../agent/known-models.ts";
import { type Environment, forwardProvider } from "../agent/provider-forwarding.ts";
import type { StoredRun } from "../ports.ts";
import type { SessionContext } from "./session-context.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionSandbox } from "./session-sandbox.ts";

/** Dependencies of the launch. */
export interface LaunchRequest {
  readonly entry: AgentEntry;
  readonly cwd: string;
  readonly model: string | undefined;
  /** Whether the agent offers the model in its sessions; undefined before its first. */
  readonly offersModel: boolean | undefined;
  readonly variables: Readonly<Record<string, string>>;
  /** Whose credentials the agent is to use; its own if undefined. */
  readonly forwardedProvider: string | undefined;
  /** Where a provider's credentials are read from. */
  readonly hostEnvironment: Environment;
  readonly limits?: RunLimits;
  /** The limits that it shares with others. */
  readonly scopes?: readonly LimitScope[];
}

/** Program, arguments and environment of an agent. */
export interface AgentLaunch {
  readonly request: Omit<RunRequest, "kind">;
  /** The model that it is started with, where it takes it then. */
  readonly model: string | undefined;
  /** Values in its environment that nobody may be shown. */
  readonly secrets: readonly string[];
}

/** The launch of an agent; one that is not installed or cannot use the provider is an error that says so. */
export async function buildLaunch(
  processPort: ProcessPort,
  installations: Installations,
  request: LaunchRequest,
): Promise<AgentLaunch> {
  const { entry, cwd, variables, forwardedProvider, hostEnvironment } = request;
  const forwarding =
    forwardedProvider === undefined ? undefined : forwardProvider(entry, forwardedProvider, hostEnvironment);
  const chosen = chooseModel(request);
  const installation = await installations.find(entry);
  if (!installation.installed) {
    throw new HostError(
      "ACP_SESSION_INIT_FAILED",
      `${entry.label} is not installed: ${installation.searched}. Install it, or set its command under agents in the configuration.`,
    );
  }
  const { launch } = installation;
  const given = { ...launch.env, ...variables, ...forwarding?.variables, ...chosen.variables };
  const env = await processPort.buildEnvironment({
    audience: "agent-command",
    hasScreen: false,
    // With a provider's credentials at hand, an agent has no use for those of others.
    keepSecrets: forwarding === undefined ? [...(entry.auth?.env ?? []), ...entry.keepSecrets] : [],
    variables: given,
  });
  for (const name of forwarding?.withheld ?? []) if (!Object.hasOwn(given, name)) delete env[name];
  return {
    request: {
      command: launch.command,
      args: [...launch.args, ...(forwarding?.args ?? []), ...chosen.args],
      cwd: entry.cwd ?? cwd,
      env,
      ...(request.limits !== undefined && { limits: request.limits }),
      ...(request.scopes !== undefined && { scopes: request.scopes }),
    },
    model: chosen.model,
    secrets: forwarding?.secrets ?? [],
  };
}

function chooseModel({ entry, model, offersModel }: LaunchRequest): {
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly model: string | undefined;
} {
  const choice = findLaunchChoice(entry, offersModel);
  if (model === undefined || choice === undefined) return { args: [], variables: {}, model: undefined };
  const name = modelNameOf(entry, model);
  if (choice.by === "env") return { args: [], variables: { [choice.name]: name }, model };
  // A model's name must not set any other option of the program.
  if (name.startsWith("-")) {
    throw new HostError("ACP_INVALID_OPTION", `model: '${model}' is not a model name.`);
  }
  return { args: [choice.flag, name], variables: {}, model };
}

/** Parts of the host that starting an agent needs. */
export type ProcessDeps = Pick<
  SessionDeps,
  | "processPort"
  | "owners"
  | "installations"
  | "timeouts"
  | "clientVersion"
  | "agentVariables"
  | "hostEnvironment"
  | "limits"
  | "audit"
  | "onSecrets"
  | "redact"
  | "hub"
  | "keepsRuns"
>;

/** Parts of the session's context that starting an agent needs. */
export type ProcessContext = Pick<SessionContext, "entry" | "state" | "cwd" | "warn" | "uri" | "ledger"> & {
  readonly deps: ProcessDeps;
  readonly sandbox: Pick<SessionSandbox, "enter">;
};

/** The notes on an agent's run for the host that attaches to it. */
export interface AgentTag {
  readonly kind: "agent";
  readonly run: string;
  readonly session: string;
  readonly marker: string;
}

/** The launch of an agent as the next host gets to know it. */
export interface SavedLaunch {
  readonly launchedModel?: string | undefined;
  readonly connection: SavedConnection;
}

/** Every process that may not be gone: the one in use, and one that died and left children behind. */
export class AgentProcesses {
  readonly #context: ProcessContext;
  readonly #services: AgentServices;
  readonly #describe: (agent: AgentConnection | undefined) => object;
  readonly #processes = new Set<AgentConnection>();
  #launchedModel: string | undefined;
  #environment: Readonly<Record<string, string | undefined>> = {};

  /** `describe` gives what the next host needs to know of the session and the agent. */
  constructor(
    context: ProcessContext,
    services: AgentServices,
    describe: (agent: AgentConnection | undefined) => object,
  ) {
    this.#context = context;
    this.#services = services;
    this.#describe = describe;
  }

  /** The model that the last process was started with, where the agent takes it then. */
  get launchedModel(): string | undefined {
    return this.#launchedModel;
  }

  /** The variables that the last process was started with. */
  get environment(): Readonly<Record<string, string | undefined>> {
    return this.#environment;
  }

  /** Starts a process; `offersModel` says whether the agent offers the model in its sessions, where that is known. */
  async start(offersModel: boolean | undefined): Promise<AgentConnection> {
    const { state, entry, cwd, deps } = this.#context;
    const { processPort, installations } = deps;
    const { hostEnvironment = process.env } = deps;
    const launch = await buildLaunch(processPort, installations, {
      entry,
      cwd,
      model: state.runtimeOptions.model,
      // An agent may list a model only because it was launched with it.
      offersModel: state.runtimeOptions.model === this.#launchedModel ? false : offersModel,
      variables: deps.agentVariables(entry, state),
      forwardedProvider: state.forwardedProvider,
      hostEnvironment,
      limits: deps.limits.agentLimits(state),
      scopes: deps.limits.scopesOf(state),
    });
    deps.onSecrets?.(launch.secrets);
    this.#launchedModel = launch.model;
    this.#environment = launch.request.env;
    const marker = deps.owners.issue({ kind: "session", uri: state.resource });
    const { id: sandbox } = await this.#context.sandbox.enter();
    const name = randomUUID();
    const tag: AgentTag = { kind: "agent", run: name, session: state.resource, marker };
    const request = {
      ...launch.request,
      marker,
      sandbox,
      key: name,
      tag: JSON.stringify(tag),
      whileAway: "keep",
    } as const;
    let agent: AgentConnection | undefined;
    const ledger = this.#openLedger(name, () => agent);
    try {
      agent = await AgentConnection.start(processPort, request, this.#services, { ...this.#options, ledger });
    } catch (error) {
      ledger?.end();
      throw error;
    }
    this.#processes.add(agent);
    void agent.exited.then((exit) => this.#recordExit(exit, cwd));
    return agent;
  }

  /** An agent that a limit has ended is on record (V700). */
  #recordExit({ limit, exitCode, signal }: AgentExit, cwd: string): void {
    if (limit === undefined) return;
    const { state, entry, deps } = this.#context;
    try {
      deps.audit.record({
        session: state.key,
        what: "agent-exit",
        subject: entry.id,
        cwd,
        by: describeActor({ kind: "host" }),
        ...ALLOWED,
        outcome: limitOutcome(limit),
        ...(exitCode !== null && { exitCode }),
        ...(signal !== null && { signal }),
        limit: portNameOf(limit),
      });
    } catch (error) {
      this.#context.warn(`The end of the agent was not recorded: ${String(error)}`);
    }
  }

  /** The agent of an earlier host, which still runs; its owner attaches it. */
  restore(stored: StoredRun, saved: SavedLaunch): AgentConnection {
    this.#launchedModel = saved.launchedModel;
    const ledger = this.#openLedger(stored.run, () => agent, stored);
    const options = { ...this.#options, ledger };
    const agent = AgentConnection.restore(saved.connection, stored, this.#services, options);
    this.#processes.add(agent);
    const { cwd } = this.#context;
    void agent.exited.then((exit) => this.#recordExit(exit, cwd));
    return agent;
  }

  get #options(): AgentConnectionOptions {
    const { timeouts, clientVersion, redact } = this.#context.deps;
    return { timeouts, clientVersion, redact };
  }

  #openLedger(
    name: string,
    agent: () => AgentConnection | undefined,
    stored?: StoredRun,
  ): AgentLedger | undefined {
    const { deps, uri } = this.#context;
    if (!deps.keepsRuns) return undefined;
    const describe = (): object => this.#describe(agent());
    const ledger = new AgentLedger(name, { hub: deps.hub, session: uri, describe }, stored);
    this.#context.ledger = ledger;
    // From its start on, the next host knows what the process is for.
    ledger.changed();
    return ledger;
  }

  /** Ends a process with all that it started; gives its last lines of stderr. */
  async end(agent: AgentConnection): Promise<readonly string[]> {
    await agent.close();
    this.#processes.delete(agent);
    return (await agent.exited).stderrTail;
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#processes].map((agent) => this.end(agent)));
  }
}

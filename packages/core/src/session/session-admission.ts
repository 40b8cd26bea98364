// Admission of sessions: whether a caller may have one with this agent and these options, and what it gets by default.
import type { ApprovalPolicy, RuntimeOptions, SessionState } from "@holdfast/ahp";
import { DEFAULT_CEILING, type Config, HostError, type SessionOptions } from "@holdfast/protocol";
import type { AgentEntries, AgentEntry } from "../agent/agent-entry.ts";
import { type Caller, ownerOf, submitterOf } from "../caller.ts";
import { checkWorkingDirectory } from "../resource/files.ts";
import { policyWithin } from "../rules/ceiling-rules.ts";
import type { RightsHolder } from "./rights.ts";
import type { SessionDeps } from "./session-deps.ts";

/** The rules that new sessions are held to. */
export type SessionRules = Pick<Config, "defaults" | "allowedAgents" | "maxSessions" | "acp"> & {
  readonly defaultCwd: string;
};

/** A session that may be opened: its agent, and every option that its creator or the configuration chose. */
export interface ChosenSession {
  readonly entry: AgentEntry;
  readonly options: SessionOptions;
  readonly runtimeOptions: RuntimeOptions & { readonly cwd: string };
}

/** The admission of one host. */
export class SessionAdmission {
  readonly #deps: Pick<SessionDeps, "mcpServers" | "limits" | "isolation" | "rights">;
  readonly #entries: AgentEntries;
  readonly #rules: SessionRules;

  constructor(
    deps: Pick<SessionDeps, "mcpServers" | "limits" | "isolation" | "rights">,
    entries: AgentEntries,
    rules: SessionRules,
  ) {
    this.#deps = deps;
    this.#entries = entries;
    this.#rules = rules;
  }

  /** The agent that a name means, or the default one. */
  lookUp(name = this.#rules.defaults.agent): AgentEntry | undefined {
    return this.#entries.lookUp(name);
  }

  /** Whether the configuration lets an agent be started. */
  mayStart(entry: AgentEntry): boolean {
    return this.#rules.acp.enabled && this.#isAllowed(entry);
  }

  /** Throws unless one more session with an agent may be open. */
  requireRoom(liveCount: number): void {
    if (liveCount >= this.#rules.maxSessions) throw new HostError("ACP_MAX_SESSIONS");
  }

  /** Chooses the options of a new session, and throws when its creator may not have it. */
  async choose(wanted: Partial<SessionOptions>, caller: Caller): Promise<ChosenSession> {
    const options = { ...wanted, agent_id: wanted.agent_id ?? this.#rules.defaults.agent };
    const entry = this.#admit(options.agent_id);
    const { mcpServers, limits, isolation, rights } = this.#deps;
    mcpServers.check(options.mcpServers ?? []);
    limits.checkSession(options, ownerOf(caller));
    const level = isolation.choose(options.isolation, caller);
    const chosen = await this.#chooseOptions(options);
    const { cwd: folder, approvalPolicy = appPolicy(caller) } = chosen;
    const runtimeOptions = { ...chosen, ...(approvalPolicy !== undefined && { approvalPolicy }) };
    await rights.require(submitterOf(caller), { agent: entry, folder, policy: approvalPolicy ?? null });
    return { entry, options: { ...options, isolation: level }, runtimeOptions };
  }

  /** The agent of a session that is to be opened again with the options it has; throws when that is not allowed now. */
  async chooseAgain(
    { provider, key, runtimeOptions }: Pick<SessionState, "provider" | "key" | "runtimeOptions">,
    by: RightsHolder,
  ): Promise<AgentEntry> {
    const entry = this.#admit(provider);
    const { cwd: folder = this.#rules.defaultCwd, approvalPolicy: policy = null } = runtimeOptions;
    await checkWorkingDirectory(folder);
    await this.#deps.rights.require(by, { agent: entry, folder, policy }, key);
    return entry;
  }

  #admit(agentId: string): AgentEntry {
    if (!this.#rules.acp.enabled) throw new HostError("ACP_DISABLED");
    const entry = this.#entries.find(agentId);
    if (!this.#isAllowed(entry)) throw new HostError("ACP_AGENT_NOT_ALLOWED");
    return entry;
  }

  #isAllowed({ id }: AgentEntry): boolean {
    const { allowedAgents } = this.#rules;
    return allowedAgents?.some((name) => this.#entries.lookUp(name)?.id === id) ?? true;
  }

  async #chooseOptions({
    cwd,
    model,
    approvalPolicy,
    timeoutSeconds,
    runtimeMode,
    extras,
    limits,
  }: SessionOptions): Promise<RuntimeOptions & { cwd: string }> {
    const { defaults, defaultCwd } = this.#rules;
    const folder = cwd ?? defaults.cwd ?? defaultCwd;
    await checkWorkingDirectory(folder);
    const chosen = {
      model: model ?? defaults.model,
      approvalPolicy: approvalPolicy ?? defaults.approvalPolicy,
      timeoutSeconds: timeoutSeconds ?? defaults.timeoutSeconds,
      runtimeMode: runtimeMode ?? defaults.runtimeMode,
      extras,
      limits,
    };
    return {
      cwd: folder,
      ...Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined)),
    };
  }
}

/** The policy of a session for which its creator names none. */
function appPolicy(caller: Caller): ApprovalPolicy | undefined {
  return caller.kind === "app" ? policyWithin(caller.ceiling ?? DEFAULT_CEILING) : undefined;
}

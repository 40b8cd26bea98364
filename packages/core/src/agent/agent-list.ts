// The list of a host's agents: whether each is installed, and its models, asked for where they are unknown (N286).
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type AgentInfo as RootAgent, makeId, ROOT_URI } from "@holdfast/ahp";
import { type AgentInfo, type ModelListing, modelMembers } from "@holdfast/protocol";
import type { Hub } from "../channel/hub.ts";
import type { AgentEntry } from "./agent-entry.ts";
import type { Installation, Installations } from "./installations.ts";
import type { KnownModels } from "./known-models.ts";
import type { ModelProbes, ProbeResult } from "./model-probe.ts";
import { signInRemedy } from "./sign-in.ts";

/** Dependencies of the agent list. */
export interface AgentListParts {
  readonly entries: readonly AgentEntry[];
  readonly installations: Installations;
  readonly models: KnownModels;
  readonly probes: ModelProbes;
  /** How long a list waits for agents that are being asked. */
  readonly waitMs: number;
  /** Whether the configuration lets an agent be started at all. */
  mayStart(entry: AgentEntry): boolean;
  readonly redact?: ((text: string) => string) | undefined;
}

/** `known` lists what agents have reported, `ask` also starts those that have not. */
export type ModelQuery = "none" | "known" | "ask";

interface Failure {
  readonly atMs: number;
  readonly error: string;
}

/** Pause before an agent whose models could not be read is asked again. */
const retryMs = 5 * 60 * 1000;

/** The agents of one host. */
export class AgentList {
  readonly #parts: AgentListParts;
  readonly #failures = new Map<string, Failure>();

  constructor(parts: AgentListParts) {
    this.#parts = parts;
  }

  /** Begins to look for every agent, with the models that are known already. */
  look(): AgentLook[] {
    // Nobody is asked for models here, so nothing can be late.
    const never = new Promise<"late">(() => undefined);
    return this.#parts.entries.map((entry) => ({ id: entry.id, info: this.#readOne(entry, "known", never) }));
  }

  async read(query: ModelQuery): Promise<AgentInfo[]> {
    const { entries, waitMs } = this.#parts;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), waitMs);
    });
    try {
      return await Promise.all(entries.map((entry) => this.#readOne(entry, query, late)));
    } finally {
      clearTimeout(timer);
    }
  }

  async #readOne(entry: AgentEntry, query: ModelQuery, late: Promise<"late">): Promise<AgentInfo> {
    const found = await this.#parts.installations.find(entry);
    const models = query === "none" ? undefined : await this.#modelsOf(entry, found, query, late);
    return describeAgent(entry, found, models);
  }

  async #modelsOf(
    entry: AgentEntry,
    found: Installation,
    query: "known" | "ask",
    late: Promise<"late">,
  ): Promise<ModelListing> {
    const { models } = this.#parts;
    const version = found.installed ? found.version : null;
    const list = (error: string | null): ModelListing => models.list(entry.id, version, error);
    if (!found.installed || entry.builtIn || models.knows(entry.id, version)) return list(null);
    if (query === "known" || !this.#parts.mayStart(entry)) return list(null);
    if (!found.authReady) return list(`${entry.label} is not signed in, so it was not asked for its models.`);
    const failed = this.#failures.get(entry.id);
    if (failed !== undefined && performance.now() - failed.atMs < retryMs) return list(failed.error);
    const result = await Promise.race([this.#ask(entry, version), late]);
    if (result === "late") return list(`${entry.label} has not reported its models yet. Ask again.`);
    return list(result.ok ? null : result.error);
  }

  async #ask(entry: AgentEntry, version: string | null): Promise<ProbeResult> {
    const result = await this.#parts.probes.ask(entry);
    if (result.ok) {
      this.#failures.delete(entry.id);
      this.#parts.models.note(entry.id, version, result.option, "probe");
      return result;
    }
    const error = this.#parts.redact?.(result.error) ?? result.error;
    this.#failures.set(entry.id, { atMs: performance.now(), error });
    return { ok: false, error };
  }
}

/** One agent as it was found on this machine, with its models where they are wanted. */
function describeAgent(entry: AgentEntry, found: Installation, models: ModelListing | undefined): AgentInfo {
  const providers = Object.keys(entry.forwarding);
  return {
    id: entry.id,
    label: entry.label,
    handles: entry.handles,
    installed: found.installed,
    authReady: found.installed && found.authReady,
    version: found.installed ? found.version : null,
    status: found.installed ? "installed" : "not_installed",
    ...(found.installed && !found.authReady && { remedy: signInRemedy(entry) }),
    ...(!found.installed && entry.installCommand !== undefined && { installCommand: entry.installCommand }),
    supported: true,
    supportsProviderForwarding: providers.length > 0,
    forwardableProviders: providers,
    ...(models !== undefined && modelMembers(models)),
  };
}

/** The list in the model's terms. */
function describeAgents(agents: readonly AgentInfo[]): RootAgent[] {
  return agents.map((agent) => ({
    provider: makeId("agent", agent.id),
    displayName: agent.label,
    description: agent.installed ? `${agent.label} over ACP` : `${agent.label} is not installed`,
    handles: agent.handles,
    installation: agent.installed
      ? {
          status: "installed",
          authReady: agent.authReady,
          ...(agent.version !== null && { version: agent.version }),
        }
      : { status: "not-installed" },
    launch: "acp",
    forwardableProviders: agent.forwardableProviders ?? [],
    models: (agent.models ?? []).map(({ id, name = id }) => ({ id, name })),
  }));
}

/** One agent that is being looked for. */
export interface AgentLook {
  readonly id: string;
  readonly info: Promise<AgentInfo>;
}

/** Dependencies of the publisher. */
export interface PublishedAgentsDeps {
  readonly hub: Hub;
  /** Begins to look for every agent. */
  readonly look: () => readonly AgentLook[];
  readonly onFault: (error: unknown) => void;
}

/** An agent that answers `--version` later than this is left out of the list until it does. */
const firstListMs = 1000;

/** Keeps the root's list of agents. */
export class PublishedAgents {
  readonly #deps: PublishedAgentsDeps;

  constructor(deps: PublishedAgentsDeps) {
    this.#deps = deps;
  }

  /** Looks for agents again; resolves when the list has those found within a second, the rest follow (E321). */
  async publish(): Promise<void> {
    const { look, onFault } = this.#deps;
    const looks = look();
    const found = new Map<string, AgentInfo>();
    const all = Promise.all(
      looks.map(async ({ id, info }) => {
        found.set(id, await info);
      }),
    ).then(() => this.#dispatch(looks, found));
    const abort = new AbortController();
    const timeout = delay(firstListMs, "timeout", { signal: abort.signal, ref: false });
    // An aborted timer rejects, and nobody waits for it then.
    timeout.catch(() => {});
    try {
      const isTimeout = (await Promise.race([all, timeout])) === "timeout";
      if (!isTimeout) return;
    } finally {
      abort.abort();
    }
    all.catch(onFault);
    this.#dispatch(looks, found);
  }

  /** An agent that is not found yet keeps its place in the list, if it had one. */
  #dispatch(looks: readonly AgentLook[], found: ReadonlyMap<string, AgentInfo>): void {
    const { hub } = this.#deps;
    const before = hub.state(ROOT_URI, "root")?.agents ?? [];
    const agents = looks.flatMap(({ id }) => {
      const info = found.get(id);
      return info === undefined ? before.filter(({ provider }) => provider === id) : describeAgents([info]);
    });
    if (isDeepStrictEqual(agents, before)) return;
    hub.dispatch(ROOT_URI, { type: "root/agentsChanged", agents });
  }
}

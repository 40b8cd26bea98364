// The models of each agent as it last reported them, kept across restarts with their version and time (N41).
import type { ConfigOption } from "@holdfast/ahp";
import type { ModelChoice, ModelListing } from "@holdfast/protocol";
import type { Meta } from "../ports.ts";
import type { AgentEntry } from "./agent-entry.ts";

/** The stored models of one agent. */
interface KeptModels {
  /** The agent's version when it reported them; null where it is unknown. */
  readonly version: string | null;
  readonly at: string;
  /** Whether a client's session or the host's own probe reported them. */
  readonly by: "session" | "probe";
  readonly models: readonly { readonly id: string; readonly name: string }[];
}

const keyPrefix = "agent-models:";
/** A catalogue of a thousand models is more than anybody reads; the list goes out whole with every look. */
const maxModels = 1000;
const refreshMs = 60 * 60 * 1000;

/** The models of the host's agents. */
export class KnownModels {
  readonly #meta: Meta;
  readonly #now: () => Date;

  constructor(meta: Meta, now: () => Date) {
    this.#meta = meta;
    this.#now = now;
  }

  /** Keeps what an agent offers now; nothing at all is kept too, so that it is not asked again. */
  note(
    agentId: string,
    version: string | null,
    option: SelectOption | undefined,
    by: KeptModels["by"],
  ): void {
    const choices = option?.choices.slice(0, maxModels) ?? [];
    const models = choices.map(({ value, name }) => ({ id: value, name }));
    const known = this.#read(agentId);
    const now = this.#now();
    const isFresh = known !== undefined && now.getTime() - Date.parse(known.at) < refreshMs;
    const isSaid = JSON.stringify(known?.models) === JSON.stringify(models) && known?.version === version;
    if (isFresh && isSaid) return;
    const kept: KeptModels = { version, at: now.toISOString(), by, models };
    this.#meta.set(keyPrefix + agentId, JSON.stringify(kept));
  }

  /** Whether this version of an agent has reported its models, be it none. */
  knows(agentId: string, version: string | null): boolean {
    const kept = this.#read(agentId);
    return kept !== undefined && isSame(kept, version);
  }

  /** The models that an agent reported last; those of another version are a fallback, and nothing has no source. */
  list(agentId: string, version: string | null, error: string | null = null): ModelListing {
    const kept = this.#read(agentId);
    if (kept === undefined) return { models: [], source: null, error, at: null };
    const source = isSame(kept, version) ? "provider_api" : "fallback";
    return { models: kept.models, source, error, at: kept.at };
  }

  #read(agentId: string): KeptModels | undefined {
    const text = this.#meta.get(keyPrefix + agentId);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as KeptModels;
    } catch {
      // An entry that cannot be read is dropped; the agent reports it again.
      return undefined;
    }
  }
}

/** A version that could not be found out, as under load, is no reason to doubt what is known. */
function isSame(kept: KeptModels, version: string | null): boolean {
  return version === null || kept.version === null || kept.version === version;
}

/** A way to choose a model when the agent is started. */
export type LaunchChoice = Extract<ModelChoice, { by: "flag" | "env" }>;

/** An option with a list of values. */
export type SelectOption = Extract<ConfigOption, { type: "select" }>;

/** The option by which an agent's model is chosen in a session: the one that the catalogue names, else any of that category. */
export function findModelOption(
  options: readonly ConfigOption[],
  { model }: Pick<AgentEntry, "model"> = { model: [] },
): SelectOption | undefined {
  const ids = new Set(model.flatMap((choice) => (choice.by === "configOption" ? [choice.id] : [])));
  const selects = options.filter((option): option is SelectOption => option.type === "select");
  return selects.find(({ id }) => ids.has(id)) ?? selects.find(({ category }) => category === "model");
}

/**
 * How the model is chosen at the start, if it is then.
 * A way that the catalogue puts first is always taken; another only once the agent is known not to offer the model in its sessions.
 */
export function findLaunchChoice(
  { model: [first, ...others] }: AgentEntry,
  offersModel: boolean | undefined,
): LaunchChoice | undefined {
  if (first !== undefined && isLaunchChoice(first)) return first;
  return offersModel === false ? others.find(isLaunchChoice) : undefined;
}

function isLaunchChoice(choice: ModelChoice): choice is LaunchChoice {
  return choice.by === "flag" || choice.by === "env";
}

/** The name of a model as a flag or variable takes it; the id itself where the catalogue knows no difference. */
export function modelNameOf({ modelName }: Pick<AgentEntry, "modelName">, id: string): string {
  return modelName === undefined ? id : (new RegExp(modelName).exec(id)?.[1] ?? id);
}

/**
 * The offered id that a requested name stands for: the id itself, else one with the same name, preferring the one in force.
 * Qwen offers `qwen3(openai)` for what its flag calls `qwen3`.
 */
export function findOfferedModel(
  entry: Pick<AgentEntry, "modelName">,
  { choices, currentValue }: SelectOption,
  requested: string,
): string | undefined {
  const ids = choices.map(({ value }) => value);
  if (ids.includes(requested)) return requested;
  const name = modelNameOf(entry, requested);
  const named = ids.filter((id) => modelNameOf(entry, id) === name);
  return named.includes(currentValue) ? currentValue : named[0];
}

// An agent that the host can start: from the catalogue, or the user's own.
import { createRequire } from "node:module";
import type { CatalogueAgent, Config, OwnAgent } from "@holdfast/protocol";
import { readCatalogue, unknownAgent } from "@holdfast/protocol";

/** An agent's description, before the host looks for it on the machine. */
export interface AgentEntry extends CatalogueAgent {
  /** Where its process is started; the session's directory if absent. */
  readonly cwd?: string | undefined;
  /** The agent of the catalogue that it is, or that it was made from. */
  readonly catalogueId?: string | undefined;
  /** Whether the user's configuration names it. */
  readonly isOwn?: boolean | undefined;
}

/** The built-in agent's program, which only the package that ships the host knows. */
export interface BuiltInProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly version: string;
}

/** Entries of the configuration that cannot be used, each named by its place. */
export class AgentConfigError extends Error {
  override readonly name = "AgentConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join(" "));
    this.problems = problems;
  }
}

/**
 * The agents of the catalogue and the configuration, in the order in which they are listed (N30).
 * An own entry under the id or a handle of an agent of the catalogue is that agent, changed; any other comes after those.
 */
export class AgentEntries {
  readonly #entries: readonly AgentEntry[];
  readonly #byName: ReadonlyMap<string, AgentEntry>;

  constructor(config: Pick<Config, "agents">, shell: BuiltInProgram) {
    const catalogue = loadCatalogue().map((entry): AgentEntry => ({
      ...entry,
      catalogueId: entry.id,
      ...(entry.builtIn && {
        launch: { ...entry.launch, command: shell.command, args: [...shell.args] },
      }),
    }));
    const problems = findProblems(config.agents, catalogue);
    if (problems.length > 0) throw new AgentConfigError(problems);
    const own = Object.entries(config.agents).map(([name, agent]) => makeOwnEntry(name, agent, catalogue));
    const known = catalogue.map((entry) => own.find(({ id }) => id === entry.id) ?? entry);
    const others = own.filter(({ id }) => !catalogue.some((entry) => entry.id === id));
    this.#entries = withoutSharedNames([...known, ...others]);
    this.#byName = new Map(
      this.#entries.flatMap((entry) => [entry.id, ...entry.handles].map((name) => [name, entry] as const)),
    );
  }

  get all(): readonly AgentEntry[] {
    return this.#entries;
  }

  /** The agent that a name means: its id or one of its handles (N860). */
  lookUp(name: string): AgentEntry | undefined {
    return this.#byName.get(name);
  }

  /** The same; a name that no agent has is an error. */
  find(name: string): AgentEntry {
    const entry = this.lookUp(name);
    if (entry !== undefined) return entry;
    const ids = this.#entries.map(({ id }) => id);
    throw unknownAgent(name, ids);
  }

  /** The agent of a session that is kept, also when it was taken out of the configuration since. */
  findKept(id: string): AgentEntry {
    return this.lookUp(id) ?? plainEntry(id);
  }
}

/** Each handle at one agent: an id is its agent's alone, and of handles those of the configuration come first. */
function withoutSharedNames(entries: readonly AgentEntry[]): AgentEntry[] {
  const owners = new Map(entries.map(({ id }) => [id, id]));
  for (const { id, handles } of entries.toSorted(
    (a, b) => Number(b.isOwn ?? false) - Number(a.isOwn ?? false),
  )) {
    for (const handle of handles) if (!owners.has(handle)) owners.set(handle, id);
  }
  return entries.map((entry) => ({
    ...entry,
    handles: entry.handles.filter((handle) => owners.get(handle) === entry.id),
  }));
}

/** An entry of the configuration: what it says, and for the rest what the agent that it extends has. */
function makeOwnEntry(name: string, agent: OwnAgent, catalogue: readonly AgentEntry[]): AgentEntry {
  const { extends: extended, command, args, env, cwd, label, handles = [], ...traits } = agent;
  const same = findNamed(catalogue, name);
  const base = extended === undefined ? same : findNamed(catalogue, extended);
  const program = base?.launch ?? { command: name, args: [], env: {} };
  const id = same?.id ?? name;
  const given = Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== undefined));
  return {
    ...(base ?? plainEntry(id)),
    // Another program is no longer one of those that the catalogue knows as alternatives, nor the one that ships.
    ...(command !== undefined && { alternatives: [], builtIn: false }),
    ...given,
    id,
    handles: [...new Set([...(same?.handles ?? [name]), ...handles])],
    label: label ?? (same !== undefined ? same.label : base === undefined ? name : `${base.label} (${name})`),
    cwd,
    catalogueId: base?.catalogueId,
    isOwn: true,
    launch: {
      command: command ?? program.command,
      args: args ?? program.args,
      env: { ...program.env, ...env },
    },
  };
}

function findProblems(agents: Config["agents"], catalogue: readonly AgentEntry[]): string[] {
  const namesById = new Map<string, string>();
  return Object.entries(agents).flatMap(([name, { extends: extended, command }]) => {
    const same = findNamed(catalogue, name);
    const other = same && namesById.get(same.id);
    if (same !== undefined) namesById.set(same.id, name);
    if (other !== undefined && same !== undefined) {
      return [`agents.${other} and agents.${name} both change ${same.label}. Keep one of them.`];
    }
    const base = extended === undefined ? same : findNamed(catalogue, extended);
    if (base !== undefined || (extended === undefined && command !== undefined)) return [];
    if (extended === undefined) {
      return [`agents.${name}.command is required, unless the agent extends one of the catalogue.`];
    }
    const ids = catalogue.map(({ id }) => id).join(", ");
    return [`agents.${name}.extends names ${extended}, which is not in the catalogue. It has: ${ids}.`];
  });
}

/** An agent of the catalogue, whose names differ. */
function findNamed(entries: readonly AgentEntry[], name: string): AgentEntry | undefined {
  return entries.find(({ id }) => id === name) ?? entries.find(({ handles }) => handles.includes(name));
}

/** An agent of which nothing but its name is known. */
function plainEntry(id: string): AgentEntry {
  return {
    id,
    handles: [id],
    label: id,
    builtIn: false,
    launch: { command: id, args: [], env: {} },
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
}

function loadCatalogue(): readonly AgentEntry[] {
  const data: unknown = createRequire(import.meta.url)("./catalogue.json");
  const checked = readCatalogue(data);
  if (!checked.ok) {
    throw new Error(
      `The catalogue is not valid: ${checked.problems.map(({ path, message }) => `${path} ${message}`).join("; ")}`,
    );
  }
  return checked.value.agents;
}

/** The built-in agent's own variables; all others with this prefix are kept from agents (T4). */
export function shellVariables(stateFolder: string): Readonly<Record<string, string>> {
  const { HOLDFAST_SHELL_TEST_COMMANDS: testCommands } = process.env;
  return {
    HOLDFAST_SHELL_STATE: stateFolder,
    ...(testCommands !== undefined && { HOLDFAST_SHELL_TEST_COMMANDS: testCommands }),
  };
}

// An agent that the host can start: from the catalogue, or the user's own.
import { createRequire } from "node:module";
import type { CatalogueAgent, Config } from "@holdfast/protocol";
import { readCatalogue, unknownAgent } from "@holdfast/protocol";

/** What the host knows of an agent before it looks for it on the machine. */
export interface AgentEntry extends CatalogueAgent {
  /** Where its process is started; the session's directory if absent. */
  readonly cwd?: string | undefined;
}

/** The built-in agent's program, which only whoever ships the host knows. */
export interface BuiltInProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly version: string;
}

/** The agents of the catalogue and the configuration; an agent of the user's own replaces one of the same name. */
export class AgentEntries {
  readonly #entries: readonly AgentEntry[];
  readonly #own: readonly AgentEntry[];

  constructor(config: Pick<Config, "agents">, shell: BuiltInProgram) {
    const catalogue = loadCatalogue();
    const own = Object.entries(config.agents).map(([id, agent]): AgentEntry => ({
      id,
      handles: [id],
      label: agent.label ?? id,
      cwd: agent.cwd,
      builtIn: false,
      launch: { command: agent.command, args: agent.args, env: agent.env },
      alternatives: [],
      model: [],
      forwarding: {},
      // Whoever names an agent of the catalogue starts it in another way: what it cannot do, it still cannot.
      quirks: findNamed(catalogue, id)?.quirks ?? [],
    }));
    const taken = new Set(own.map((entry) => entry.id));
    const known = catalogue.filter((entry) => !taken.has(entry.id));
    // The user's own come last in a list, but are found first: a name of theirs means theirs.
    this.#own = own;
    this.#entries = [
      ...known.map((entry) =>
        entry.builtIn
          ? { ...entry, launch: { ...entry.launch, command: shell.command, args: [...shell.args] } }
          : entry,
      ),
      ...own,
    ];
  }

  get all(): readonly AgentEntry[] {
    return this.#entries;
  }

  /** An agent by its id or one of its handles. */
  find(name: string): AgentEntry {
    const entry = findNamed([...this.#own, ...this.#entries], name);
    if (entry === undefined) throw unknownAgent(name);
    return entry;
  }

  /** The agent of a session that is kept, also when it was taken out of the configuration since. */
  findKept(id: string): AgentEntry {
    return this.#entries.find((entry) => entry.id === id) ?? lostEntry(id);
  }
}

function findNamed(entries: readonly AgentEntry[], name: string): AgentEntry | undefined {
  return entries.find(({ id, handles }) => id === name || handles.includes(name));
}

/** What is known of an agent that is neither in the catalogue nor in the configuration any more. */
function lostEntry(id: string): AgentEntry {
  return {
    id,
    handles: [id],
    label: id,
    builtIn: false,
    launch: { command: id, args: [], env: {} },
    alternatives: [],
    model: [],
    forwarding: {},
    quirks: [],
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

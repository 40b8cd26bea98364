// The processes of an agent's tree that are not the agent itself: what it was asked to start and left running (N285).
import path from "node:path";
import type { TreeProcess } from "@holdfast/terminal/port";
import type { AcpMcpServer } from "./acp.ts";

const shownProcesses = 3;
const shownCharacters = 80;
const controls = /[\u0000-\u001F\u007F-\u009F]+/g;

/** An agent's own processes as the next host gets to know them. */
export interface SavedProcesses {
  readonly pids: readonly number[];
  readonly commands: readonly string[];
  readonly serverEndings: readonly string[];
}

/** The agent's own processes: those that its tree had when its session was open, and its MCP servers. */
export class OwnProcesses {
  readonly #pids: ReadonlySet<number>;
  /** An agent may start one of its processes again; it is known by its command line then. */
  readonly #commands: ReadonlySet<string>;
  /** Agents start these when they please, and wrappers rewrite their command lines but for the end. */
  readonly #serverEndings: readonly string[];

  constructor({ pids, commands, serverEndings }: SavedProcesses) {
    this.#pids = new Set(pids);
    this.#commands = new Set(commands);
    this.#serverEndings = serverEndings;
  }

  /** Takes what its tree has now for the agent's own, and what its MCP servers will start. */
  static find(processes: readonly TreeProcess[], servers: readonly AcpMcpServer[]): OwnProcesses {
    return new OwnProcesses({
      pids: processes.map(({ pid }) => pid),
      commands: processes.map(({ command }) => command),
      serverEndings: servers.flatMap((server) =>
        "command" in server ? [server.args.at(-1) ?? path.basename(server.command)] : [],
      ),
    });
  }

  get saved(): SavedProcesses {
    return { pids: [...this.#pids], commands: [...this.#commands], serverEndings: this.#serverEndings };
  }

  /** Those of a tree that are none of the agent's own. */
  findOthers(processes: readonly TreeProcess[]): readonly TreeProcess[] {
    return processes.filter(
      ({ pid, command }) =>
        !this.#pids.has(pid) &&
        !this.#commands.has(command) &&
        !this.#serverEndings.some(
          (ending) => command.endsWith(` ${ending}`) || command.endsWith(`/${ending}`),
        ),
    );
  }
}

/** Processes in one line for people. */
export function describeProcesses(processes: readonly TreeProcess[]): string {
  const shown = processes.slice(0, shownProcesses).map(({ pid, command }) => {
    const text = command.replaceAll(controls, " ").trim();
    return `${text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text} (process ${pid})`;
  });
  const more = processes.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

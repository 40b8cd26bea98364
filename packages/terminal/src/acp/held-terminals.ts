// The terminals of one ACP session: the holder of each, and those that were released or run on in the background.
import type { TreeProcess } from "../process/port.ts";
import { type AcpExitStatus, NO_STATUS } from "./shapes.ts";

/** The interface that a held terminal must have. */
export interface HeldTerminal {
  readonly id: string;
  readonly state: { readonly name: "running" } | { readonly name: "exited" };
  readonly exited: Promise<AcpExitStatus>;
  kill(): Promise<readonly TreeProcess[]>;
  /** Gives back what belongs to processes once none is left; resolves with the survivors. */
  settle(): Promise<readonly TreeProcess[]>;
  close(): Promise<void>;
}

/** Holder of a terminal, who decides over it. Only terminals of the agent end with their release. */
export type Holder = "agent" | "person" | "background";

/** Released terminals whose output is kept for display; the oldest go first. */
const maxShown = 64;

/** A terminal of a session, and whether its agent may still name it. */
export interface SavedHolding {
  readonly id: string;
  readonly place: "live" | "background" | "released";
  readonly holder: Holder;
}

interface Entry<Terminal> {
  readonly terminal: Terminal;
  holder: Holder;
  detachment: Detachment;
}

/** The moment from which a terminal runs without its agent. */
interface Detachment {
  readonly happened: Promise<void>;
  readonly happen: () => void;
}

/** The terminals of one session. `close` ends them all. */
export class HeldTerminals<Terminal extends HeldTerminal> {
  readonly #live = new Map<string, Entry<Terminal>>();
  readonly #released = new Map<string, Terminal>();
  readonly #background = new Map<string, Terminal>();
  /** Those that somebody waits for. */
  readonly #awaited = new Set<Detachment>();

  add(terminal: Terminal): void {
    this.#live.set(terminal.id, { terminal, holder: "agent", detachment: newDetachment() });
  }

  /** The terminals as the next host gets to know them. */
  get saved(): readonly SavedHolding[] {
    const holding = (id: string, place: SavedHolding["place"], holder: Holder): SavedHolding => ({
      id,
      place,
      holder,
    });
    return [
      ...[...this.#live].map(([id, { holder }]) => holding(id, "live", holder)),
      ...[...this.#background.keys()].map((id) => holding(id, "background", "background")),
      ...[...this.#released.keys()].map((id) => holding(id, "released", "agent")),
    ];
  }

  /** Holds a terminal as an earlier host did. */
  restore(terminal: Terminal, { place, holder }: Omit<SavedHolding, "id">): void {
    if (place === "background") this.#background.set(terminal.id, terminal);
    else if (place === "released") this.#released.set(terminal.id, terminal);
    else {
      this.add(terminal);
      this.hold(terminal.id, holder);
    }
  }

  /** The terminal while the agent may name it. */
  find(terminalId: string): Terminal | undefined {
    return this.#live.get(terminalId)?.terminal;
  }

  /** Those that the agent may name. */
  get live(): readonly Terminal[] {
    return [...this.#live.values()].map(({ terminal }) => terminal);
  }

  /** The terminal behind an id, also after its release. */
  display(terminalId: string): Terminal | undefined {
    return this.find(terminalId) ?? this.#background.get(terminalId) ?? this.#released.get(terminalId);
  }

  /** Terminals that run on; those that have ended since the last look are moved to the shown. */
  async listBackground(): Promise<readonly Terminal[]> {
    await Promise.all([...this.#background.values()].map((terminal) => this.#file(terminal)));
    return [...this.#background.values()];
  }

  /** Whether anything still runs, held by the agent or left behind by it. */
  async hasRunning(): Promise<boolean> {
    for (const { terminal } of this.#live.values()) {
      if (terminal.state.name === "running" || (await terminal.settle()).length > 0) return true;
    }
    return (await this.listBackground()).length > 0;
  }

  /** Sets the holder of a terminal that the agent may name. After a detach, a new holder starts a new wait. */
  hold(terminalId: string, holder: Holder): void {
    const entry = this.#live.get(terminalId);
    if (entry === undefined) return;
    if (entry.holder === "background" && holder !== "background") entry.detachment = newDetachment();
    entry.holder = holder;
    if (holder === "background") entry.detachment.happen();
  }

  /** Forgets a terminal without ending it; the caller owns it from now on. */
  letGo(terminalId: string): void {
    this.#live.delete(terminalId);
    this.#background.delete(terminalId);
    this.#released.delete(terminalId);
  }

  /** Resolves with the exit, or without a status when the terminal continues without the agent. */
  async wait(terminalId: string): Promise<AcpExitStatus> {
    const entry = this.#live.get(terminalId);
    if (entry === undefined) return NO_STATUS;
    const { terminal, detachment } = entry;
    const exited = terminal.exited.then(({ exitCode, signal }) => ({ exitCode, signal }));
    this.#awaited.add(detachment);
    try {
      return await Promise.race([exited, detachment.happened.then(() => NO_STATUS)]);
    } finally {
      this.#awaited.delete(detachment);
    }
  }

  /** Drops the agent's handle; undefined for an unknown id, else what runs on in the background. */
  async release(terminalId: string): Promise<readonly TreeProcess[] | undefined> {
    const entry = this.#live.get(terminalId);
    if (entry === undefined) return undefined;
    this.#live.delete(terminalId);
    const { terminal, holder, detachment } = entry;
    if (terminal.state.name === "running" && holder === "agent") {
      let left: readonly TreeProcess[] | undefined;
      try {
        left = await terminal.kill();
      } finally {
        // What could not be ended runs on, and its exit may never come.
        if (left?.length !== 0) detachment.happen();
      }
    }
    return this.#file(terminal);
  }

  async close(): Promise<void> {
    const live = [...this.#live.values()].map((entry) => entry.terminal);
    const all = [...live, ...this.#background.values(), ...this.#released.values()];
    this.#live.clear();
    this.#background.clear();
    this.#released.clear();
    await Promise.all(all.map((terminal) => terminal.close())).finally(() => {
      for (const { happen } of this.#awaited) happen();
    });
  }

  /** Puts a terminal that the agent cannot name any more where it belongs; returns what is left of its tree. */
  async #file(terminal: Terminal): Promise<readonly TreeProcess[]> {
    const survivors = await terminal.settle();
    if (terminal.state.name === "running" || survivors.length > 0) {
      this.#background.set(terminal.id, terminal);
    } else await this.#show(terminal);
    return survivors;
  }

  async #show(terminal: Terminal): Promise<void> {
    this.#background.delete(terminal.id);
    this.#released.set(terminal.id, terminal);
    const [oldest] = this.#released.values();
    if (this.#released.size <= maxShown || oldest === undefined) return;
    this.#released.delete(oldest.id);
    await oldest.close();
  }
}

function newDetachment(): Detachment {
  let happen = (): void => {};
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happened, happen };
}

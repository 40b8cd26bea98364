// A client, a small host and the wires between them, for tests.
import { AhpClient, type AhpClientOptions, type ClientEvent } from "../client/ahp-client.ts";
import type { TerminalAction } from "../model/terminal/terminal-actions.ts";
import { ManualTiming } from "./manual-timing.ts";
import { MemoryWire } from "./memory-wire.ts";
import { newStates } from "./states.ts";
import { TinyHost } from "./tiny-host.ts";

/** The terminal that is there from the start. */
export const TERMINAL = newStates.terminal.resource;
/** The session that is there from the start. */
export const SESSION = newStates.session.resource;

/** Everything that a test of the client needs. */
export class ClientBench {
  readonly host = new TinyHost();
  readonly timing = new ManualTiming();
  readonly events: ClientEvent[] = [];
  readonly client: AhpClient;
  /** Whether the host can be reached. */
  isReachable = true;
  #wires: MemoryWire[] = [];

  constructor(options: Partial<AhpClientOptions> = {}) {
    this.host.open(TERMINAL, "terminal", newStates.terminal);
    this.host.open(SESSION, "session", newStates.session);
    this.client = new AhpClient({
      clientId: "ada",
      open: () => this.#open(),
      timing: this.timing,
      ...options,
    });
    this.client.listen((event) => this.events.push(event));
  }

  /** The newest wire. */
  get wire(): MemoryWire {
    const wire = this.#wires.at(-1);
    if (!wire) throw new Error("There was no wire yet.");
    return wire;
  }

  /** How many wires there have been. */
  get wireCount(): number {
    return this.#wires.length;
  }

  /** Waits until the next attempt is due, makes it, and lets it finish. */
  async comeBack(): Promise<void> {
    await quiet();
    this.timing.advance(this.timing.nextInMs ?? 0);
    await quiet();
  }

  async #open(): Promise<MemoryWire["client"]> {
    if (!this.isReachable) throw new Error("The host cannot be reached.");
    const wire = new MemoryWire();
    this.#wires = [...this.#wires, wire];
    this.host.accept(wire.host);
    return wire.client;
  }
}

/** Lets everything that is underway in memory arrive: nothing there waits for more than a turn of the loop. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** A new title of a terminal. */
export function title(text: string): TerminalAction {
  return { type: "terminal/titleChanged", title: text, source: "person" };
}

// A client and a host in memory, with a clock and a connection that a test controls.
import { AhpClient, type AhpClientOptions, type ClientEvent } from "../client/ahp-client.ts";
import type { Timing } from "../client/timing.ts";
import type { MessageTransport } from "../client/transport.ts";
import type { TerminalAction } from "../model/terminal/terminal.ts";
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
  /** Whether connections open; else they wait for `letOpen`. */
  mayOpen = true;
  /** Whether new wires hold everything back until they are released. */
  holdsNewWires = false;
  openCount = 0;
  readonly #waitingToOpen: (() => void)[] = [];
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

  /** Opens the connections that wait, and those to come. */
  letOpen(): void {
    this.mayOpen = true;
    for (const open of this.#waitingToOpen.splice(0)) open();
  }

  async #open(): Promise<MemoryWire["client"]> {
    this.openCount += 1;
    if (!this.isReachable) throw new Error("The host cannot be reached.");
    if (!this.mayOpen) await new Promise<void>((resolve) => this.#waitingToOpen.push(resolve));
    const wire = new MemoryWire();
    if (this.holdsNewWires) wire.hold();
    this.#wires = [...this.#wires, wire];
    this.host.accept(wire.host);
    return wire.client;
  }
}

/** Lets everything that is underway in memory arrive: nothing there waits for more than a tick. */
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

/** One end of a wire. */
class End implements MessageTransport {
  readonly #wire: MemoryWire;
  other: End | undefined;
  #onMessage: ((text: string) => void) | undefined;
  #onClose: ((cause?: unknown) => void) | undefined;
  #isClosed = false;

  constructor(wire: MemoryWire) {
    this.#wire = wire;
  }

  send(text: string): void {
    if (!this.#isClosed) this.#wire.carry(() => this.other?.arrive(text));
  }

  onMessage(listener: (text: string) => void): void {
    this.#onMessage = listener;
  }

  onClose(listener: (cause?: unknown) => void): void {
    this.#onClose = listener;
  }

  close(): void {
    this.#wire.cut();
  }

  arrive(text: string): void {
    if (!this.#isClosed) this.#onMessage?.(text);
  }

  lose(cause = new Error("The wire was cut.")): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose?.(cause);
  }
}

/** A wire with two ends. What is on it when it is cut never arrives. */
export class MemoryWire {
  readonly client: MessageTransport;
  readonly host: MessageTransport;
  readonly #ends: readonly End[];
  #isHeld = false;
  #isCut = false;
  #underway: (() => void)[] = [];

  constructor() {
    const client = new End(this);
    const host = new End(this);
    client.other = host;
    host.other = client;
    this.client = client;
    this.host = host;
    this.#ends = [client, host];
  }

  /** Whether nothing goes over the wire any more. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Holds everything back until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Delivers what was held back, in order, and holds no more; with a number, only the first so many messages. */
  release(count = Number.POSITIVE_INFINITY): void {
    for (let left = count; left > 0 && this.#underway.length > 0; left -= 1) this.#underway.shift()?.();
    if (count === Number.POSITIVE_INFINITY) this.#isHeld = false;
  }

  /** Cuts the wire; its ends get the cause. */
  cut(cause?: Error): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#underway = [];
    for (const end of this.#ends) end.lose(cause);
  }

  /** Takes a message from one of the ends. */
  carry(deliver: () => void): void {
    if (this.#isCut) return;
    if (this.#isHeld) {
      this.#underway.push(deliver);
      return;
    }
    queueMicrotask(() => {
      if (this.#isHeld) this.#underway.push(deliver);
      else if (!this.#isCut) deliver();
    });
  }
}

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Time that a test moves, and chance that it sets. */
export class ManualTiming implements Timing {
  chance = 0.5;
  #nowMs = 0;
  #timers: readonly Timer[] = [];

  /** How long until the next timer; undefined when there is none. */
  get nextInMs(): number | undefined {
    const dueMs = this.#timers.map((timer) => timer.dueMs);
    return dueMs.length === 0 ? undefined : Math.min(...dueMs) - this.#nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  random(): number {
    return this.chance;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers = [...this.#timers, timer];
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Moves the clock while no timer runs, as on a computer that sleeps. */
  sleep(forMs: number): void {
    this.#nowMs += forMs;
  }

  /** Moves the clock and calls what is due, in order. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      const due = this.#timers.filter(({ dueMs }) => dueMs <= untilMs);
      const [next] = due.toSorted((one, other) => one.dueMs - other.dueMs);
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
    }
    this.#nowMs = untilMs;
  }
}

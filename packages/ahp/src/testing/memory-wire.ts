// A wire in memory between a client and a host that can be slow and can be cut.
import type { MessageTransport } from "../client/transport.ts";

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

  lose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose?.(new Error("The wire was cut."));
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

  /** Cuts the wire. */
  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#underway = [];
    for (const end of this.#ends) end.lose();
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

// Asks the transport to stop reading while too much waits to be handled.

/** The side of a transport that can be told to wait; Node's readable streams are one as they are. */
export interface MessageSource {
  pause(): unknown;
  resume(): unknown;
}

/** How much may wait before reading stops. */
export interface QueueLimits {
  queuedMessages: number;
  queuedBytes: number;
}

/** Pauses the source while at least one gauge is over its limit. */
export class Brake {
  readonly #source: MessageSource | undefined;
  #holders = 0;

  constructor(source: MessageSource | undefined) {
    this.#source = source;
  }

  hold(): void {
    this.#holders += 1;
    if (this.#holders === 1) this.#source?.pause();
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#source?.resume();
  }
}

/** Counts what waits in one place: holds the brake above the limits and lets go at half of them. */
export class Gauge {
  readonly #limits: QueueLimits;
  readonly #brake: Brake;
  #messages = 0;
  #bytes = 0;
  #isHolding = false;

  constructor(limits: QueueLimits, brake: Brake) {
    this.#limits = limits;
    this.#brake = brake;
  }

  add(sizeBytes: number): void {
    this.#messages += 1;
    this.#bytes += sizeBytes;
    if (this.#isHolding || !this.#isOver(1)) return;
    this.#isHolding = true;
    this.#brake.hold();
  }

  remove(sizeBytes: number): void {
    this.#messages -= 1;
    this.#bytes -= sizeBytes;
    if (!this.#isHolding || this.#isOver(0.5)) return;
    this.#isHolding = false;
    this.#brake.release();
  }

  #isOver(share: number): boolean {
    const { queuedMessages, queuedBytes } = this.#limits;
    return this.#messages > queuedMessages * share || this.#bytes > queuedBytes * share;
  }
}

// Lets a reader sleep until there is something to read, or until it has been silent for too long.

/** Why a sleep ended. */
export type Waking = "readable" | "silent" | "closed";

/** One reader's sleep. It has a timer of its own until it is closed. */
export class ReadSignal {
  readonly #timer: NodeJS.Timeout;
  #wake: ((waking: Waking) => void) | undefined;
  #isClosed = false;

  constructor(silenceMs: number) {
    this.#timer = setTimeout(() => this.#rouse("silent"), silenceMs);
    // A stream is kept alive by its socket, never by its heartbeat.
    this.#timer.unref();
  }

  /** There is something to read. Whoever is awake reads before it sleeps, so nothing is remembered. */
  readonly notify = (): void => {
    this.#rouse("readable");
  };

  /** Sleeps. One sleep at a time. */
  sleep(): Promise<Waking> {
    if (this.#isClosed) return Promise.resolve("closed");
    this.#timer.refresh();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Ends the sleep for good. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#rouse("closed");
  }

  #rouse(waking: Waking): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.(waking);
  }
}

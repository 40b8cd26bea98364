// Tells the first of a burst at once and the last of the rest together, so that what changes often costs little.

/** A value that may change in bursts. `close` drops what still waits. */
export class Burst<Value> {
  readonly #tell: (value: Value) => void;
  readonly #pauseMs: number;
  #waiting: { readonly value: Value } | undefined;
  #pause: NodeJS.Timeout | undefined;

  constructor(pauseMs: number, tell: (value: Value) => void) {
    this.#pauseMs = pauseMs;
    this.#tell = tell;
  }

  set(value: Value): void {
    if (this.#pause !== undefined) {
      this.#waiting = { value };
      return;
    }
    this.#tell(value);
    this.#pause = setTimeout(() => this.#resume(), this.#pauseMs);
    this.#pause.unref();
  }

  /** Tells now what waits. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#tell(waiting.value);
  }

  close(): void {
    clearTimeout(this.#pause);
    this.#waiting = undefined;
  }

  #resume(): void {
    this.#pause = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.set(waiting.value);
  }
}

// A throttle: publishes the first of many changes at once, and of the rest only the last, so that frequent changes cost little.

/** A value that may change often in a short time. `close` drops a change that still waits. */
export class Throttle<Value> {
  readonly #emit: (value: Value) => void;
  readonly #pauseMs: number;
  #waiting: { readonly value: Value } | undefined;
  #pause: NodeJS.Timeout | undefined;

  constructor(pauseMs: number, emit: (value: Value) => void) {
    this.#pauseMs = pauseMs;
    this.#emit = emit;
  }

  set(value: Value): void {
    if (this.#pause !== undefined) {
      this.#waiting = { value };
      return;
    }
    this.#emit(value);
    this.#pause = setTimeout(() => this.#resume(), this.#pauseMs);
    this.#pause.unref();
  }

  /** Tells now what waits. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#emit(waiting.value);
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

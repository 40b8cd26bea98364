// Carries the news that there is something to read from what is read to whoever reads it, who may come later.

/** One reader's signal. */
export class ReadSignal {
  #listener: (() => void) | undefined;

  /** There is something to read. Who does not listen yet reads everything when it comes, so nothing is remembered. */
  readonly notify = (): void => {
    this.#listener?.();
  };

  /** Calls the one reader from now on. */
  listen(listener: () => void): void {
    this.#listener = listener;
  }
}

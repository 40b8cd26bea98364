// Keys as a person presses them, while a question is open and only then.
import type { Streams } from "../../console.ts";

/** Ctrl-C, which steers nothing by itself while keys are read one by one. */
export const INTERRUPT_KEY = "\u0003";
/** Ctrl-D. */
const endKey = "\u0004";

/** The keyboard of one question. `close` gives it back to the terminal. */
export class Keys {
  readonly #stdin: Streams["stdin"];
  #onKey: ((key: string | undefined) => void) | undefined;
  #hasEnded = false;
  readonly #take = (chunk: Buffer | string): void => this.#tell(String(chunk));
  readonly #end = (): void => {
    this.#hasEnded = true;
    this.#onKey?.(undefined);
  };

  /** From now on keys are not echoed, and what nobody waits for is thrown away: it was typed for something else. */
  constructor(stdin: Streams["stdin"]) {
    this.#stdin = stdin;
    stdin.setRawMode(true);
    stdin.on("data", this.#take).on("end", this.#end).resume();
  }

  /** The next key; undefined when there is nobody to press one. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    if (this.#hasEnded || signal.aborted) return undefined;
    return new Promise((resolve) => {
      const settle = (key: string | undefined): void => {
        this.#onKey = undefined;
        signal.removeEventListener("abort", onAbort);
        resolve(key);
      };
      const onAbort = (): void => settle(undefined);
      signal.addEventListener("abort", onAbort);
      this.#onKey = settle;
    });
  }

  close(): void {
    this.#stdin.off("data", this.#take).off("end", this.#end).pause();
    this.#stdin.setRawMode(false);
  }

  /** Several characters at once were pasted, or are a key that means nothing here. */
  #tell(chunk: string): void {
    const key = chunk.length > 1 ? chunk.replace(/[\r\n]+$/, "") : chunk;
    if (key.length !== 1) return;
    this.#onKey?.(key === endKey ? undefined : key);
  }
}

// Input typed during a turn, which belongs to nobody: it is read and dropped, so that the person's shell does not execute it (C870).
import process from "node:process";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Streams } from "../../console.ts";
import { RawInput, signalGroup } from "../../raw-input.ts";

interface DroppedInputParts {
  readonly stdin: Streams["stdin"];
  /** A line was typed. */
  readonly onLine: () => void;
  /** Ctrl-C was pressed, where that sends no signal. */
  readonly onInterrupt: () => void;
}

const interruptKey = "\u0003";
const quitKey = "\u001C";

/** Reads only a terminal; a pipe is left alone. `close` gives it back. */
export class DroppedInput {
  readonly #parts: DroppedInputParts;
  #input: RawInput | undefined;

  constructor(parts: DroppedInputParts) {
    this.#parts = parts;
    this.resume();
  }

  /** Leaves the keyboard to a question. */
  pause(): void {
    this.#input?.close();
    this.#input = undefined;
  }

  resume(): void {
    const { stdin } = this.#parts;
    if (!stdin.isTTY || this.#input !== undefined) return;
    this.#input = new RawInput({ stdin, onText: (text) => this.#drop(text), isRequired: false });
  }

  async close(): Promise<void> {
    // What waits in the terminal is readable at once, and read before the second of these.
    await nextTick();
    await nextTick();
    this.pause();
  }

  #drop(text: string): void {
    const { onLine, onInterrupt } = this.#parts;
    for (const key of text) {
      if (key === interruptKey && process.platform === "win32") onInterrupt();
      else if (key === interruptKey) signalGroup("SIGINT");
      else if (key === quitKey && process.platform !== "win32") {
        this.pause();
        signalGroup("SIGQUIT");
      } else if (key === "\r" || key === "\n") onLine();
    }
  }
}

// The input of a command that runs on pipes: taken once wherever it is sent again, and no faster than it is read (U35).
import { KeeperError } from "@holdfast/keeper/port";
import { HostError } from "@holdfast/protocol";
import type { TerminalProgram } from "./display-run.ts";

/** Where a piece of input belongs. */
export interface InputPlace {
  /** The offset of its first byte in all of the input; absent: it follows what was taken before. */
  readonly offset?: number | undefined;
  /** Whether the input ends with it. */
  readonly isLast?: boolean | undefined;
}

/** The pipe to one command's stdin. */
export class PipedInput {
  readonly #run: TerminalProgram;
  #takenBytes = 0;
  #state: "open" | "over" = "open";
  #waiting: (() => void)[] = [];

  /** `exited` lets those go who wait for a command that reads no more. */
  constructor(run: TerminalProgram, exited: Promise<unknown>) {
    this.#run = run;
    run.onDrain(() => this.#letGo());
    void exited.then(() => {
      this.#state = "over";
      this.#letGo();
    });
  }

  /** Hands a piece to the command; resolves when there is room for the next. */
  async take(bytes: Uint8Array, { offset = this.#takenBytes, isLast = false }: InputPlace): Promise<void> {
    const repeatedBytes = this.#takenBytes - offset;
    if (repeatedBytes < 0) {
      throw new HostError("INVALID_REQUEST", `offset: ${this.#takenBytes} bytes of input were taken so far.`);
    }
    const fresh = bytes.subarray(repeatedBytes);
    if (this.#state === "over") {
      if (fresh.length > 0) throw new HostError("TERMINAL_EXITED", "The command takes no more input.");
      return;
    }
    const hasRoom = fresh.length === 0 || this.#write(fresh);
    this.#takenBytes += fresh.length;
    if (isLast) {
      this.#state = "over";
      this.#run.endInput();
    }
    if (!hasRoom) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #write(bytes: Uint8Array): boolean {
    try {
      return this.#run.write(bytes);
    } catch (cause) {
      if (!(cause instanceof KeeperError)) throw cause;
      throw new HostError("TERMINAL_EXITED", "The command takes no more input.", { cause });
    }
  }

  #letGo(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

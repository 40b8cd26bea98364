// The input of a command that runs on pipes: accepted once wherever it is sent again, and no faster than it is read (U35).
import { type Run, TerminalError } from "@holdfast/terminal/port";
import { HostError } from "@holdfast/protocol";

/** Where a piece of input belongs. */
export interface InputPlace {
  /** The offset of its first byte in all of the input; absent: it follows the input so far. */
  readonly offset?: number | undefined;
  /** Whether the input ends with it. */
  readonly isLast?: boolean | undefined;
}

type PipedRun = Pick<Run, "write" | "onDrain" | "endInput" | "inputOffset" | "inputTaken">;

/** The pipe to one command's stdin. */
export class PipedInput {
  readonly #run: PipedRun;
  #takenBytes: number;
  #state: "open" | "over" = "open";
  #waiting: (() => void)[] = [];

  /** `exited` releases callers that wait for a command that reads no more. */
  constructor(run: PipedRun, exited: Promise<unknown>) {
    this.#run = run;
    this.#takenBytes = run.inputOffset;
    run.onDrain(() => this.#release());
    void exited.then(() => {
      this.#state = "over";
      this.#release();
    });
  }

  /** Hands a piece to the command; resolves when no kill of the host can lose it, and there is space for the next. */
  async take(bytes: Uint8Array, { offset = this.#takenBytes, isLast = false }: InputPlace): Promise<void> {
    const repeatedBytes = this.#takenBytes - offset;
    if (repeatedBytes < 0) {
      throw new HostError(
        "INVALID_REQUEST",
        `offset: leaves a gap. Continue at ${this.#takenBytes}, the number of bytes accepted so far.`,
      );
    }
    const fresh = bytes.subarray(repeatedBytes);
    if (this.#state === "over") {
      if (fresh.length > 0) throw new HostError("TERMINAL_EXITED", "The command accepts no more input.");
      return;
    }
    const hasRoom = fresh.length === 0 || this.#write(fresh);
    this.#takenBytes += fresh.length;
    if (isLast) {
      this.#state = "over";
      this.#run.endInput();
    }
    if (!hasRoom) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await this.#run.inputTaken().catch((cause: unknown) => {
      throw new HostError("TERMINAL_EXITED", "The command accepts no more input.", { cause });
    });
  }

  #write(bytes: Uint8Array): boolean {
    try {
      return this.#run.write(bytes);
    } catch (cause) {
      if (!(cause instanceof TerminalError)) throw cause;
      throw new HostError("TERMINAL_EXITED", "The command accepts no more input.", { cause });
    }
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

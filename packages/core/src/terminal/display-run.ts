// The run of a terminal whose program the agent runs itself: it passes on what the agent reports.
import { randomUUID } from "node:crypto";
import { type Run, type RunSink, TerminalError, type TreeProcess } from "@holdfast/terminal/port";

/** The error for input, resizes and kills of a displayed command. */
export const ONLY_SHOWN =
  "The agent runs this command itself, and it is only shown here. Cancel the turn to stop it.";

/** A displayed command as the next host gets to know it. */
export interface SavedDisplayRun {
  readonly state: "running" | "exited" | "ended";
  readonly writtenBytes: number;
  readonly half: string;
}

/** A command of which only the output and the end are known. */
export class DisplayRun implements Run {
  readonly id = randomUUID();
  readonly pid = 0;
  readonly kind = "text";
  readonly tree = "process-group";
  readonly limits = {};
  readonly limitBackends = undefined;
  readonly inputOffset = 0;
  readonly #sink: RunSink;
  readonly #refusal: string;
  #state: "running" | "exited" | "ended" = "running";
  #writtenBytes = 0;
  /** The first half of a character that an agent has cut in two. */
  #half = "";

  constructor(
    sink: RunSink,
    { state = "running", writtenBytes = 0, half = "" }: Partial<SavedDisplayRun> = {},
    refusal = ONLY_SHOWN,
  ) {
    this.#sink = sink;
    this.#refusal = refusal;
    this.#state = state;
    this.#writtenBytes = writtenBytes;
    this.#half = half;
  }

  get saved(): SavedDisplayRun {
    return { state: this.#state, writtenBytes: this.#writtenBytes, half: this.#half };
  }

  get hasExited(): boolean {
    return this.#state !== "running";
  }

  /** Whether nothing more is taken. */
  get hasEnded(): boolean {
    return this.#state === "ended";
  }

  /** Shows text; an agent may cut it within a character. */
  appendText(text: string): void {
    const all = this.#half + text;
    const isCut = isFirstHalf(all.charCodeAt(all.length - 1));
    this.#half = isCut ? all.slice(-1) : "";
    this.#push(Buffer.from(isCut ? all.slice(0, -1) : all));
  }

  append(bytes: Uint8Array): void {
    this.#flushHalf();
    this.#push(bytes);
  }

  /** The command has ended; both are null where the agent did not report how. Its output may still come. */
  exit(exitCode: number | null, signal: string | null): void {
    if (this.#state !== "running") return;
    this.#flushHalf();
    this.#state = "exited";
    this.#sink.exit({
      exitCode,
      signal,
      finalOffset: this.#writtenBytes,
      finalErrorOffset: 0,
      limit: undefined,
      lost: exitCode === null && signal === null,
    });
  }

  /** Nothing more is taken. */
  finish(): void {
    this.exit(null, null);
    if (this.#state === "ended") return;
    this.#flushHalf();
    this.#state = "ended";
    this.#sink.end();
  }

  async end(_graceMs: number): Promise<readonly TreeProcess[]> {
    this.finish();
    return [];
  }

  async members(): Promise<readonly []> {
    return [];
  }

  write(): never {
    throw this.#refuse();
  }

  resize(): never {
    throw this.#refuse();
  }

  async interrupt(): Promise<void> {
    throw this.#refuse();
  }

  onDrain(): void {
    // There is no input that could wait.
  }

  async inputTaken(): Promise<void> {
    // It has no input.
  }

  endInput(): void {
    // There is no input that could end.
  }

  hold(): void {
    // An agent's own command cannot be held up from here.
  }

  acknowledge(): void {
    // There is no process whose bytes somebody holds.
  }

  release(): void {
    this.#state = "ended";
  }

  #refuse(): TerminalError {
    return new TerminalError("not_supported", this.#refusal);
  }

  #flushHalf(): void {
    if (this.#half === "") return;
    const half = Buffer.from(this.#half);
    this.#half = "";
    this.#push(half);
  }

  #push(bytes: Uint8Array): void {
    if (this.#state === "ended" || bytes.length === 0) return;
    const offset = this.#writtenBytes;
    this.#writtenBytes += bytes.length;
    this.#sink.bytes("output", bytes, offset);
  }
}

/** Whether a unit of UTF-16 is the first of a pair. */
function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

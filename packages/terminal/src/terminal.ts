// One terminal: a run and what has been seen of it. Readable until it is closed, whatever became of the command.
import type {
  ExitStatus,
  LimitName,
  LimitsInForce,
  Run,
  RunExit,
  RunKind,
  RunSink,
  ScreenSize,
  Spawner,
  TreeMechanism,
  TreeProcess,
} from "./process/index.ts";
import type { ByteSubscription, TerminalOutput } from "./view/index.ts";

/** How a command ended. */
export interface TerminalExit extends ExitStatus {
  /** Offset after the last byte read before the exit was told. */
  readonly finalOffset: number;
  readonly durationMs: number;
  /** The limit that fired, if one did. */
  readonly limit: LimitName | undefined;
  /** True when the exit status went down with the spawn helper. */
  readonly lost: boolean;
}

/** What became of the command. */
export type TerminalState =
  | { readonly name: "running" }
  | { readonly name: "exited"; readonly exit: TerminalExit };

/** What a terminal is called and where it runs. */
export interface TerminalLabel {
  readonly id: string;
  readonly kind: Exclude<RunKind, "stdio">;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** A command, its output and its process tree. The engine makes it; `close` gives everything back. */
export class Terminal implements TerminalLabel {
  readonly id: string;
  readonly kind: Exclude<RunKind, "stdio">;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly startedAt = new Date();
  /** Resolves after the last byte; never rejects. */
  readonly exited: Promise<TerminalExit>;
  readonly #run: Run;
  readonly #spawner: Spawner;
  readonly #output: TerminalOutput;
  readonly #killGraceMs: number;
  readonly #onClosed: () => void;
  #state: TerminalState = { name: "running" };
  #closing: Promise<void> | undefined;

  private constructor(label: TerminalLabel, run: Run, parts: TerminalParts) {
    this.id = label.id;
    this.kind = label.kind;
    this.command = label.command;
    this.args = label.args;
    this.cwd = label.cwd;
    this.#run = run;
    this.#spawner = parts.spawner;
    this.#output = parts.output;
    this.#killGraceMs = parts.killGraceMs;
    this.#onClosed = parts.onClosed;
    const startedMs = performance.now();
    this.exited = run.exited.then((exit) => this.#exit(exit, performance.now() - startedMs));
  }

  /** Starts a command and feeds its bytes to an output. */
  static async start(
    label: TerminalLabel,
    parts: TerminalParts,
    start: (sink: RunSink) => Promise<Run>,
  ): Promise<Terminal> {
    const { output } = parts;
    const sink: RunSink = {
      bytes: (_stream, buffer, length) => output.push(buffer, 0, length),
      exit: () => output.exited(),
      end: () => output.ended(),
    };
    try {
      return new Terminal(label, await start(sink), parts);
    } catch (error) {
      output.close();
      throw error;
    }
  }

  get state(): TerminalState {
    return this.#state;
  }

  get pid(): number {
    return this.#run.pid;
  }

  /** What holds the process tree together. */
  get tree(): TreeMechanism {
    return this.#run.tree;
  }

  /** The limits asked for, and what enforces each. */
  get limits(): LimitsInForce {
    return this.#run.limits;
  }

  /** The output's bytes and text. */
  get output(): Pick<
    TerminalOutput,
    "startOffset" | "endOffset" | "bytes" | "answer" | "answerJson" | "allocatedBytes"
  > {
    return this.#output;
  }

  /** Reads bytes by a cursor, from an absolute offset on. */
  subscribe(options: { from?: number | "start" | "end" }, onReadable: () => void): ByteSubscription {
    return this.#output.subscribe(options, onReadable);
  }

  /** Types into a tty run. */
  write(input: string | Uint8Array): void {
    this.#run.write(Buffer.from(input));
  }

  /** Changes the screen's size; returns what it became. */
  resize(size: Partial<ScreenSize>): ScreenSize {
    const applied = this.#run.resize(size);
    this.#output.resize(applied.columns, applied.rows);
    return applied;
  }

  /** What Ctrl-C does. */
  interrupt(): Promise<void> {
    return this.#run.interrupt();
  }

  /** Ends the whole tree; the terminal stays readable. Resolves with what could not be ended. */
  kill(graceMs: number = this.#killGraceMs): Promise<TreeProcess[]> {
    return this.#run.end(graceMs);
  }

  /** Processes that a command which has ended by itself left running. */
  async survivors(): Promise<TreeProcess[]> {
    return this.#state.name === "running" ? [] : this.#run.members();
  }

  /** Gives back what belongs to processes once none is left; the output stays. Resolves with the survivors. */
  async settle(): Promise<TreeProcess[]> {
    const survivors = await this.survivors();
    if (this.#state.name === "exited" && survivors.length === 0) this.#spawner.release(this.#run);
    return survivors;
  }

  /** Ends what still runs and gives everything back. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeNow();
    return this.#closing;
  }

  async #closeNow(): Promise<void> {
    await this.#run.end(this.#killGraceMs);
    this.#spawner.release(this.#run);
    this.#output.close();
    this.#onClosed();
  }

  #exit({ exitCode, signal, finalOffset, limit, lost }: RunExit, durationMs: number): TerminalExit {
    const exit = { exitCode, signal, finalOffset, limit, lost, durationMs };
    this.#state = { name: "exited", exit };
    return exit;
  }
}

/** What the engine gives a terminal. */
export interface TerminalParts {
  readonly spawner: Spawner;
  readonly output: TerminalOutput;
  readonly killGraceMs: number;
  readonly onClosed: () => void;
}

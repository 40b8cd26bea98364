// One terminal: a run, its end, its process tree, and the stream of its bytes. Readable until it is closed.
import { KILL_GRACE_MS } from "./process/kill-grace.ts";
import type {
  InputKey,
  LimitsInForce,
  Run,
  RunExit,
  RunSink,
  RunStream,
  TreeMechanism,
  TreeProcess,
} from "./process/port.ts";
import type { ScreenSize } from "./screen-size.ts";
import type { TtyScreen } from "./screen/tty-screen.ts";
import { TerminalStream, type TerminalStreamOptions } from "./terminal-stream.ts";
import type {
  ByteSubscription,
  CommandIndex,
  ScanPlace,
  StreamRanges,
  TerminalOutput,
} from "./view/index.ts";

/** How a command ended. */
export interface TerminalExit extends RunExit {
  readonly durationMs: number;
}

/** State of the command. */
export type TerminalState =
  | { readonly name: "running" }
  | { readonly name: "exited"; readonly exit: TerminalExit };

/** Options of a terminal. */
export interface TerminalOptions extends TerminalStreamOptions {
  readonly id: string;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly killGraceMs?: number | undefined;
  readonly onClosed?: (() => void) | undefined;
  /** When its run was started, where that was before. */
  readonly startedAt?: Date | undefined;
  /** Bytes of its output that the process port holds for the next host. Default: it holds none when they are read. */
  readonly heldBytes?: number | undefined;
}

/** How much more is held before some of it is acknowledged. */
const heldStepBytes = 256 * 1024;

/** How long a terminal that closes waits for an exit that must come. */
const exitBoundMs = 1000;

/** A command, its output and its process tree. `close` gives everything back. */
export class Terminal {
  readonly id: string;
  readonly kind: "text" | "tty";
  /** Empty where an agent runs the command itself. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly startedAt: Date;
  readonly output: TerminalOutput;
  /** Which of its output came from stderr; only where its run has a pipe for each stream. */
  readonly streams: StreamRanges;
  /** The commands of its shell. */
  readonly commands: CommandIndex;
  /** The screen for clients that join late; only of a tty with a publisher. */
  readonly screen: TtyScreen | undefined;
  /** Resolves after the last byte; never rejects. */
  readonly exited: Promise<TerminalExit>;
  readonly #options: TerminalOptions;
  readonly #stream: TerminalStream;
  readonly #sink: RunSink;
  readonly #startedMs = performance.now();
  /** Places at which the next host could begin to read, oldest first. */
  readonly #places: ScanPlace[] = [];
  /** How much of each stream its run has delivered. */
  readonly #readTo: Record<RunStream, number>;
  #size: ScreenSize;
  #run: Run | undefined;
  #state: TerminalState = { name: "running" };
  #hasEnded = false;
  #isReleased = false;
  #survivorCount = 0;
  #closing: Promise<void> | undefined;
  #resolveExited: (exit: TerminalExit) => void = () => {};

  constructor(options: TerminalOptions) {
    const { id, kind, command = "", args = [], cwd = "" } = options;
    this.id = id;
    this.kind = kind;
    this.command = command;
    this.args = args;
    this.cwd = cwd;
    this.startedAt = options.startedAt ?? options.now?.() ?? new Date();
    this.#options = options;
    this.#size = options.size;
    this.exited = new Promise((resolve) => {
      this.#resolveExited = resolve;
    });
    const stream = new TerminalStream(options, (bytes) => {
      if (!this.hasExited) this.#run?.write(bytes);
    });
    this.#stream = stream;
    this.#readTo = streamPlaceOf(options.continues?.place);
    this.output = stream.output;
    this.streams = stream.streams;
    this.commands = stream.commands;
    this.screen = stream.screen;
    this.#sink = {
      bytes: (from, bytes, offset) => {
        stream.take(from, bytes);
        this.#noteRead(from, offset + bytes.length);
      },
      exit: (exit) => {
        stream.exit(exit.exitCode);
        this.#state = { name: "exited", exit: { ...exit, durationMs: this.#durationMs } };
        this.#settleExit();
      },
      end: () => {
        this.#hasEnded = true;
        stream.end();
      },
    };
  }

  /** Starts its run; when that fails, its output is freed. */
  async start(start: (sink: RunSink) => Promise<Run>): Promise<void> {
    try {
      this.#run = await start(this.#sink);
    } catch (error) {
      this.#free();
      throw error;
    }
    this.#settleExit();
  }

  /** The same for a run that starts at once. */
  attach<Attached extends Run>(start: (sink: RunSink) => Attached): Attached {
    const run = start(this.#sink);
    this.#run = run;
    this.#settleExit();
    return run;
  }

  get state(): TerminalState {
    return this.#state;
  }

  get hasExited(): boolean {
    return this.#state.name === "exited";
  }

  get isPty(): boolean {
    return this.kind === "tty";
  }

  get size(): ScreenSize {
    return this.#size;
  }

  get pid(): number {
    return this.run.pid;
  }

  /** Mechanism that holds the process tree together. */
  get tree(): TreeMechanism {
    return this.run.tree;
  }

  /** The requested limits, and what enforces each. */
  get limits(): LimitsInForce {
    return this.run.limits;
  }

  /** Reads bytes by a cursor, from an absolute offset on. */
  subscribe(options: { from?: number | "start" | "end" }, onReadable: () => void): ByteSubscription {
    return this.output.subscribe(options, onReadable);
  }

  /** Types into a tty run, or writes to the pipe of a text run; false asks the writer to wait. See `Run.write`. */
  write(input: string | Uint8Array, key?: InputKey): boolean {
    return this.run.write(typeof input === "string" ? Buffer.from(input) : input, key);
  }

  /** Resolves when no kill of this process can lose the input so far. */
  inputTaken(): Promise<void> {
    return this.run.inputTaken();
  }

  /** While held, no output is read, and a command that writes fast waits. */
  hold(isHeld: boolean): void {
    this.#run?.hold(isHeld);
  }

  /** Changes the screen's size; returns it after clamping. */
  resize(size: Partial<ScreenSize>): ScreenSize {
    this.#size = this.run.resize(size);
    this.#stream.resized(this.#size);
    return this.#size;
  }

  /** The view starts at an offset; what an agent reads stays. */
  clear(offset: number): void {
    this.#stream.clear(offset);
  }

  /** The same as Ctrl-C. */
  interrupt(): Promise<void> {
    return this.run.interrupt();
  }

  /** Ends the whole tree, also what is left of it after the exit; resolves with what could not be ended. */
  async kill(graceMs = this.#killGraceMs): Promise<readonly TreeProcess[]> {
    return this.#isReleased ? [] : this.run.end(graceMs);
  }

  /** Processes that outlived the command when they were last looked for. */
  get survivorCount(): number {
    return this.#survivorCount;
  }

  /** Processes that a command left running. Their output is shown until the last one ends. */
  async survivors(): Promise<readonly TreeProcess[]> {
    if (!this.hasExited || this.#isReleased) return [];
    const survivors = await this.run.members();
    this.#survivorCount = survivors.length;
    if (survivors.length === 0 && this.#hasEnded) this.#releaseUnlessHeld();
    return survivors;
  }

  /** Gives back what belongs to processes once none is left; the output stays. Resolves with the survivors. */
  async settle(): Promise<readonly TreeProcess[]> {
    const survivors = await this.survivors();
    if (this.hasExited && survivors.length === 0) this.#releaseUnlessHeld();
    return survivors;
  }

  /** Ends what still runs and gives everything back. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeNow();
    return this.#closing;
  }

  /** Runs before the output is freed, while it can still be read. */
  protected beforeFree(): void {}

  protected get run(): Run {
    if (this.#run === undefined) throw new Error("The terminal has not been started");
    return this.#run;
  }

  get #durationMs(): number {
    const { startedAt, now } = this.#options;
    if (startedAt === undefined) return performance.now() - this.#startedMs;
    return (now?.() ?? new Date()).getTime() - startedAt.getTime();
  }

  /** The port keeps the end of the output for the next host, from a place at which that can begin to read. */
  #noteRead(from: RunStream, endOffset: number): void {
    this.#readTo[from] = endOffset;
    const { heldBytes } = this.#options;
    if (heldBytes === undefined) return;
    const { output, error } = this.#readTo;
    const readTo = output + error;
    const place = this.#stream.place;
    if (place !== undefined && readTo - (this.#places.at(-1)?.rawOffset ?? 0) >= heldStepBytes) {
      this.#places.push({ ...place, errorOffset: error });
    }
    const passed = this.#places.findLastIndex(({ rawOffset }) => rawOffset <= readTo - heldBytes);
    const [oldest] = this.#places.splice(0, passed + 1).slice(-1);
    if (oldest === undefined) return;
    const acknowledged = streamPlaceOf(oldest);
    if (acknowledged.error > 0) this.#run?.acknowledge("error", acknowledged.error);
    this.#run?.acknowledge("output", acknowledged.output, JSON.stringify(oldest));
  }

  get #killGraceMs(): number {
    return this.#options.killGraceMs ?? KILL_GRACE_MS;
  }

  /** A run of an earlier host may report its exit before it is attached: nobody can ask it about survivors then. */
  #settleExit(): void {
    if (this.#run !== undefined && this.#state.name === "exited") this.#resolveExited(this.#state.exit);
  }

  async #closeNow(): Promise<void> {
    if (!this.#isReleased) await this.run.end(this.#killGraceMs);
    // The exit is reported when the rest of the output is read; what even KILL did not end is not waited for.
    await within(exitBoundMs, this.exited);
    this.#release();
    this.#free();
    this.#options.onClosed?.();
  }

  #free(): void {
    this.beforeFree();
    this.#stream.close();
  }

  /** The next host shows it as long as this one would. */
  #releaseUnlessHeld(): void {
    if (this.#options.heldBytes === undefined) this.#release();
  }

  #release(): void {
    if (!this.#isReleased) this.run.release();
    this.#isReleased = true;
  }
}

/** The offset in each of a run's streams at a place of its joined bytes (U725). */
export function streamPlaceOf(place: ScanPlace | undefined): Record<RunStream, number> {
  const { rawOffset = 0, errorOffset: error = 0 } = place ?? {};
  return { output: rawOffset - error, error };
}

function within(boundMs: number, done: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve) => {
    const bound = setTimeout(resolve, boundMs);
    void done.then(resolve).finally(() => clearTimeout(bound));
  });
}

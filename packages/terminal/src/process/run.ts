// One child as the host sees it: its bytes with their offsets, its exit after the last of them, its end (T9–T12).
import { TerminalError } from "../terminal-error.ts";
import { fromFailure } from "./helper/wire.ts";
import type {
  ChildPipes,
  ExitStatus,
  LaunchExit,
  LaunchFailure,
  LaunchRequest,
  LaunchWatcher,
  Launched,
  Launcher,
  TreeMechanism,
  TreeProcess,
} from "./launch.ts";
import type { LimitName, LimitsInForce, RunLimits } from "./limits.ts";
import { type ScreenSize, checkSize } from "./pty.ts";
import type { ReadBudget } from "./read-budget.ts";
import type { RunInput, RunIo, RunStream } from "./run-io.ts";

/** The three kinds of run. */
export type RunKind = "text" | "tty" | "stdio";

/** How a run ended, told after everything it wrote has been read. */
export interface RunExit extends ExitStatus {
  /** Offset after the last byte that was read before the exit was told. */
  readonly finalOffset: number;
  /** The limit that fired, if one did. */
  readonly limit: LimitName | undefined;
  /** True when the spawn helper died and took the exit status with it. */
  readonly lost: boolean;
}

/** Told about a run; the buffer is only valid during the call. */
export interface RunSink {
  bytes(stream: RunStream, buffer: Buffer, length: number, offset: number): void;
  /** Once. Bytes of processes that the command left behind may still follow. */
  exit(exit: RunExit): void;
  /** Once, after `exit`: no more bytes will come. */
  end(): void;
}

/** How long a child that keeps the pipe open may hold back the exit, after all there was has been read. */
const drainBoundMs = 200;
/** A child that never stops writing holds it back no longer than this many bytes. */
const drainBoundBytes = 1024 * 1024;
/** How long a run that broke a limit of the host's may take to end. */
const limitGraceMs = 1000;
/** What a timer of Node can hold: 24.8 days. */
const maxTimerMs = 2 ** 31 - 1;

type State =
  | { readonly name: "launching" }
  | { readonly name: "running" }
  | { readonly name: "draining"; readonly exit: LaunchExit; readonly lost: boolean }
  | { readonly name: "exited" };

/** What a run needs from its spawner. */
export interface RunParts {
  readonly kind: RunKind;
  readonly io: RunIo;
  readonly launcher: Launcher;
  readonly budget: ReadBudget;
  readonly limits: RunLimits;
  readonly sink: RunSink;
}

/** A running or ended child. The spawner makes it and closes it. */
export class Run {
  readonly kind: RunKind;
  /** Resolves with the exit, and never rejects. */
  readonly exited: Promise<RunExit>;
  readonly #parts: RunParts;
  readonly #offsets: Record<RunStream, number> = { output: 0, error: 0 };
  readonly #resolveExited: (exit: RunExit) => void;
  #state: State = { name: "launching" };
  #launch = 0;
  #launched: Launched | undefined;
  #limit: LimitName | undefined;
  #wallClock: NodeJS.Timeout | undefined;
  #drainBound: NodeJS.Timeout | undefined;
  #offsetAtExit = 0;
  #ending: Promise<TreeProcess[]> | undefined;

  private constructor(parts: RunParts) {
    this.kind = parts.kind;
    this.#parts = parts;
    let resolveExited: (exit: RunExit) => void = () => {};
    this.exited = new Promise((resolve) => {
      resolveExited = resolve;
    });
    this.#resolveExited = resolveExited;
  }

  /** Starts a child; resolves when it runs and rejects, with nothing left behind, when it cannot. */
  static start(parts: RunParts, request: LaunchRequest): Promise<Run> {
    return new Promise((resolve, reject) => {
      const run = new Run(parts);
      const watcher: LaunchWatcher = {
        launched: (launched, pipes) => {
          run.#begin(launched, pipes);
          resolve(run);
        },
        failed: (failure: LaunchFailure) => {
          parts.io.close();
          reject(fromFailure(failure));
        },
        exited: (exit) => run.#drain(exit, false),
        lost: () => run.#drain({ exitCode: null, signal: null }, true),
      };
      run.#launch = parts.launcher.launch(request, watcher);
    });
  }

  get pid(): number {
    return this.#launched?.pid ?? 0;
  }

  /** What holds the tree together. */
  get tree(): TreeMechanism {
    return this.#launched?.tree ?? "process-group";
  }

  /** The limits that were asked for, and what enforces each. */
  get limits(): LimitsInForce {
    const { wallClockMs, outputBytes } = this.#parts.limits;
    return {
      ...this.#launched?.limits,
      ...(wallClockMs !== undefined && { wallClockMs: { value: wallClockMs, by: "host" } }),
      ...(outputBytes !== undefined && { outputBytes: { value: outputBytes, by: "host" } }),
    };
  }

  get isRunning(): boolean {
    return this.#state.name === "running";
  }

  /** The run's input; a text run has one only if it was asked for. */
  get input(): RunInput {
    const { input } = this.#parts.io;
    if (input === undefined) {
      throw new TerminalError(
        "not_supported",
        "This text run has no input; start it with one, or as a tty run to type into it",
      );
    }
    return input;
  }

  /** Types into a tty run, or writes to an agent. */
  write(bytes: Buffer): boolean {
    if (this.kind === "tty") this.#parts.budget.noteInput();
    return this.input.write(bytes);
  }

  /** While it holds, nothing of the output is read, and a fast writer waits. */
  hold(isHeld: boolean): void {
    this.#parts.io.hold(isHeld);
  }

  resize(size: Partial<ScreenSize>): ScreenSize {
    const checked = checkSize(size);
    this.#parts.io.resize(checked);
    return checked;
  }

  /** What Ctrl-C does: the terminal decides whom it concerns; without one it is the command's process group. */
  async interrupt(): Promise<void> {
    if (this.#state.name !== "running") return;
    if (this.kind === "tty") this.write(Buffer.from("\x03"));
    else await this.#parts.launcher.signal(this.#launch, "SIGINT");
  }

  /** Ends the whole tree, also what is left of it after the exit; resolves with what could not be ended. */
  end(graceMs: number): Promise<TreeProcess[]> {
    this.#ending ??= this.#endNow(graceMs).finally(() => {
      this.#ending = undefined;
    });
    return this.#ending;
  }

  /** The processes of the tree that are alive; after the exit, the survivors. */
  members(): Promise<TreeProcess[]> {
    return this.#parts.launcher.members(this.#launch);
  }

  /** Lets go of files and of the launch; the tree must have been ended, or be meant to live. */
  close(): void {
    clearTimeout(this.#wallClock);
    clearTimeout(this.#drainBound);
    this.#parts.io.close();
    this.#parts.launcher.forget(this.#launch);
  }

  async #endNow(graceMs: number): Promise<TreeProcess[]> {
    const { launcher } = this.#parts;
    const left = await launcher.end(this.#launch, graceMs).catch((error: unknown) => {
      // The helper died while it worked; what it ran is being ended by the next one.
      if (error instanceof TerminalError && error.code === "helper_lost") return [];
      throw error;
    });
    if (left.length === 0) await this.exited;
    return left;
  }

  #begin(launched: Launched, pipes: ChildPipes | undefined): void {
    this.#state = { name: "running" };
    this.#launched = launched;
    const { io, budget, limits } = this.#parts;
    const { wallClockMs } = limits;
    if (wallClockMs !== undefined) {
      this.#wallClock = setTimeout(() => this.#breakLimit("wallClockMs"), Math.min(wallClockMs, maxTimerMs));
    }
    io.start(
      (stream) => ({
        bytes: (buffer, length) => this.#bytes(stream, buffer, length),
        end: () => this.#streamEnded(),
      }),
      budget,
      pipes,
    );
  }

  #bytes(stream: RunStream, buffer: Buffer, length: number): void {
    const offset = this.#offsets[stream];
    this.#offsets[stream] = offset + length;
    this.#parts.sink.bytes(stream, buffer, length, offset);
    const { outputBytes } = this.#parts.limits;
    if (outputBytes !== undefined && this.#totalBytes > outputBytes) this.#breakLimit("outputBytes");
    if (this.#state.name === "draining" && this.#totalBytes - this.#offsetAtExit > drainBoundBytes) {
      this.#settle();
    }
  }

  get #totalBytes(): number {
    return this.#offsets.output + this.#offsets.error;
  }

  #breakLimit(name: LimitName): void {
    if (this.#state.name !== "running" || this.#limit !== undefined) return;
    this.#limit = name;
    // Who could be told of a failure reads it in the exit, which comes either way.
    this.end(limitGraceMs).catch(() => {});
  }

  #drain(exit: LaunchExit, lost: boolean): void {
    clearTimeout(this.#wallClock);
    this.#state = { name: "draining", exit, lost };
    this.#offsetAtExit = this.#totalBytes;
    const { io } = this.#parts;
    io.drain();
    if (io.ended) this.#settle();
    // Still open: the command has left a child that holds the pipe. It may have a last word, but not for long.
    else if (this.#isDraining()) this.#drainBound = setTimeout(() => this.#settle(), drainBoundMs);
  }

  /** Asked through a function because `io.drain()` may have settled the state meanwhile. */
  #isDraining(): boolean {
    return this.#state.name === "draining";
  }

  #streamEnded(): void {
    if (!this.#parts.io.ended) return;
    if (this.#state.name === "draining") this.#settle();
    else if (this.#state.name === "exited") this.#parts.sink.end();
  }

  #settle(): void {
    if (this.#state.name !== "draining") return;
    const { exit, lost } = this.#state;
    clearTimeout(this.#drainBound);
    this.#state = { name: "exited" };
    const { io, sink } = this.#parts;
    const told = {
      exitCode: exit.exitCode,
      signal: exit.signal,
      finalOffset: this.#offsets.output,
      limit: this.#limit ?? exit.limit,
      lost,
    };
    sink.exit(told);
    this.#resolveExited(told);
    if (io.ended) sink.end();
  }
}

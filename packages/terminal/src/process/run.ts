// One child as the host sees it: its bytes with their offsets, its exit after the last of them, its end (T9–T12).
import { randomUUID } from "node:crypto";
import { checkSize, type ScreenSize } from "../screen-size.ts";
import { TerminalError } from "../terminal-error.ts";
import { fromFailure } from "./helper/wire.ts";
import type {
  ChildPipes,
  LaunchExit,
  LaunchFailure,
  LaunchRequest,
  LaunchWatcher,
  Launched,
  Launcher,
} from "./launch.ts";
import type {
  FiredLimit,
  LimitBackends,
  LimitsInForce,
  Run,
  RunExit,
  RunKind,
  RunLimits,
  RunSink,
  RunStream,
  TreeMechanism,
  TreeProcess,
} from "./port.ts";
import { LIMIT_GRACE_MS, RELEASE_GRACE_MS } from "./kill-grace.ts";
import type { ReadBudget } from "./read-budget.ts";
import type { RunInput, RunIo } from "./run-io.ts";

/** How long a child that keeps the pipe open may hold back the exit, after all there was has been read. */
const drainBoundMs = 200;
/** A child that never stops writing holds it back no longer than this many bytes. */
const drainBoundBytes = 1024 * 1024;
/** The longest timer of Node: 24.8 days. */
const maxTimerMs = 2 ** 31 - 1;

type State =
  | { readonly name: "launching" }
  | { readonly name: "running" }
  | { readonly name: "draining"; readonly exit: LaunchExit; readonly lost: boolean }
  | { readonly name: "exited" };

/** Dependencies of a run. */
export interface RunParts {
  readonly kind: RunKind;
  readonly io: RunIo;
  readonly launcher: Launcher;
  readonly budget: ReadBudget;
  readonly limits: RunLimits;
  readonly sink: RunSink;
  /** Called once, when a released run has nothing left to end. */
  readonly onFreed: (run: ChildRun) => void;
}

/** A running or ended child of this machine. The spawner makes it; its owner releases it. */
export class ChildRun implements Run {
  readonly id = randomUUID();
  readonly kind: RunKind;
  /** Resolves with the exit, and never rejects. */
  readonly exited: Promise<RunExit>;
  readonly #parts: RunParts;
  readonly #offsets: Record<RunStream, number> = { output: 0, error: 0 };
  readonly #resolveExited: (exit: RunExit) => void;
  #state: State = { name: "launching" };
  #launch = 0;
  #launched: Launched | undefined;
  #limit: FiredLimit | undefined;
  #wallClock: NodeJS.Timeout | undefined;
  #drainBound: NodeJS.Timeout | undefined;
  #offsetAtExit = 0;
  #isSilent = false;
  #inputOffset = 0;
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
  static start(parts: RunParts, request: LaunchRequest): Promise<ChildRun> {
    return new Promise((resolve, reject) => {
      const run = new ChildRun(parts);
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
      try {
        run.#launch = parts.launcher.launch(request, watcher);
      } catch (error) {
        parts.io.close();
        throw error;
      }
    });
  }

  get pid(): number {
    return this.#launched?.pid ?? 0;
  }

  get tree(): TreeMechanism {
    return this.#launched?.tree ?? "process-group";
  }

  get limits(): LimitsInForce {
    const { wallClockMs, outputBytes } = this.#parts.limits;
    const own = { level: "command", by: "host" } as const;
    return {
      ...this.#launched?.limits,
      ...(wallClockMs !== undefined && { wallClockMs: { value: wallClockMs, ...own } }),
      ...(outputBytes !== undefined && { outputBytes: { value: outputBytes, ...own } }),
    };
  }

  get limitBackends(): LimitBackends | undefined {
    return this.#launched?.limitBackends;
  }

  get isRunning(): boolean {
    return this.#state.name === "running";
  }

  get #input(): RunInput {
    const { input } = this.#parts.io;
    if (input === undefined) {
      throw new TerminalError(
        "not_supported",
        "This command has no input; start it with input, or in a pseudo-terminal",
      );
    }
    return input;
  }

  get inputOffset(): number {
    return this.#inputOffset;
  }

  write(bytes: Uint8Array): boolean {
    if (this.kind === "tty") this.#parts.budget.noteInput();
    const isReady = this.#input.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#inputOffset += bytes.byteLength;
    return isReady;
  }

  onDrain(listener: () => void): void {
    this.#input.onDrain(listener);
  }

  async inputTaken(): Promise<void> {
    // This process holds the run.
  }

  endInput(): void {
    this.#input.end();
  }

  hold(isHeld: boolean): void {
    this.#parts.io.hold(isHeld);
  }

  /** Bytes are gone once they are delivered: the run ends with its host. */
  acknowledge(): void {}

  resize(size: Partial<ScreenSize>): ScreenSize {
    const checked = checkSize(size);
    this.#parts.io.resize(checked);
    return checked;
  }

  /** A terminal decides which processes it concerns; without one it is the command's process group. */
  async interrupt(): Promise<void> {
    if (this.#state.name !== "running") return;
    if (this.kind === "tty") this.write(Buffer.from("\x03"));
    else await this.#parts.launcher.signal(this.#launch, "SIGINT");
  }

  end(graceMs: number): Promise<TreeProcess[]> {
    this.#ending ??= this.#endNow(graceMs).finally(() => {
      this.#ending = undefined;
    });
    return this.#ending;
  }

  members(): Promise<TreeProcess[]> {
    return this.#parts.launcher.members(this.#launch);
  }

  release(): void {
    if (this.#isSilent) return;
    this.silence();
    if (this.#state.name === "exited") return this.#free();
    // Processes that could not be ended stay with the spawner, which tries again when it closes.
    this.end(RELEASE_GRACE_MS).then(
      (left) => left.length === 0 && this.#free(),
      () => {},
    );
  }

  /** The sink is not called any more. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Frees the files and the launch; the tree must have been ended, or be meant to live. */
  close(): void {
    clearTimeout(this.#wallClock);
    clearTimeout(this.#drainBound);
    this.#parts.io.close();
    this.#parts.launcher.forget(this.#launch);
  }

  #free(): void {
    this.close();
    this.#parts.onFreed(this);
  }

  async #endNow(graceMs: number): Promise<TreeProcess[]> {
    const { launcher } = this.#parts;
    const left = await launcher.end(this.#launch, graceMs).catch((error: unknown) => {
      // The helper died while it worked; what it ran is being ended by the next one.
      if (error instanceof TerminalError && error.code === "lost") return [];
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
        end: () => this.#streamEnded(stream),
      }),
      budget,
      pipes,
    );
  }

  #bytes(stream: RunStream, buffer: Buffer, length: number): void {
    const offset = this.#offsets[stream];
    this.#offsets[stream] = offset + length;
    if (!this.#isSilent) this.#parts.sink.bytes(stream, buffer.subarray(0, length), offset);
    const { outputBytes } = this.#parts.limits;
    if (outputBytes !== undefined && this.#totalBytes > outputBytes) this.#breakLimit("outputBytes");
    if (this.#state.name === "draining" && this.#totalBytes - this.#offsetAtExit > drainBoundBytes) {
      this.#settle();
    }
  }

  get #totalBytes(): number {
    return this.#offsets.output + this.#offsets.error;
  }

  #breakLimit(name: "wallClockMs" | "outputBytes"): void {
    if (this.#state.name !== "running" || this.#limit !== undefined) return;
    this.#limit = { name, value: this.#parts.limits[name] ?? 0, level: "command" };
    // The exit reports a failure, and comes either way.
    this.end(LIMIT_GRACE_MS).catch(() => {});
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

  #streamEnded(stream: RunStream): void {
    const { io, sink } = this.#parts;
    const isOutput = this.kind === "stdio" && stream === "output";
    if (isOutput && this.isRunning && !this.#isSilent) sink.outputEnded?.();
    if (!io.ended) return;
    if (this.#state.name === "draining") this.#settle();
    else if (this.#state.name === "exited" && !this.#isSilent) sink.end();
  }

  #settle(): void {
    if (this.#state.name !== "draining") return;
    const { exit, lost } = this.#state;
    clearTimeout(this.#drainBound);
    this.#state = { name: "exited" };
    const { io, sink } = this.#parts;
    const settled: RunExit = {
      exitCode: exit.exitCode,
      signal: exit.signal,
      finalOffset: this.#offsets.output,
      finalErrorOffset: this.#offsets.error,
      limit: this.#limit ?? exit.limit,
      lost,
    };
    if (!this.#isSilent) sink.exit(settled);
    this.#resolveExited(settled);
    if (io.ended && !this.#isSilent) sink.end();
  }
}

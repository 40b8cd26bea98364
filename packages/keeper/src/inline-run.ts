// One run of the inline keeper: the port's face of a run of the terminal engine.
import { randomUUID } from "node:crypto";
import type { Run, RunExit, RunSink, Spawner } from "@holdfast/terminal/process";
import { toKeeperError } from "./inline-error.ts";
import type {
  KeeperRun,
  KeeperSink,
  LimitsInForce,
  RunKind,
  RunStream,
  ScreenSize,
  TreeMechanism,
  TreeProcess,
} from "./port.ts";

/** Time between TERM and KILL for a run that is released while it runs. */
const releaseGraceMs = 2000;

/** Hears the engine, counts what it needs to know, and passes on until it is silenced. */
export class InlineSink implements RunSink {
  readonly #sink: KeeperSink;
  #state: "running" | "exited" | "ended" = "running";
  #isSilent = false;
  #errorOffset = 0;

  constructor(sink: KeeperSink) {
    this.#sink = sink;
  }

  get hasExited(): boolean {
    return this.#state !== "running";
  }

  bytes(stream: RunStream, buffer: Uint8Array, length: number, offset: number): void {
    if (stream === "error") this.#errorOffset = offset + length;
    if (!this.#isSilent) this.#sink.bytes(stream, buffer.subarray(0, length), offset);
  }

  exit({ exitCode, signal, finalOffset, limit, lost }: RunExit): void {
    this.#state = "exited";
    const finalErrorOffset = this.#errorOffset;
    if (!this.#isSilent) this.#sink.exit({ exitCode, signal, finalOffset, finalErrorOffset, limit, lost });
  }

  /** Tells the end once, after the exit. */
  end(): void {
    if (this.#state !== "exited") return;
    this.#state = "ended";
    if (!this.#isSilent) this.#sink.end();
  }

  silence(): void {
    this.#isSilent = true;
  }
}

/** What a run needs from its keeper. */
export interface InlineRunParts {
  readonly spawner: Spawner;
  readonly run: Run;
  readonly sink: InlineSink;
  /** Called once, when the run is released. */
  readonly onReleased: (run: InlineRun) => void;
}

/** A run in the host's own process. */
export class InlineRun implements KeeperRun {
  readonly id = randomUUID();
  readonly #parts: InlineRunParts;
  #isReleased = false;

  constructor(parts: InlineRunParts) {
    this.#parts = parts;
  }

  get pid(): number {
    return this.#parts.run.pid;
  }

  get kind(): RunKind {
    return this.#parts.run.kind;
  }

  get tree(): TreeMechanism {
    return this.#parts.run.tree;
  }

  get limits(): LimitsInForce {
    return this.#parts.run.limits;
  }

  write(bytes: Uint8Array): boolean {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this.#ask((run) => run.write(buffer));
  }

  onDrain(listener: () => void): void {
    this.#ask((run) => run.input.onDrain(listener));
  }

  endInput(): void {
    this.#ask((run) => run.input.end());
  }

  hold(isHeld: boolean): void {
    this.#parts.run.hold(isHeld);
  }

  resize(size: Partial<ScreenSize>): ScreenSize {
    return this.#ask((run) => run.resize(size));
  }

  interrupt(): Promise<void> {
    return this.#parts.run.interrupt().catch(rethrow);
  }

  end(graceMs: number): Promise<readonly TreeProcess[]> {
    return this.#parts.run.end(graceMs).catch(rethrow);
  }

  members(): Promise<readonly TreeProcess[]> {
    return this.#parts.run.members().catch(rethrow);
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    const { run, sink } = this.#parts;
    sink.silence();
    if (sink.hasExited) this.#letGo();
    else {
      // What could not be ended stays with the spawner, which tries again when the keeper closes; nobody else listens.
      run.end(releaseGraceMs).then(
        (left) => left.length === 0 && this.#letGo(),
        () => {},
      );
    }
  }

  #letGo(): void {
    this.#parts.spawner.release(this.#parts.run);
    this.#parts.onReleased(this);
  }

  #ask<Answer>(question: (run: Run) => Answer): Answer {
    try {
      return question(this.#parts.run);
    } catch (error) {
      throw toKeeperError(error);
    }
  }
}

function rethrow(error: unknown): never {
  throw toKeeperError(error);
}

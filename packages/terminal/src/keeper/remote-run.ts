// A run that a keeper holds, as its host has it.
import { checkSize, type ScreenSize } from "../screen-size.ts";
import { TerminalError } from "../terminal-error.ts";
import type {
  InputKey,
  LimitBackends,
  LimitsInForce,
  Run,
  RunExit,
  RunKind,
  RunSink,
  RunStream,
  TreeMechanism,
  TreeProcess,
} from "../process/port.ts";
import type { BudgetedReader, ReadBudget } from "../process/read-budget.ts";
import type { StreamOffsets } from "./feed.ts";
import type { KeyedPiece } from "./input-keys.ts";
import { type KeeperLink, type LinkEnd, type LinkedRun, endError } from "./keeper-link.ts";
import type { EventMessage, RunDescription } from "./message.ts";

/** Bytes that were taken are reported in steps of this size; the window is four of them. */
const creditStepBytes = 128 * 1024;
/** Input on its way at which a writer is asked to wait, and at which it may continue. */
const inputHighBytes = 64 * 1024;
const inputLowBytes = 16 * 1024;
/** Input that is sent before the keeper has passed it on; what is beyond it waits here. */
const inputWindowBytes = 1024 * 1024;
/** A program that reads no keys: the same bound as for a terminal of this process, less what is on its way. */
const maxKeyBytes = 960 * 1024;
const inputPieceBytes = 256 * 1024;

/** Returns credits for one stream when the read budget allows it. */
class StreamCredits implements BudgetedReader {
  readonly #send: (bytes: number) => void;
  readonly #budget: ReadBudget;
  #owedBytes = 0;
  #isWaiting = false;

  constructor(budget: ReadBudget, send: (bytes: number) => void) {
    this.#budget = budget;
    this.#send = send;
  }

  /** The sink has taken bytes. */
  add(bytes: number): void {
    this.#owedBytes += bytes;
    if (!this.#budget.spend(this, bytes)) this.#isWaiting = true;
    if (!this.#isWaiting && this.#owedBytes >= creditStepBytes) this.#return();
  }

  resume(): void {
    this.#isWaiting = false;
    if (this.#owedBytes >= creditStepBytes) this.#return();
  }

  close(): void {
    this.#budget.forget(this);
  }

  #return(): void {
    this.#send(this.#owedBytes);
    this.#owedBytes = 0;
  }
}

/** Dependencies of a run. */
export interface RemoteRunParts {
  readonly link: KeeperLink;
  readonly sink: RunSink;
  readonly from: StreamOffsets;
  readonly budget: ReadBudget;
  readonly onReleased: (run: RemoteRun) => void;
}

/** Made before the keeper has started the run, because bytes may come first. */
export class RemoteRun implements Run, LinkedRun {
  readonly #parts: RemoteRunParts;
  readonly #number: number;
  readonly #credits: Record<RunStream, StreamCredits>;
  readonly #nextOffset: Record<RunStream, number>;
  readonly #drainListeners: (() => void)[] = [];
  readonly #waiting: { readonly bytes: Uint8Array; readonly piece: KeyedPiece | undefined }[] = [];
  #description: RunDescription | undefined;
  #hasExited = false;
  #hasEnded = false;
  #isReleased = false;
  #inputOffset = 0;
  #sentOffset = 0;
  #takenOffset = 0;
  #asksToWait = false;
  #endsInput = false;

  constructor(parts: RemoteRunParts) {
    this.#parts = parts;
    this.#number = parts.link.add(this);
    this.#nextOffset = { output: parts.from.output ?? 0, error: parts.from.error ?? 0 };
    const credits = (stream: RunStream): StreamCredits =>
      new StreamCredits(parts.budget, (bytes) => parts.link.credit(this.#number, stream, bytes));
    this.#credits = { output: credits("output"), error: credits("error") };
  }

  get number(): number {
    return this.#number;
  }

  /** The keeper has started it, or attached this host to it. */
  begin(description: RunDescription): void {
    this.#description = description;
    this.#inputOffset = description.inputOffset;
    this.#sentOffset = description.inputOffset;
    // Some may have been taken since the keeper described the run.
    this.#takenOffset = Math.max(this.#takenOffset, description.takenInputOffset ?? description.inputOffset);
  }

  get id(): string {
    return this.#begun.id;
  }

  get pid(): number {
    return this.#begun.pid;
  }

  get kind(): RunKind {
    return this.#begun.kind;
  }

  get tree(): TreeMechanism {
    return this.#begun.tree;
  }

  get limits(): LimitsInForce {
    return this.#begun.limits;
  }

  get limitBackends(): LimitBackends | undefined {
    return this.#begun.limitBackends;
  }

  get inputOffset(): number {
    return this.#inputOffset;
  }

  get #begun(): RunDescription {
    if (this.#description === undefined) throw new Error("the run has not been started");
    return this.#description;
  }

  bytes(stream: RunStream, bytes: Uint8Array, offset: number): void {
    this.#nextOffset[stream] = offset + bytes.length;
    if (!this.#isReleased) this.#parts.sink.bytes(stream, bytes, offset);
    this.#credits[stream].add(bytes.length);
  }

  event(event: EventMessage): void {
    if (this.#isReleased) return;
    const { sink } = this.#parts;
    switch (event.on) {
      case "outputEnded":
        return sink.outputEnded?.();
      case "exit":
        this.#hasExited = true;
        return sink.exit({ ...event.exit, limit: event.exit.limit });
      case "end":
        this.#hasEnded = true;
        return sink.end();
    }
  }

  taken(offset: number): void {
    this.#takenOffset = offset;
    this.#sendInput();
    if (!this.#asksToWait || this.#inputOffset - offset > inputLowBytes) return;
    this.#asksToWait = false;
    for (const listener of this.#drainListeners) listener();
  }

  /** The keeper died: nobody will ever know how the command ended. */
  lose(): void {
    this.#close();
    if (this.#isReleased || this.#description === undefined) return;
    const { sink } = this.#parts;
    const exit: RunExit = {
      exitCode: null,
      signal: null,
      finalOffset: this.#nextOffset.output,
      finalErrorOffset: this.#nextOffset.error,
      limit: undefined,
      lost: true,
    };
    if (!this.#hasExited) sink.exit(exit);
    this.#hasExited = true;
    if (!this.#hasEnded) sink.end();
    this.#hasEnded = true;
  }

  write(bytes: Uint8Array, key?: InputKey): boolean {
    this.#refuseInput();
    const waitingBytes = this.#inputOffset - this.#takenOffset;
    if (this.kind === "tty") {
      this.#parts.budget.noteInput();
      if (waitingBytes + bytes.length > maxKeyBytes) {
        throw new TerminalError(
          "input_full",
          `The command is not reading its input; ${waitingBytes} bytes wait already`,
        );
      }
    }
    this.#inputOffset += bytes.length;
    for (let at = 0; at < bytes.length; at += inputPieceBytes) {
      this.#waiting.push({
        bytes: bytes.subarray(at, at + inputPieceBytes),
        piece: key && { ...key, at },
      });
    }
    this.#sendInput();
    this.#asksToWait ||= this.#inputOffset - this.#takenOffset > inputHighBytes;
    return !this.#asksToWait;
  }

  onDrain(listener: () => void): void {
    this.#refuseWithoutInput();
    this.#drainListeners.push(listener);
  }

  endInput(): void {
    this.#refuseWithoutInput();
    this.#endsInput = true;
    this.#sendInput();
  }

  async inputTaken(): Promise<void> {
    // Frames are handled in order, so the reply comes after the input.
    await this.#parts.link.request("inputTaken", {}, this.#number);
  }

  hold(isHeld: boolean): void {
    this.#parts.link.command({ do: "hold", isHeld }, this.#number);
  }

  acknowledge(stream: RunStream, offset: number, note?: string): void {
    this.#parts.link.acknowledge(this.#number, stream, offset, note);
  }

  resize(size: Partial<ScreenSize>): ScreenSize {
    if (this.kind !== "tty") {
      throw new TerminalError("not_supported", "Only a tty run has a screen to resize");
    }
    const checked = checkSize(size);
    this.#parts.link.command({ do: "resize", size: checked }, this.#number);
    return checked;
  }

  async interrupt(): Promise<void> {
    if (!this.#isLost) await this.#parts.link.request("interrupt", {}, this.#number);
  }

  async end(graceMs: number): Promise<readonly TreeProcess[]> {
    return this.#unlessLost(() => this.#parts.link.request("end", { graceMs }, this.#number));
  }

  async members(): Promise<readonly TreeProcess[]> {
    return this.#unlessLost(() => this.#parts.link.request("members", {}, this.#number));
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#close();
    const { link, onReleased } = this.#parts;
    link.command({ do: "release" }, this.#number);
    link.remove(this.#number);
    onReleased(this);
  }

  /** The start failed, or the host is fenced: nothing more is reported. */
  abandon(): void {
    this.#isReleased = true;
    this.#close();
    this.#parts.link.remove(this.#number);
  }

  get #end(): LinkEnd | undefined {
    return this.#parts.link.end;
  }

  get #isLost(): boolean {
    return this.#end === "lost" || this.#end === "ended";
  }

  /** The processes of a dead keeper are ended by its helper, or by the keeper after it: none are left to this host. */
  async #unlessLost(list: () => Promise<readonly TreeProcess[]>): Promise<readonly TreeProcess[]> {
    try {
      return this.#isLost ? [] : await list();
    } catch (error) {
      // The keeper died while it worked.
      if (this.#isLost) return [];
      throw error;
    }
  }

  #refuseInput(): void {
    if (this.#end === "fenced") throw endError("fenced");
    this.#refuseWithoutInput();
    if (this.#hasEnded || this.#end !== undefined) {
      throw new TerminalError("closed", "The command has ended and takes no more input");
    }
  }

  #refuseWithoutInput(): void {
    if (this.#begun.hasInput) return;
    throw new TerminalError(
      "not_supported",
      "This command has no input; start it with input, or in a pseudo-terminal",
    );
  }

  #sendInput(): void {
    const { link } = this.#parts;
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      if (this.#sentOffset - this.#takenOffset > inputWindowBytes) return;
      link.input(this.#number, this.#sentOffset, first.bytes, first.piece);
      this.#sentOffset += first.bytes.length;
      this.#waiting.shift();
    }
    if (!this.#endsInput) return;
    this.#endsInput = false;
    link.command({ do: "endInput" }, this.#number);
  }

  #close(): void {
    this.#credits.output.close();
    this.#credits.error.close();
  }
}

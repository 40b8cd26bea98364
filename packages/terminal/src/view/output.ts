// The output of one terminal: its newest bytes, the agent's output, and its subscribers.
import type { Buffer } from "node:buffer";
import { DEFAULT_SIZE } from "../screen-size.ts";
import type { RingBudget } from "./budget.ts";
import { ByteFanOut, type ByteSubscription, type SubscriptionStart } from "./byte-subscription.ts";
import { type Clock, systemClock } from "./clock.ts";
import { ByteRing } from "./ring.ts";
import type { OutputText } from "./output-text.ts";
import { type OutputTail, TAIL_MARGIN_BYTES, type JsonOutputTail } from "./text-tail.ts";
import { PipeOutputText } from "./pipe-output-text.ts";
import { TtyOutputText } from "./tty-output-text.ts";

/** A tty run keeps at least this much unfolded, so that folding is done in bulk. */
const MIN_TTY_RING_BYTES = 64 * 1024;

/** How one terminal's output is kept. */
export interface TerminalOutputOptions {
  /** Bytes of a pipe, read as UTF-8; or of a terminal, read as what they leave on its screen. */
  readonly kind: "text" | "tty";
  /** The most bytes of UTF-8 in the output text. */
  readonly textLimitBytes: number;
  /** The newest raw bytes kept for subscribers. */
  readonly replayBytes: number;
  readonly columns?: number;
  readonly rows?: number;
  /** Where `lazy`, the text of a tty run costs nothing until it is first read, and begins with the bytes kept then. */
  readonly folding?: "eager" | "lazy";
  readonly budget?: RingBudget;
  /** The offset of its first byte, where the bytes before it are lost. Default 0. */
  readonly startOffset?: number | undefined;
  readonly clock?: Clock;
  /** Called when a subscriber's callback throws; without it the error is dropped. */
  readonly onListenerError?: (error: unknown) => void;
}

/** Keeps what a run wrote, within bounds, for agents and viewers. */
export class TerminalOutput {
  readonly #ring: ByteRing;
  readonly #fanOut: ByteFanOut;
  readonly #text: OutputText;
  /** The newest bytes that the text needs. */
  readonly #neededBytes: number;
  #isClosed = false;
  #lastTail: WeakRef<OutputTail> | undefined;
  #lastJsonTail: WeakRef<JsonOutputTail> | undefined;

  constructor(options: TerminalOutputOptions) {
    checkWholeNumber("textLimitBytes", options.textLimitBytes);
    checkWholeNumber("replayBytes", options.replayBytes);
    const { columns = DEFAULT_SIZE.columns, rows = DEFAULT_SIZE.rows } = options;
    checkSize(columns, rows);
    this.#neededBytes =
      options.kind === "text" ? options.textLimitBytes + TAIL_MARGIN_BYTES : MIN_TTY_RING_BYTES;
    this.#ring = new ByteRing({
      capacityBytes: Math.max(options.replayBytes, this.#neededBytes),
      budget: options.budget,
      startOffset: options.startOffset,
    });
    this.#fanOut = new ByteFanOut({
      ring: this.#ring,
      clock: options.clock ?? systemClock,
      onListenerError: options.onListenerError ?? (() => {}),
    });
    this.#text =
      options.kind === "text"
        ? new PipeOutputText(this.#ring, options.textLimitBytes)
        : new TtyOutputText({
            ring: this.#ring,
            limitBytes: options.textLimitBytes,
            columns,
            rows,
            budget: options.budget,
            begins: options.folding === "lazy" ? "atFirstRead" : "atFirstByte",
          });
  }

  /** Offset of the oldest byte still kept. */
  get startOffset(): number {
    return this.#ring.startOffset;
  }

  /** How many bytes the run has written. */
  get endOffset(): number {
    return this.#ring.endOffset;
  }

  /** Memory held for bytes, folded text and the JSON image. */
  get allocatedBytes(): number {
    return this.#ring.allocatedBytes + this.#text.allocatedBytes;
  }

  /** Takes bytes of the run; the caller may reuse `bytes` at once. */
  push(bytes: Uint8Array, start = 0, end = bytes.length): void {
    if (this.#isClosed || start >= end) return;
    this.#lastTail = undefined;
    this.#lastJsonTail = undefined;
    this.#text.willPush(bytes, start, end);
    this.#ring.push(bytes, start, end);
    this.#fanOut.pushed(end - start);
  }

  /** Keeps fewer raw bytes for subscribers from now on. */
  shrinkReplay(replayBytes: number): void {
    if (!this.#isClosed) this.#ring.shrink(Math.max(replayBytes, this.#neededBytes));
  }

  /** The command's exit was reported: half a character at the end is shown as U+FFFD until its rest comes. */
  exited(): void {
    this.#forgetTails();
    this.#text.exited();
  }

  /** Nothing more will ever come; subscribers are notified. */
  ended(): void {
    this.#fanOut.end();
  }

  /** Later bytes were written for a screen of another size. */
  resize(columns: number, rows: number): void {
    checkSize(columns, rows);
    if (this.#isClosed) return;
    this.#forgetTails();
    this.#text.resize(columns, rows);
  }

  /** The newest text within the limit, or within a smaller one, cut on a character boundary. Costs in what it returns. */
  tail(limitBytes?: number): OutputTail {
    if (limitBytes !== undefined) {
      checkWholeNumber("limitBytes", limitBytes);
      return this.#text.text(limitBytes);
    }
    let tail = this.#lastTail?.deref();
    if (!tail) {
      tail = this.#text.text();
      this.#lastTail = new WeakRef(tail);
    }
    return tail;
  }

  /** The same with the text as JSON; a poll costs in what is new since the last one. */
  tailJson(): JsonOutputTail {
    let tail = this.#lastJsonTail?.deref();
    if (!tail) {
      tail = this.#text.json();
      this.#lastJsonTail = new WeakRef(tail);
      if (this.#fanOut.hasEnded) this.#text.dropImage();
    }
    return tail;
  }

  /** Watches the bytes. Read until `undefined` first: `onReadable` is called when there is more after that. */
  subscribe(options: { from?: SubscriptionStart }, onReadable: () => void): ByteSubscription {
    return this.#fanOut.subscribe(options.from ?? "start", onReadable);
  }

  /** A copy of bytes that are still kept. */
  bytes(from: number, to: number): Buffer {
    return this.#ring.copy(from, to);
  }

  /** Ends and frees everything. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#fanOut.close();
    this.#forgetTails();
    this.#text.close();
    this.#ring.close();
  }

  #forgetTails(): void {
    this.#lastTail = undefined;
    this.#lastJsonTail = undefined;
  }
}

function checkSize(columns: number, rows: number): void {
  checkWholeNumber("columns", columns);
  checkWholeNumber("rows", rows);
}

function checkWholeNumber(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${name} must be a whole number: ${value}`);
  }
}

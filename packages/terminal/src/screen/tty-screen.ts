// The screen of a tty for clients that join while the alternate screen is on: drawn on request, and kept while it is of use.
import { setImmediate as nextImmediate } from "node:timers/promises";
import type { ScreenSize } from "../screen-size.ts";
import { type ContentSource, modeSequences, type TerminalModes } from "../view/index.ts";
import { DrawnScreen, type DrawnScreenSource, type ScreenBase, type WrittenScreen } from "./drawn-screen.ts";
import { ScreenHistory } from "./screen-history.ts";

/** Dependencies of a tty screen. */
export interface TtyScreenParts {
  readonly output: ContentSource;
  readonly size: ScreenSize;
  /** The offset after the last character that is whole. */
  readonly wholeOffset: () => number;
  /** Whether anybody reads the terminal. */
  readonly isRead: () => boolean;
  /** How long a screen is kept that nobody has use for. */
  readonly lingerMs: number;
  readonly onFault: (error: unknown) => void;
}

/** The view of a client that joins. */
export type ScreenView =
  | ({ readonly kind: "screen" } & WrittenScreen)
  /** The bytes themselves, after these sequences. */
  | { readonly kind: "bytes"; readonly modes: string };

/** A program that writes on and on is not waited for when so much has been drawn. */
const maxWaitBytes = 4 * 1024 * 1024;
/** Nor is one whose output has taken so much time of the event loop (T401); tests of many programs shorten it. */
export const drawingLimit = { mostMs: 5000 };
/** Such a program is left alone for so long. */
const tooSlowRestMs = 10_000;
/** How long a screen is drawn before others get their turn, and at the moment when somebody joins (T400). */
const tickMs = 10;
const joinMs = 30;
/** Of a terminal that writes, so much is drawn at a time, and so often: a tenth of a core at most. */
const stepBytes = 64 * 1024;
const stepTickMs = 5;
const stepMs = 50;
/** A screen that is so far behind is given up: a flood must not wait for it, and it can be drawn again. */
const maxBehindBytes = 512 * 1024;
/** Programs draw parts of their screen once and never again: after so much of it, what is drawn is kept as text. */
const baseAfterBytes = 512 * 1024;
/** One that writes faster than it can be drawn is left alone for so long. */
const restBytes = 64 * 1024 * 1024;

/** The screen of one tty. It takes no memory until the alternate screen is joined, or much is written to it. */
export class TtyScreen {
  readonly #parts: TtyScreenParts;
  readonly #history: ScreenHistory;
  readonly #source: DrawnScreenSource;
  #drawn: DrawnScreen | undefined;
  #drawing: Promise<void> | undefined;
  #base: ScreenBase | undefined;
  #nextBaseOffset = Infinity;
  /** Counts how often what is being drawn became useless. */
  #dropCount = 0;
  #stepping: NodeJS.Timeout | undefined;
  #lingering: NodeJS.Timeout | undefined;
  /** Until then what takes too long is not tried again. */
  #restsUntilMs = 0;
  #isClosed = false;
  #isAlternate = false;

  constructor(parts: TtyScreenParts) {
    this.#parts = parts;
    this.#history = new ScreenHistory(parts.output, parts.size);
    const onFault = (error: unknown): void => this.#fail(error);
    this.#source = { output: parts.output, history: this.#history, onFault };
  }

  /** Whether it must follow what is written: on the alternate screen, and while a screen is in memory. */
  get isActive(): boolean {
    return this.#isAlternate || this.#drawn !== undefined;
  }

  /** Whether a screen is in memory. */
  get isDrawn(): boolean {
    return this.#drawn !== undefined;
  }

  /** Up to where what was drawn is kept as text; 0 when nothing is. */
  get baseOffset(): number {
    return this.#base?.offset ?? 0;
  }

  /** How much of what was written is not on the screen in memory. */
  get behindBytes(): number {
    return this.#drawn === undefined ? 0 : this.#parts.output.endOffset - this.#drawn.offset;
  }

  noteModes(offset: number, modes: TerminalModes): void {
    if (modes.isAlternateScreen !== this.#history.isAlternate) {
      this.#base = undefined;
      this.#nextBaseOffset = modes.isAlternateScreen ? offset + baseAfterBytes : Infinity;
    }
    this.#isAlternate = modes.isAlternateScreen;
    this.#history.noteModes(offset, modes);
  }

  resized(size: ScreenSize): void {
    this.#history.noteSize(this.#parts.wholeOffset(), size);
  }

  /** The view is cleared: clients that join see nothing from before it. */
  cleared(offset: number): void {
    this.#history.noteCleared(offset);
    this.#base = undefined;
    this.#drop();
  }

  /** More is about to be shown. */
  willShow(): void {
    this.#history.willShow();
  }

  /** More has been shown. */
  shown(): void {
    if (this.#parts.output.endOffset > this.#nextBaseOffset) void this.#renewBase();
    if (this.#drawn === undefined) return;
    if (this.behindBytes > maxBehindBytes) return this.#drop();
    this.#stepping ??= setTimeout(() => this.#stepOn(), stepMs).unref();
  }

  /** Draws the screen for a client that is about to join, if that needs one. */
  async load(): Promise<void> {
    // Twice, for one that was being drawn already may have been given up.
    await this.#drawOnce();
    if (this.#drawn === undefined) await this.#drawOnce();
  }

  /**
   * What a client that joins gets instead of, or before, the bytes between two offsets: the screen while it is the
   * alternate one (U30), else the modes that held before the first byte (U33).
   */
  viewOf(startOffset: number, endOffset: number): ScreenView {
    const history = this.#history;
    const screen = history.isAlternate ? this.#writeAt(endOffset) : undefined;
    if (screen !== undefined) return { kind: "screen", ...screen };
    return { kind: "bytes", modes: history.isTrimmed ? modeSequences(history.modesAt(startOffset)) : "" };
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  async #drawOnce(): Promise<void> {
    if (!this.#history.isAlternate || this.#isClosed || performance.now() < this.#restsUntilMs) return;
    this.#drawing ??= this.#draw()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#drawing = undefined;
      });
    await this.#drawing;
  }

  async #draw(): Promise<void> {
    if (this.#drawn?.isKept === false) this.#drop();
    const dropCount = this.#dropCount;
    const drawn = this.#drawn ?? (await DrawnScreen.begin(this.#source, this.#base));
    if (drawn === undefined) return this.#giveUp();
    const begunAt = drawn.offset;
    let spentMs = 0;
    while (dropCount === this.#dropCount && drawn.isKept && drawn.offset - begunAt < maxWaitBytes) {
      const to = this.#parts.wholeOffset();
      const startedMs = performance.now();
      if (drawn.drawUntil(to, startedMs + tickMs)) break;
      spentMs += performance.now() - startedMs;
      if (spentMs > drawingLimit.mostMs) {
        if (drawn !== this.#drawn) drawn.close();
        return this.#giveUp();
      }
      await nextImmediate();
    }
    if (drawn === this.#drawn) return;
    if (dropCount !== this.#dropCount || !drawn.isKept) return drawn.close();
    this.#drawn = drawn;
    this.#linger();
  }

  /** Not to be drawn in bounded time: clients that join get the bytes. */
  #giveUp(): void {
    this.#restsUntilMs = performance.now() + tooSlowRestMs;
    this.#drop();
  }

  /** Keeps what is drawn before the bytes that drew it are gone (U31). */
  async #renewBase(): Promise<void> {
    this.#nextBaseOffset = Infinity;
    await this.#drawOnce();
    if (!this.#history.isAlternate) return;
    const offset = this.#parts.wholeOffset();
    const written = this.#writeAt(offset);
    if (written === undefined || this.#drawn === undefined) {
      this.#nextBaseOffset = offset + restBytes;
      return;
    }
    this.#base = { bytes: Buffer.from(written.text + written.pending), offset, size: this.#drawn.size };
    this.#nextBaseOffset = offset + baseAfterBytes;
  }

  /** The screen at an offset, drawn up to there now; undefined when it is not at hand. */
  #writeAt(offset: number): WrittenScreen | undefined {
    const drawn = this.#drawn;
    if (drawn === undefined || drawn.offset > offset || !drawn.isKept) return undefined;
    try {
      return drawn.drawUntil(offset, performance.now() + joinMs) ? drawn.write() : undefined;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #stepOn(): void {
    this.#stepping = undefined;
    const drawn = this.#drawn;
    if (drawn === undefined) return;
    if (!drawn.isKept) return this.#drop();
    try {
      const to = this.#parts.wholeOffset();
      const end = Math.min(to, drawn.offset + stepBytes);
      if (!drawn.drawUntil(end, performance.now() + stepTickMs) || end < to) this.shown();
    } catch (error) {
      this.#fail(error);
    }
  }

  #linger(): void {
    this.#lingering = setTimeout(() => {
      if (this.#history.isAlternate && this.#parts.isRead()) this.#linger();
      else this.#drop();
    }, this.#parts.lingerMs).unref();
  }

  /** Clients that join get the bytes instead. */
  #fail(error: unknown): void {
    this.#drop();
    this.#parts.onFault(error);
  }

  #drop(): void {
    this.#dropCount += 1;
    clearTimeout(this.#stepping);
    clearTimeout(this.#lingering);
    this.#stepping = undefined;
    this.#drawn?.close();
    this.#drawn = undefined;
  }
}

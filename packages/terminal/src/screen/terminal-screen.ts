// The screen of a terminal: what its bytes have drawn, for clients that join late (T92, T93).
import { pieceEnd } from "../emulator/index.ts";
import { modeSequences, type TerminalModes } from "../view/index.ts";
import { Emulator } from "./emulator.ts";
import { SequenceTail } from "./sequence-tail.ts";
import { modeOf } from "./emulator-modes.ts";
import { writeSnapshot } from "./snapshot.ts";

const DEFAULT_SCROLLBACK_LINES = 1000;
/** How long bytes are drawn before others get their turn (T400). */
const TICK_MS = 10;

/** Source of a screen. */
export interface ScreenSource {
  readonly columns: number;
  readonly rows: number;
  /** Lines that are kept above the screen. Default 1,000. */
  readonly scrollbackLines?: number;
  /** The bytes that are kept of the stream, as they are shown. */
  readonly bytes?: Uint8Array | readonly Uint8Array[];
  /** The modes before the first of them, when that is not the first of all. */
  readonly modes?: TerminalModes;
}

/** A screen as text. */
export interface ScreenSnapshot {
  readonly text: string;
  /** How many of the last bytes are not in it, because a sequence or a character ends later: to be written after it. */
  readonly pendingBytes: number;
}

/** A screen in memory. It costs 0.2 to 6 MB and 30 to 100 ms a megabyte, so it is made only when it is asked for. */
export class TerminalScreen {
  readonly #emulator: Emulator;
  readonly #tail = new SequenceTail();

  private constructor({ columns, rows, scrollbackLines = DEFAULT_SCROLLBACK_LINES }: ScreenSource) {
    this.#emulator = new Emulator({ columns, rows, scrollbackLines });
  }

  /** Draws the bytes that are kept; resolves when they are drawn. */
  static async build(source: ScreenSource): Promise<TerminalScreen> {
    const screen = await TerminalScreen.buildWithin(source, Number.POSITIVE_INFINITY);
    if (screen === undefined) throw new Error("A screen without a time limit is always drawn");
    return screen;
  }

  /** The same; resolves with undefined when drawing takes more than so much time of the event loop (T401). */
  static async buildWithin(source: ScreenSource, mostMs: number): Promise<TerminalScreen | undefined> {
    const screen = new TerminalScreen(source);
    const { bytes = [], modes } = source;
    if (modes !== undefined) screen.#emulator.write(modeSequences(modes));
    let leftMs = mostMs;
    for (const part of bytes instanceof Uint8Array ? [bytes] : bytes) {
      leftMs -= await screen.#write(part, leftMs);
      if (leftMs > 0) continue;
      screen.close();
      return undefined;
    }
    return screen;
  }

  get columns(): number {
    return this.#emulator.terminal.cols;
  }

  get rows(): number {
    return this.#emulator.terminal.rows;
  }

  /** Where the cursor is, counted from 0. */
  get cursor(): { readonly column: number; readonly row: number } {
    const { cursorX, cursorY } = this.#emulator.terminal.buffer.active;
    return { column: Math.min(cursorX, this.columns - 1), row: cursorY };
  }

  /** Whether a mode is set, as far as we know it. */
  modeState(number: number, isPrivate: boolean): "set" | "reset" | "unknown" {
    const isSet = modeOf(this.#emulator.terminal, number, isPrivate);
    if (isSet === undefined) return "unknown";
    return isSet ? "set" : "reset";
  }

  /** The rows of the screen as plain text. */
  get text(): readonly string[] {
    const { active } = this.#emulator.terminal.buffer;
    return Array.from(
      { length: this.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
    );
  }

  /** Draws more bytes, in as many ticks as it takes; they must stay as they are until it resolves. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#write(bytes, Number.POSITIVE_INFINITY);
  }

  /**
   * Draws bytes until `performance.now()` has reached a deadline; how many it has drawn, at least some. One sequence
   * needs up to 20 ms on the largest screen, so it ends at most that much later (T400).
   */
  drawUntil(bytes: Uint8Array, deadlineMs: number): number {
    let drawn = 0;
    do {
      const end = pieceEnd(bytes, drawn);
      this.#emulator.write(bytes.subarray(drawn, end));
      drawn = end;
    } while (drawn < bytes.length && performance.now() < deadlineMs);
    this.#tail.push(bytes.subarray(0, drawn));
    return drawn;
  }

  /** Draws for no longer than so many milliseconds; how long it took. */
  async #write(bytes: Uint8Array, mostMs: number): Promise<number> {
    let spentMs = 0;
    let drawn = 0;
    while (drawn < bytes.length && spentMs < mostMs) {
      if (drawn > 0) await new Promise((resolve) => setImmediate(resolve));
      const startedMs = performance.now();
      drawn += this.drawUntil(bytes.subarray(drawn), startedMs + TICK_MS);
      spentMs += performance.now() - startedMs;
    }
    return drawn < bytes.length ? mostMs : spentMs;
  }

  /** Gives the screen another size, as terminals do: lines are rewrapped. */
  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
  }

  /** Text which, written to a terminal of this size, shows the same: both screens, looks, cursor, modes. */
  snapshot(options: { readonly scrollbackLines?: number } = {}): ScreenSnapshot {
    const text = writeSnapshot(this.#emulator.terminal, options.scrollbackLines ?? Number.POSITIVE_INFINITY);
    return { text, pendingBytes: this.#tail.bytes };
  }

  /** The same; undefined when it takes longer than that (T400). */
  snapshotWithin(
    mostMs: number,
    { scrollbackLines }: { readonly scrollbackLines: number },
  ): ScreenSnapshot | undefined {
    const deadlineMs = performance.now() + mostMs;
    const text = writeSnapshot(this.#emulator.terminal, scrollbackLines, deadlineMs);
    return text === undefined ? undefined : { text, pendingBytes: this.#tail.bytes };
  }

  /** Frees the memory. */
  close(): void {
    this.#emulator.close();
  }
}

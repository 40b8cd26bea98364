// The screen of a terminal: what its bytes have drawn, for who looks at it late (T92, T93).
import { modeSequences, type TerminalModes } from "../view/index.ts";
import { Emulator } from "./emulator.ts";
import { SequenceTail } from "./sequence-tail.ts";
import { modeOf } from "./emulator-modes.ts";
import { writeSnapshot } from "./snapshot.ts";

const DEFAULT_SCROLLBACK_LINES = 1000;
/** As much as is drawn in about two milliseconds. */
const PIECE_BYTES = 32 * 1024;

/** What a screen is made from. */
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
    const screen = new TerminalScreen(source);
    const { bytes = [], modes } = source;
    if (modes !== undefined) screen.#emulator.write(modeSequences(modes));
    for (const part of bytes instanceof Uint8Array ? [bytes] : bytes) await screen.write(part);
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

  /** Draws more bytes, not all in one turn of the loop; they must stay as they are until it resolves. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      if (start > 0) await new Promise((resolve) => setImmediate(resolve));
      const piece = bytes.subarray(start, start + PIECE_BYTES);
      this.#emulator.write(piece);
      this.#tail.push(piece);
    }
  }

  /** Gives the screen another size, as terminals do: lines are wrapped anew. */
  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
  }

  /** Text which, written to a terminal of this size, shows the same: both screens, looks, cursor, modes. */
  snapshot(options: { readonly scrollbackLines?: number } = {}): ScreenSnapshot {
    const text = writeSnapshot(this.#emulator.terminal, options.scrollbackLines ?? Number.POSITIVE_INFINITY);
    return { text, pendingBytes: this.#tail.bytes };
  }

  /** Frees the memory. */
  close(): void {
    this.#emulator.close();
  }
}

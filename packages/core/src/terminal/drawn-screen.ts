// A screen that is drawn from the bytes that are kept of a tty, piece by piece, and knows how much of the stream is on it.
import { TextDecoder } from "node:util";
import type { TerminalScreen } from "@holdfast/terminal/screen";
import { type ContentSource, modeSequences } from "@holdfast/terminal/view";
import type { ScreenHistory, SizeFrom } from "./screen-history.ts";

/** What a screen is drawn from. */
export interface DrawnScreenSource {
  readonly output: ContentSource;
  readonly history: ScreenHistory;
  readonly onFault: (error: unknown) => void;
}

/** A screen as text with control sequences. */
export interface WrittenScreen {
  readonly text: string;
  /** The beginning of a sequence whose end has not come: to be written after the text. */
  readonly pending: string;
}

/** A screen as text at an offset, from which it is drawn on. */
export interface ScreenBase {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly size: SizeFrom;
}

/** A third of what a screen draws before its `write` returns, for a byte may become three. */
const pieceBytes = 10 * 1024;
/** Lines above the normal screen that are shown. */
const scrollbackLines = 1000;

/** One screen in memory. Whoever began it closes it. */
export class DrawnScreen {
  readonly #source: DrawnScreenSource;
  readonly #screen: TerminalScreen;
  /** Viewers get text, where bytes that are none have become U+FFFD: so does the screen. */
  readonly #decoder = newDecoder();
  #offset: number;
  #size: SizeFrom;

  private constructor(source: DrawnScreenSource, screen: TerminalScreen, offset: number, size: SizeFrom) {
    this.#source = source;
    this.#screen = screen;
    this.#offset = offset;
    this.#size = size;
  }

  /** A screen as it was at a base that still holds, or before the first byte that is kept. */
  static async begin(source: DrawnScreenSource, base: ScreenBase | undefined): Promise<DrawnScreen> {
    // An emulator takes ten megabytes, and most terminals need none.
    const { TerminalScreen: Screen } = await import("@holdfast/terminal/screen");
    if (base !== undefined && base.offset >= source.output.startOffset) {
      const { cols: columns, rows } = base.size.size;
      const screen = await Screen.build({ columns, rows, scrollbackLines, bytes: base.bytes });
      return new DrawnScreen(source, screen, base.offset, base.size);
    }
    const { history } = source;
    const offset = history.drawingOffset;
    const size = history.sizeAt(offset);
    return new DrawnScreen(source, await buildAt(Screen, history, offset), offset, size);
  }

  /** How much of the stream is on it. */
  get offset(): number {
    return this.#offset;
  }

  /** The size that it has. */
  get size(): SizeFrom {
    return this.#size;
  }

  /** Whether the bytes that come next are still there. */
  get isKept(): boolean {
    return this.#offset >= this.#source.output.startOffset;
  }

  /** Draws the next piece, or takes the next size; how many bytes that were. */
  step(toOffset: number): number {
    const next = this.#source.history.sizeAfter(this.#size);
    if (next !== undefined && next.offset <= this.#offset) {
      this.#screen.resize(next.size.cols, next.size.rows);
      this.#size = next;
      return 0;
    }
    const from = this.#offset;
    this.#offset = Math.min(toOffset, from + pieceBytes, next?.offset ?? toOffset);
    const text = this.#decoder.decode(this.#source.output.bytes(from, this.#offset), { stream: true });
    void this.#screen.write(Buffer.from(text)).catch(this.#source.onFault);
    return this.#offset - from;
  }

  /** Draws up to an offset at once. */
  catchUp(toOffset: number): void {
    while (this.#offset < toOffset) this.step(toOffset);
    while ((this.#source.history.sizeAfter(this.#size)?.offset ?? Infinity) <= toOffset) this.step(toOffset);
  }

  /** What is on it; undefined when a sequence goes on that began before everything that is kept. */
  write(): WrittenScreen | undefined {
    const { output } = this.#source;
    const { text, pendingBytes } = this.#screen.snapshot({ scrollbackLines });
    const from = this.#offset - pendingBytes;
    if (from < output.startOffset) return undefined;
    const tail = Buffer.from(newDecoder().decode(output.bytes(from, this.#offset)));
    return { text, pending: tail.subarray(tail.length - pendingBytes).toString() };
  }

  close(): void {
    this.#screen.close();
  }
}

/** A screen as it was before an offset, as far as that is known. */
async function buildAt(
  Screen: typeof TerminalScreen,
  history: ScreenHistory,
  offset: number,
): Promise<TerminalScreen> {
  const { cols: columns, rows } = history.sizeAt(offset).size;
  const modes = history.modesAt(offset);
  const covered = modes.isAlternateScreen ? history.covered : undefined;
  if (covered === undefined) return Screen.build({ columns, rows, scrollbackLines, modes });
  const screen = await Screen.build({
    columns: covered.size.cols,
    rows: covered.size.rows,
    scrollbackLines,
    modes: covered.modes,
    bytes: covered.bytes,
  });
  screen.resize(columns, rows);
  // The bytes that drew what is covered have switched the screens already.
  await screen.write(Buffer.from(modeSequences({ ...modes, isAlternateScreen: false })));
  return screen;
}

function newDecoder(): TextDecoder {
  return new TextDecoder("utf-8", { ignoreBOM: true });
}

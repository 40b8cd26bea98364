// A screen that is drawn from the bytes that are kept of a tty, piece by piece, and knows how much of the stream is on it.
import { TextDecoder } from "node:util";
import { type ContentSource, modeSequences } from "../view/index.ts";
import type { ScreenHistory, SizeFrom } from "./screen-history.ts";
import type { TerminalScreen } from "./terminal-screen.ts";

/** Source of a drawn screen. */
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

/** Bytes taken from the stream at a time. */
const takenBytes = 10 * 1024;
/** Limit on the time of the event loop that drawing the past may take (T401). */
const mostPastMs = 5000;
/** How long a screen is written down for clients that join: on the largest, each cell may look different (U402). */
const mostWritingMs = 150;
/** Lines above the normal screen that are shown, and as many cells. */
const scrollbackLines = 1000;
const mostCellsAbove = 250_000;

/** One screen in memory. Its owner closes it. */
export class DrawnScreen {
  readonly #source: DrawnScreenSource;
  readonly #screen: TerminalScreen;
  /** Viewers get text, where bytes that are none have become U+FFFD: so does the screen. */
  readonly #decoder = newDecoder();
  #offset: number;
  /** Bytes before the offset that are not drawn yet. */
  #undrawn: Uint8Array = new Uint8Array();
  #size: SizeFrom;

  private constructor(source: DrawnScreenSource, screen: TerminalScreen, offset: number, size: SizeFrom) {
    this.#source = source;
    this.#screen = screen;
    this.#offset = offset;
    this.#size = size;
  }

  /**
   * A screen as it was at a base that still holds, or before the first byte that is kept; undefined when it takes too
   * long to be drawn.
   */
  static async begin(
    source: DrawnScreenSource,
    base: ScreenBase | undefined,
  ): Promise<DrawnScreen | undefined> {
    // An emulator takes ten megabytes, and most terminals need none.
    const { TerminalScreen: Screen } = await import("./terminal-screen.ts");
    if (base !== undefined && base.offset >= source.output.startOffset) {
      const past = { ...base.size.size, scrollbackLines, bytes: base.bytes };
      const screen = await Screen.buildWithin(past, mostPastMs);
      return screen && new DrawnScreen(source, screen, base.offset, base.size);
    }
    const { history } = source;
    const offset = history.drawingOffset;
    const size = history.sizeAt(offset);
    const screen = await buildAt(Screen, history, offset);
    return screen && new DrawnScreen(source, screen, offset, size);
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

  /** Draws up to an offset, or until `performance.now()` has reached a deadline; whether all of it is drawn. */
  drawUntil(toOffset: number, deadlineMs: number): boolean {
    while (this.#hasNext(toOffset)) {
      this.#drawNext(toOffset, deadlineMs);
      if (performance.now() >= deadlineMs) break;
    }
    return !this.#hasNext(toOffset);
  }

  #hasNext(toOffset: number): boolean {
    if (this.#undrawn.length > 0 || this.#offset < toOffset) return true;
    return (this.#source.history.sizeAfter(this.#size)?.offset ?? Infinity) <= toOffset;
  }

  /** Draws a part of what comes next, or takes the next size. */
  #drawNext(toOffset: number, deadlineMs: number): void {
    if (this.#undrawn.length === 0) {
      const next = this.#source.history.sizeAfter(this.#size);
      if (next !== undefined && next.offset <= this.#offset) {
        this.#screen.resize(next.size.columns, next.size.rows);
        this.#size = next;
        return;
      }
      const from = this.#offset;
      this.#offset = Math.min(toOffset, from + takenBytes, next?.offset ?? toOffset);
      const text = this.#decoder.decode(this.#source.output.bytes(from, this.#offset), { stream: true });
      this.#undrawn = Buffer.from(text);
      if (this.#undrawn.length === 0) return;
    }
    this.#undrawn = this.#undrawn.subarray(this.#screen.drawUntil(this.#undrawn, deadlineMs));
  }

  /**
   * The contents; undefined when they take too long to write (U402), or when a sequence continues that began before
   * everything that is kept.
   */
  write(): WrittenScreen | undefined {
    const { output } = this.#source;
    const shownLines = Math.min(scrollbackLines, Math.floor(mostCellsAbove / this.#screen.columns));
    const snapshot = this.#screen.snapshotWithin(mostWritingMs, { scrollbackLines: shownLines });
    if (snapshot === undefined) return undefined;
    const { text, pendingBytes } = snapshot;
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
): Promise<TerminalScreen | undefined> {
  const { columns, rows } = history.sizeAt(offset).size;
  const modes = history.modesAt(offset);
  const covered = modes.isAlternateScreen ? history.covered : undefined;
  if (covered === undefined) return Screen.build({ columns, rows, scrollbackLines, modes });
  const screen = await Screen.buildWithin(
    { ...covered.size, scrollbackLines, modes: covered.modes, bytes: covered.bytes },
    mostPastMs,
  );
  if (screen === undefined) return undefined;
  screen.resize(columns, rows);
  // The bytes that drew what is covered have switched the screens already.
  await screen.write(Buffer.from(modeSequences({ ...modes, isAlternateScreen: false })));
  return screen;
}

function newDecoder(): TextDecoder {
  return new TextDecoder("utf-8", { ignoreBOM: true });
}

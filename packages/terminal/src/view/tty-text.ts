// The text of a tty run: what its bytes leave on the screen and above it.
import { Buffer } from "node:buffer";
import type { RingBudget } from "./budget.ts";
import { CommittedText } from "./committed-text.ts";
import { copyPlainLines } from "./plain-lines.ts";
import type { ByteRing } from "./ring.ts";
import { ScreenSink } from "./screen-sink.ts";
import { TextScreen } from "./text-screen.ts";
import { VtParser } from "./vt-parser.ts";

const LINE_FEED = 0x0a;
const REPLACEMENT_CHARACTER = "\u{FFFD}";
/** After output that needed the screen, this much is parsed before plain lines are looked for again. */
const MIN_PARSE_BYTES = 1024;
/** Lines are copied through this one buffer; copying never outlasts a call. */
const lineBuffer = Buffer.allocUnsafeSlow(256 * 1024);

/** Folds the bytes of a terminal, in order, into text. */
export class TtyText {
  readonly #committed: CommittedText;
  readonly #screen: TextScreen;
  readonly #parser: VtParser;

  constructor(options: {
    capacityBytes: number;
    columns: number;
    rows: number;
    budget?: RingBudget | undefined;
  }) {
    const committed = new CommittedText(options);
    this.#committed = committed;
    this.#screen = new TextScreen(options.columns, options.rows, (row) => committed.commitRow(row));
    this.#parser = new VtParser(new ScreenSink(this.#screen));
  }

  /** The text above the screen. */
  get committed(): ByteRing {
    return this.#committed.ring;
  }

  get allocatedBytes(): number {
    let sizeBytes = this.#committed.ring.allocatedBytes;
    for (const row of this.#screen.main.rows) sizeBytes += row.allocatedBytes;
    return sizeBytes;
  }

  feed(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    while (at < end) {
      const { committedTo, plainTo } = this.#commitPlainLines(bytes, at, end);
      const parseTo = endOfLine(bytes, Math.max(plainTo, committedTo + MIN_PARSE_BYTES), end);
      this.#parser.parse(bytes, committedTo, parseTo);
      at = parseTo;
    }
  }

  /** Text that the screen adds to the committed text; `showsIncomplete` makes half a character at the end visible. */
  renderEnding(showsIncomplete: boolean): Buffer {
    const { main, active } = this.#screen;
    const isIncomplete = showsIncomplete && active === main && this.#parser.hasIncompleteCharacter;
    return this.#committed.renderEnding(
      main.rows,
      isIncomplete ? { x: main.x, y: main.y, shownAs: REPLACEMENT_CHARACTER } : undefined,
    );
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    this.#parser.screenResized();
  }

  close(): void {
    this.#committed.close();
  }

  /** Commits lines that would scroll by untouched; a screenful before the stop is left to be parsed. */
  #commitPlainLines(bytes: Uint8Array, start: number, end: number): { committedTo: number; plainTo: number } {
    if (end - start < MIN_PARSE_BYTES || !this.#parser.isIdle || !this.#screen.isAtFreshLine) {
      return { committedTo: start, plainTo: start };
    }
    const windowEnd = Math.min(end, start + lineBuffer.length);
    const lines = copyPlainLines(bytes, start, windowEnd, lineBuffer);
    const rowCount = this.#screen.main.rows.length;
    // With as many lines again before it, nothing of the old screen is left when that screenful is parsed.
    if (lines.lineCount < 2 * rowCount) return { committedTo: start, plainTo: lines.stoppedAt };
    this.#screen.main.skipLines(lines.lineCount - rowCount);
    const target = lineBuffer.subarray(0, lines.targetEnd);
    this.#committed.commitLines(target.subarray(0, startOfLastLines(target, rowCount)));
    const source = bytes.subarray(start, lines.sourceEnd);
    return { committedTo: start + startOfLastLines(source, rowCount), plainTo: lines.stoppedAt };
  }
}

function endOfLine(bytes: Uint8Array, from: number, end: number): number {
  if (from >= end) return end;
  const index = bytes.subarray(from, end).indexOf(LINE_FEED);
  return index < 0 ? end : from + index + 1;
}

/** Index where the last lines begin, in bytes that end with a line feed. */
function startOfLastLines(lines: Uint8Array, count: number): number {
  let index = lines.length - 1;
  for (let found = 0; found < count; found++) index = lines.lastIndexOf(LINE_FEED, index - 1);
  return index + 1;
}

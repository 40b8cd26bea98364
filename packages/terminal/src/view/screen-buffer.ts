// The rows of a screen with a cursor, margins and tab stops: one for the main, one for the alternate screen.
import { ScreenRow } from "./screen-row.ts";

const TAB_WIDTH = 8;

/** A position to come back to; the line counts from the first ever, so that it moves with its text. */
export interface SavedPosition {
  readonly x: number;
  readonly line: number;
}

/** Rows of cells that scroll. */
export class ScreenBuffer {
  /** The cursor's column; equal to `columns` after the last cell was written and before the wrap. */
  x = 0;
  y = 0;
  topMargin = 0;
  bottomMargin: number;
  saved: SavedPosition = { x: 0, line: 0 };
  readonly #rows: ScreenRow[];
  #columns: number;
  #tabStops: Uint8Array;
  #scrolledLines = 0;
  readonly #onScrolledOff: ((row: ScreenRow) => void) | undefined;

  /** `onScrolledOff` is given each row that leaves at the top, before it is used again. */
  constructor(columns: number, rowCount: number, onScrolledOff?: (row: ScreenRow) => void) {
    this.#columns = columns;
    this.#rows = Array.from({ length: rowCount }, () => new ScreenRow(columns));
    this.#tabStops = defaultTabStops(columns);
    this.bottomMargin = rowCount - 1;
    this.#onScrolledOff = onScrolledOff;
  }

  get columns(): number {
    return this.#columns;
  }

  get rows(): readonly ScreenRow[] {
    return this.#rows;
  }

  get cursorRow(): ScreenRow {
    return this.#rows[this.y]!;
  }

  get hasFullMargins(): boolean {
    return this.topMargin === 0 && this.bottomMargin === this.#rows.length - 1;
  }

  get #isWithinMargins(): boolean {
    return this.y >= this.topMargin && this.y <= this.bottomMargin;
  }

  /** Goes down a row, scrolling at the bottom margin; returns whether it scrolled or stayed. */
  advanceRow(isWrapped: boolean): "scrolled" | "stayed" | "moved" {
    if (this.y === this.bottomMargin) {
      this.#scroll(isWrapped);
      return "scrolled";
    }
    if (this.y === this.#rows.length - 1) return "stayed";
    this.y++;
    return "moved";
  }

  /** Erases in the cursor's row: from the cursor on (0), up to it (1), or all (2). */
  eraseInLine(mode: number): void {
    const row = this.cursorRow;
    if (mode === 0) eraseRowFrom(row, this.x);
    else if (mode === 1) row.erase(0, this.x + 1);
    else if (mode === 2) row.reset(false);
  }

  /** Erases on the screen: from the cursor on (0), up to it (1), or all (2). */
  eraseInDisplay(mode: number): void {
    const { x, y, cursorRow } = this;
    const rows = this.#rows;
    if (mode === 0) {
      eraseRowFrom(cursorRow, x);
      for (const row of rows.slice(y + 1)) row.reset(false);
    } else if (mode === 1) {
      cursorRow.erase(0, x + 1);
      cursorRow.isWrapped = false;
      const below = rows[y + 1];
      if (below && x + 1 >= this.#columns) below.isWrapped = false;
      for (const row of rows.slice(0, y)) row.reset(false);
    } else if (mode === 2) {
      for (const row of rows) row.reset(false);
    }
  }

  /** Fills the rows from the cursor's on with a character. */
  fillFromCursor(codePoint: number): void {
    for (const row of this.#rows.slice(this.y)) row.fill(codePoint, this.#columns);
  }

  eraseCharacters(count: number): void {
    this.leavePendingWrap();
    this.cursorRow.erase(this.x, this.x + count);
  }

  insertCharacters(count: number): void {
    this.leavePendingWrap();
    this.cursorRow.insert(this.x, count, this.#columns);
  }

  deleteCharacters(count: number): void {
    this.leavePendingWrap();
    this.cursorRow.delete(this.x, count, this.#columns);
  }

  insertLines(count: number): void {
    this.leavePendingWrap();
    if (!this.#isWithinMargins) return;
    this.#recycleRows(count, this.bottomMargin, this.y);
    this.x = 0;
  }

  deleteLines(count: number): void {
    this.leavePendingWrap();
    if (!this.#isWithinMargins) return;
    this.#recycleRows(count, this.y, this.bottomMargin);
    this.x = 0;
  }

  /** Moves the rows between the margins up; those that leave are erased, not kept. */
  scrollUp(count: number): void {
    this.#recycleRows(count, this.topMargin, this.bottomMargin);
  }

  scrollDown(count: number): void {
    this.#recycleRows(count, this.bottomMargin, this.topMargin);
  }

  /** Back onto the last column, when the cursor stands past it. */
  leavePendingWrap(): void {
    this.x = Math.min(this.x, this.#columns - 1);
  }

  resetMargins(): void {
    this.topMargin = 0;
    this.bottomMargin = this.#rows.length - 1;
  }

  savePosition(): void {
    this.saved = { x: this.x, line: this.#scrolledLines + this.y };
  }

  restorePosition(): void {
    this.x = Math.min(this.saved.x, this.#columns - 1);
    const y = this.saved.line - this.#scrolledLines;
    this.y = Math.min(Math.max(y, 0), this.#rows.length - 1);
  }

  /** The saved position with its line counted from the top of the screen. */
  get savedOnScreen(): SavedPosition {
    return { x: this.saved.x, line: Math.max(this.saved.line - this.#scrolledLines, 0) };
  }

  /** Gives up all rows above the cursor, as if `lineCount` more lines had come and scrolled by. */
  skipLines(lineCount: number): void {
    for (let y = 0; y < this.y; y++) {
      this.#onScrolledOff?.(this.#rows[y]!);
      this.#rows[y]!.reset(false);
    }
    this.#scrolledLines += this.y + lineCount;
    this.x = 0;
    this.y = 0;
  }

  nextTabStop(): number {
    let stop = this.x + 1;
    while (stop < this.#columns && this.#tabStops[stop] === 0) stop++;
    return Math.min(stop, this.#columns - 1);
  }

  previousTabStop(): number {
    let stop = this.x - 1;
    while (stop > 0 && this.#tabStops[stop] === 0) stop--;
    return Math.max(stop, 0);
  }

  setTabStop(isSet: boolean): void {
    this.#tabStops[this.x] = isSet ? 1 : 0;
  }

  clearTabStops(): void {
    this.#tabStops.fill(0);
  }

  resetTabStops(): void {
    this.#tabStops = defaultTabStops(this.#columns);
  }

  resize(columns: number, rowCount: number): void {
    this.#resizeRowCount(columns, rowCount);
    for (const row of this.#rows) {
      row.widen(columns);
      if (this.#onScrolledOff === undefined) row.erase(columns);
    }
    this.#extendTabStops(columns);
    this.#columns = columns;
    this.leavePendingWrap();
    this.saved = { ...this.saved, x: Math.min(this.saved.x, columns - 1) };
    this.resetMargins();
  }

  #resizeRowCount(columns: number, rowCount: number): void {
    while (this.#rows.length < rowCount) this.#rows.push(new ScreenRow(columns));
    while (this.#rows.length > rowCount) {
      if (this.#isLastRowSpare) {
        this.#rows.pop();
        continue;
      }
      // Outside the optional call: without a listener its arguments are not evaluated.
      const row = this.#rows.shift()!;
      this.#onScrolledOff?.(row);
      this.#scrolledLines++;
      this.y = Math.max(0, this.y - 1);
    }
  }

  /** Below the cursor a row is given up before those above it, unless it has text that is to be kept. */
  get #isLastRowSpare(): boolean {
    if (this.y >= this.#rows.length - 1) return false;
    return this.#onScrolledOff === undefined || this.#rows.at(-1)!.contentLength() === 0;
  }

  /** New columns continue the distance of tab stops from the last one that is set. */
  #extendTabStops(columns: number): void {
    if (columns > this.#tabStops.length) {
      const stops = new Uint8Array(columns);
      stops.set(this.#tabStops);
      this.#tabStops = stops;
    }
    if (this.#tabStops[columns] === 1) return;
    const first = Math.max(0, this.#tabStops.subarray(0, columns).lastIndexOf(1));
    for (let stop = first; stop < columns; stop += TAB_WIDTH) this.#tabStops[stop] = 1;
  }

  #scroll(isWrapped: boolean): void {
    if (this.topMargin === 0 && this.#onScrolledOff) {
      this.#onScrolledOff(this.#rows[0]!);
      this.#scrolledLines++;
    }
    this.#recycleRows(1, this.topMargin, this.bottomMargin);
    this.#rows[this.bottomMargin]!.isWrapped = isWrapped;
  }

  /** Takes rows at one index out and puts them, blank, in at another. */
  #recycleRows(count: number, from: number, to: number): void {
    const height = Math.abs(from - to) + 1;
    const moved = Math.min(count, height);
    const isUpwards = from < to;
    const rows = this.#rows.splice(isUpwards ? from : from - moved + 1, moved);
    for (const row of rows) row.reset(false);
    this.#rows.splice(isUpwards ? to - moved + 1 : to, 0, ...rows);
  }
}

function eraseRowFrom(row: ScreenRow, x: number): void {
  if (x === 0) row.reset(false);
  else row.erase(x);
}

function defaultTabStops(columns: number): Uint8Array {
  const stops = new Uint8Array(columns);
  for (let x = 0; x < columns; x += TAB_WIDTH) stops[x] = 1;
  return stops;
}

// A screen that keeps text only: what terminal output leaves behind once overwriting and erasing are done.
import { clampSize } from "../screen-size.ts";
import { CharacterSets } from "./character-sets.ts";
import { characterWidth } from "./character-width.ts";
import { type SavedPosition, ScreenBuffer } from "./screen-buffer.ts";
import type { ScreenRow } from "./screen-row.ts";

/** Limit on a repetition, in rows, marks included. */
const maxRepeatedRows = 4;

/** Cells, cursor and modes; its methods are what control functions do. */
export class TextScreen {
  readonly #main: ScreenBuffer;
  #active: ScreenBuffer;
  /** Saved cursor of an alternate screen that is not shown. */
  #savedInAlternate: SavedPosition = { x: 0, line: 0 };
  #rowCount: number;
  #hasAutowrap = true;
  #isInserting = false;
  #hasOriginAtMargin = false;
  readonly #characterSets = new CharacterSets();

  /** `onScrolledOff` is given each row of the main screen that leaves at the top. */
  constructor(columns: number, rowCount: number, onScrolledOff: (row: ScreenRow) => void) {
    const size = clampSize({ columns, rows: rowCount });
    this.#rowCount = size.rows;
    this.#main = new ScreenBuffer(size.columns, size.rows, onScrolledOff);
    this.#active = this.#main;
  }

  /** The main screen, also while the alternate one is shown. */
  get main(): ScreenBuffer {
    return this.#main;
  }

  /** The screen that is shown. */
  get active(): ScreenBuffer {
    return this.#active;
  }

  get characterSets(): CharacterSets {
    return this.#characterSets;
  }

  /** Whether the cursor begins a line below all text, and text just flows: then lines can bypass the cells. */
  get isAtFreshLine(): boolean {
    const { x, y, rows } = this.#main;
    return (
      this.#active === this.#main &&
      x === 0 &&
      !rows[y]!.isWrapped &&
      this.#main.hasFullMargins &&
      this.#hasAutowrap &&
      !this.#characterSets.isDrawing &&
      rows.every((row, index) => index < y || row.contentLength() === 0)
    );
  }

  printAscii(bytes: Uint8Array, start: number, end: number): void {
    if (this.#characterSets.isDrawing) {
      for (let index = start; index < end; index++) this.print(bytes[index]!);
      return;
    }
    const buffer = this.#active;
    let index = start;
    while (index < end) {
      if (buffer.x === buffer.columns) this.#leaveMargin();
      const length = Math.min(end - index, buffer.columns - buffer.x);
      const row = buffer.cursorRow;
      if (this.#isInserting) row.insert(buffer.x, length, buffer.columns);
      row.putAscii(buffer.x, bytes, index, length);
      buffer.x += length;
      index += length;
    }
  }

  /** Shows a character; false when it has no place. */
  print(codePoint: number): boolean {
    const shown = this.#characterSets.shown(codePoint);
    const width = characterWidth(shown);
    const buffer = this.#active;
    if (width === 0) {
      if (buffer.x > 0) buffer.cursorRow.join(buffer.x, shown);
      return true;
    }
    if (buffer.x + width > buffer.columns) {
      this.#leaveMargin();
      // Without wrapping a wide character has no place in the last column.
      if (buffer.x + width > buffer.columns) return false;
    }
    const row = buffer.cursorRow;
    if (this.#isInserting) row.insert(buffer.x, width, buffer.columns);
    row.put(buffer.x, shown, width);
    buffer.x += width;
    return true;
  }

  repeat(count: number): void {
    const buffer = this.#active;
    const characters = buffer.x === 0 ? [] : buffer.cursorRow.charactersBefore(buffer.x);
    // A row is as much as programs draw with it; more would let five bytes cost a megabyte.
    const mostTimes = Math.ceil((maxRepeatedRows * buffer.columns) / characters.length);
    const [character, ...marks] = characters;
    if (character === undefined) return;
    this.#printRun(character, marks, Math.min(count, buffer.columns, mostTimes));
  }

  /** Shows a character and its marks several times; in insert mode a row moves once, not once for each (T203). */
  #printRun(character: number, marks: readonly number[], count: number): void {
    const shown = this.#characterSets.shown(character);
    const width = characterWidth(shown);
    const buffer = this.#active;
    for (let left = count; left > 0;) {
      if (buffer.x + width > buffer.columns) this.#leaveMargin();
      const length = width === 0 ? 0 : Math.min(left, Math.floor((buffer.columns - buffer.x) / width));
      if (length === 0) {
        for (; left > 0; left--) for (const each of [character, ...marks]) this.print(each);
        return;
      }
      const row = buffer.cursorRow;
      if (this.#isInserting) row.insert(buffer.x, length * width, buffer.columns);
      if (width === 1 && marks.length === 0) row.putRun(buffer.x, shown, length);
      else this.#putEach(shown, width, marks, length);
      buffer.x += length * width;
      left -= length;
    }
  }

  #putEach(shown: number, width: number, marks: readonly number[], count: number): void {
    const { x, cursorRow } = this.#active;
    for (let done = 0; done < count; done++) {
      const at = x + done * width;
      cursorRow.put(at, shown, width);
      for (const mark of marks) cursorRow.join(at + width, this.#characterSets.shown(mark));
    }
  }

  lineFeed(): void {
    const buffer = this.#active;
    buffer.cursorRow.hasNewline = true;
    if (buffer.advanceRow(false) === "moved") buffer.cursorRow.isWrapped = false;
    buffer.leavePendingWrap();
  }

  /** Down one row in the same column. */
  index(): void {
    this.#active.leavePendingWrap();
    this.#active.cursorRow.hasNewline = true;
    this.#active.advanceRow(false);
  }

  reverseIndex(): void {
    this.#active.leavePendingWrap();
    const buffer = this.#active;
    if (buffer.y === buffer.topMargin) buffer.scrollDown(1);
    else if (buffer.y > 0) buffer.y--;
  }

  carriageReturn(): void {
    this.#active.x = 0;
  }

  tab(): void {
    const buffer = this.#active;
    if (buffer.x >= buffer.columns - 1) {
      buffer.cursorRow.putTabAtMargin(buffer.x);
      return;
    }
    const stop = buffer.nextTabStop();
    buffer.cursorRow.putTab(buffer.x, stop);
    buffer.x = stop;
  }

  /** Moves over tab stops without leaving tabs: forward for a positive count. */
  moveByTabs(count: number): void {
    const buffer = this.#active;
    if (buffer.x === buffer.columns) return;
    for (let done = 0; done < Math.min(Math.abs(count), buffer.columns); done++) {
      buffer.x = count > 0 ? buffer.nextTabStop() : buffer.previousTabStop();
    }
  }

  moveToColumn(x: number): void {
    this.#active.x = clamp(x, 0, this.#active.columns - 1);
    this.#active.y = this.#clampRow(this.#active.y);
  }

  moveToRow(y: number): void {
    this.#active.leavePendingWrap();
    this.#active.y = this.#clampRow(this.#hasOriginAtMargin ? this.#active.topMargin + y : y);
  }

  moveTo(x: number, y: number): void {
    this.moveToRow(y);
    this.moveToColumn(x);
  }

  moveColumns(count: number): void {
    this.#active.leavePendingWrap();
    this.moveToColumn(this.#active.x + count);
  }

  /** Up or down, not over a margin that the cursor is inside of. */
  moveRows(count: number): void {
    this.#active.leavePendingWrap();
    const buffer = this.#active;
    const lowest = buffer.y < buffer.topMargin ? 0 : buffer.topMargin;
    const highest = buffer.y > buffer.bottomMargin ? this.#rowCount - 1 : buffer.bottomMargin;
    buffer.y = clamp(buffer.y + count, lowest, highest);
  }

  /** Down regardless of margins. */
  moveDownFreely(count: number): void {
    this.#active.leavePendingWrap();
    this.#active.y = this.#clampRow(this.#active.y + count);
  }

  /** Sets the rows between which text scrolls, counted from 0; ignored when they are not a region. */
  setMargins(top: number, bottom: number): void {
    const last = Math.min(bottom, this.#rowCount - 1);
    if (last <= top) return;
    this.#active.topMargin = top;
    this.#active.bottomMargin = last;
    this.moveTo(0, 0);
  }

  saveCursor(): void {
    this.#active.savePosition();
    this.#characterSets.save();
  }

  restoreCursor(): void {
    this.#active.restorePosition();
    this.#active.y = this.#clampRow(this.#active.y);
    this.#characterSets.restore();
  }

  setAutowrap(isOn: boolean): void {
    this.#hasAutowrap = isOn;
  }

  setInserting(isOn: boolean): void {
    this.#isInserting = isOn;
  }

  setOriginAtMargin(isOn: boolean): void {
    this.#hasOriginAtMargin = isOn;
    this.moveTo(0, 0);
  }

  /** Shows the alternate screen, blank, or the main one as it was left; the cursor keeps its place. */
  showAlternate(isOn: boolean): void {
    if (isOn === (this.#active !== this.#main)) return;
    const { x, y } = this.#active;
    if (isOn) {
      const alternate = new ScreenBuffer(this.#main.columns, this.#rowCount);
      alternate.saved = this.#savedInAlternate;
      this.#active = alternate;
    } else {
      this.#savedInAlternate = this.#active.savedOnScreen;
      this.#active = this.#main;
    }
    this.#active.x = x;
    this.#active.y = y;
  }

  /** Back to the modes of the start; what is shown stays. */
  softReset(): void {
    this.#hasAutowrap = true;
    this.#isInserting = false;
    this.#hasOriginAtMargin = false;
    this.#characterSets.reset();
    this.#active.resetMargins();
    this.#active.saved = { x: 0, line: 0 };
  }

  /** Back to the start, with a blank screen. */
  fullReset(): void {
    this.showAlternate(false);
    this.#savedInAlternate = { x: 0, line: 0 };
    this.softReset();
    this.#main.resetTabStops();
    this.#main.eraseInDisplay(2);
    this.moveTo(0, 0);
  }

  resize(columns: number, rowCount: number): void {
    const size = clampSize({ columns, rows: rowCount });
    if (size.columns === this.#main.columns && size.rows === this.#rowCount) return;
    this.#rowCount = size.rows;
    this.#main.resize(size.columns, size.rows);
    if (this.#active !== this.#main) this.#active.resize(size.columns, size.rows);
  }

  /** Past the last column: to the next row, or without wrapping back onto the last cell. */
  #leaveMargin(): void {
    const buffer = this.#active;
    if (!this.#hasAutowrap) {
      buffer.x = buffer.columns - 1;
      return;
    }
    buffer.cursorRow.erase(buffer.x);
    buffer.x = 0;
    if (buffer.advanceRow(true) !== "scrolled") buffer.cursorRow.isWrapped = true;
  }

  #clampRow(y: number): number {
    const { topMargin, bottomMargin } = this.#active;
    return this.#hasOriginAtMargin ? clamp(y, topMargin, bottomMargin) : clamp(y, 0, this.#rowCount - 1);
  }
}

function clamp(value: number, lowest: number, highest: number): number {
  return Math.min(Math.max(value, lowest), highest);
}

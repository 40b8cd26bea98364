// One row of a text screen: cells with characters, tabs and gaps.
import type { Buffer } from "node:buffer";

/** A cell that was never written, or was erased. */
const EMPTY = 0;
const TAB = 0x09;
const SPACE = 0x20;
/** Added to the code point of a character that takes two cells. */
const WIDE = 0x200000;
const CODE_POINT_MASK = 0x1fffff;
/** Cells from here on belong to the character or tab that begins further left. */
const WIDE_REST = 0x400000;
const TAB_REST = 0x400001;

const noCells = new Uint32Array(0);

/** How many joining characters one cell takes; more are dropped, so that a row stays bounded. */
export const MAX_MARKS_PER_CELL = 16;
const MAX_MARK_BYTES = 4 * MAX_MARKS_PER_CELL;
const MAX_CHARACTER_BYTES = 4;

/** The cells of one row and how it joins its neighbours. */
export class ScreenRow {
  /** The row continues the line of the row above: it was wrapped, not ended. */
  isWrapped = false;
  /** A line feed was written on this row. */
  hasNewline = false;
  #columns: number;
  /** Empty until something is written: a program may clear a screen with four bytes, and most rows stay blank. */
  #written = noCells;
  /** Content of all cells while none of them has been written to; EMPTY when they are as written. */
  #filledWith = EMPTY;
  /** Cells from here on are empty. */
  #usedCells = 0;
  /** Characters that join the cell they are filed under. */
  #marks: Map<number, number[]> | undefined;

  constructor(columns: number) {
    this.#columns = columns;
  }

  get allocatedBytes(): number {
    return this.#written.byteLength;
  }

  get #cells(): Uint32Array {
    if (this.#usedCells > 0 && this.#written.length === 0) this.#written = new Uint32Array(this.#columns);
    if (this.#filledWith !== EMPTY) {
      this.#written.fill(this.#filledWith, 0, this.#usedCells);
      this.#filledWith = EMPTY;
    }
    return this.#written;
  }

  /** Makes the row blank, as new. */
  reset(isWrapped: boolean): void {
    this.erase(0);
    this.isWrapped = isWrapped;
    this.hasNewline = false;
  }

  /** Grows to more columns; text beyond fewer columns stays until it is overwritten or erased. */
  widen(columns: number): void {
    if (columns <= this.#columns) return;
    const { length } = this.#cells;
    this.#columns = columns;
    if (length === 0) return;
    const cells = new Uint32Array(columns);
    cells.set(this.#written);
    this.#written = cells;
  }

  /** Shows a character of one column in all of them. */
  fill(codePoint: number, columns: number): void {
    this.reset(false);
    this.#filledWith = codePoint;
    this.#usedCells = columns;
  }

  putAscii(x: number, bytes: Uint8Array, start: number, length: number): void {
    this.#clearForWriting(x, x + length);
    const cells = this.#cells;
    for (let index = 0; index < length; index++) cells[x + index] = bytes[start + index]!;
  }

  /** Writes the same character several times, of one column each. */
  putRun(x: number, codePoint: number, length: number): void {
    this.#clearForWriting(x, x + length);
    this.#cells.fill(codePoint, x, x + length);
  }

  put(x: number, codePoint: number, width: number): void {
    this.#clearForWriting(x, x + width);
    this.#cells[x] = width === 2 ? codePoint | WIDE : codePoint;
    if (width === 2) this.#cells[x + 1] = WIDE_REST;
  }

  /** Files a character under the cell left of `x`, to be shown after that cell's own. */
  join(x: number, codePoint: number): void {
    const index = this.#cells[x - 1] === WIDE_REST ? x - 2 : x - 1;
    const marks = this.#marks?.get(index) ?? [];
    if (marks.length === MAX_MARKS_PER_CELL) return;
    marks.push(codePoint);
    this.#marks ??= new Map();
    this.#marks.set(index, marks);
    this.#usedCells = Math.max(this.#usedCells, index + 1);
  }

  /** Keeps a tab from `x` to `stop` as a tab, if nothing was written there. */
  putTab(x: number, stop: number): void {
    if (!this.#isBlank(x, stop)) return;
    this.#usedCells = Math.max(this.#usedCells, stop);
    this.#cells[x] = TAB;
    this.#cells.fill(TAB_REST, x + 1, stop);
  }

  /** Keeps a tab that cannot move the cursor, because it stands at the right margin. */
  putTabAtMargin(x: number): void {
    if (x >= this.#columns || this.#isBlank(x, x + 1)) this.join(x, TAB);
  }

  /** Makes cells as if never written: to the end of the row unless an end is given. */
  erase(from: number, to = Number.POSITIVE_INFINITY): void {
    if (from >= this.#usedCells) return;
    if (from === 0 && to >= this.#usedCells && this.#filledWith !== EMPTY) {
      this.#filledWith = EMPTY;
      this.#usedCells = 0;
      this.#marks = undefined;
      return;
    }
    this.#cut(from);
    this.#cut(to);
    this.#cells.fill(EMPTY, from, Math.min(to, this.#usedCells));
    this.#dropMarks(from, to);
    if (to >= this.#usedCells) this.#usedCells = from;
  }

  /** Moves what is at `x` and after to the right, losing what goes beyond `columns`. */
  insert(x: number, count: number, columns: number): void {
    const shift = Math.min(count, columns - x);
    this.#dissolveTabs(x);
    this.#cut(x);
    this.#cut(columns - shift);
    this.#cut(columns);
    this.#cells.copyWithin(x + shift, x, columns - shift);
    this.#cells.fill(EMPTY, x, x + shift);
    this.#moveMarks(x, columns, shift);
    if (x < this.#usedCells) {
      this.#usedCells = Math.max(this.#usedCells, Math.min(columns, this.#usedCells + shift));
    }
  }

  /** Takes cells out at `x`, moving in what is to the right of them. */
  delete(x: number, count: number, columns: number): void {
    const shift = Math.min(count, columns - x);
    this.#dissolveTabs(x);
    this.#cut(x);
    this.#cut(x + shift);
    this.#cut(columns);
    this.#dropMarks(x, x + shift);
    this.#cells.copyWithin(x, x + shift, columns);
    this.#cells.fill(EMPTY, columns - shift, columns);
    this.#moveMarks(x + shift, columns, -shift);
  }

  /** The code points shown left of `x`: the last character and what joined it. */
  charactersBefore(x: number): number[] {
    const index = this.#cells[x - 1] === WIDE_REST ? x - 2 : x - 1;
    const cell = this.#cells[index] ?? EMPTY;
    const marks = this.#marks?.get(index) ?? [];
    if (cell === EMPTY) return marks.slice();
    return [cell >= WIDE_REST ? SPACE : cell & CODE_POINT_MASK, ...marks];
  }

  /** Index after the last cell that shows something. */
  contentLength(): number {
    let length = this.#usedCells;
    while (length > 0 && this.#cells[length - 1] === EMPTY && !this.#marks?.has(length - 1)) length--;
    this.#usedCells = length;
    return length;
  }

  /** Bytes that `encodeInto` may need for all cells before `to`. */
  maxEncodedBytes(to: number): number {
    return to * MAX_CHARACTER_BYTES + (this.#marks?.size ?? 0) * MAX_MARK_BYTES;
  }

  /** Writes the cells from one index to another as UTF-8, gaps as spaces; returns the index after them. */
  encodeInto(target: Buffer, at: number, from: number, to: number): number {
    let write = at;
    const cells = this.#cells;
    const marks = this.#marks;
    for (let index = from; index < to; index++) {
      const cell = cells[index] ?? EMPTY;
      if (cell < 0x80) target[write++] = cell === EMPTY ? SPACE : cell;
      else if (cell < WIDE_REST) write = encodeCodePoint(target, write, cell & CODE_POINT_MASK);
      if (marks === undefined) continue;
      for (const mark of marks.get(index) ?? []) write = encodeCodePoint(target, write, mark);
    }
    return write;
  }

  #clearForWriting(from: number, to: number): void {
    if (from < this.#usedCells) {
      this.#cut(from);
      this.#cut(to);
      this.#dropMarks(from, to);
    }
    if (to > this.#usedCells) this.#usedCells = to;
  }

  /** Dissolves the wide character or tab that spans the border left of `x`, if there is one. */
  #cut(x: number): void {
    const cells = this.#cells;
    if (x >= cells.length || cells[x]! < WIDE_REST) return;
    let from = x;
    while (cells[from]! >= WIDE_REST) from--;
    let to = x + 1;
    while (to < cells.length && cells[to]! >= WIDE_REST) to++;
    cells.fill(EMPTY, from, to);
    this.#dropMarks(from, to);
  }

  /** Makes tabs right of `x` the gaps they are: once moved, they no longer end at a tab stop. */
  #dissolveTabs(x: number): void {
    const cells = this.#cells;
    for (let index = x; index < this.#usedCells; index++) {
      if (cells[index] !== TAB && cells[index] !== TAB_REST) continue;
      this.#cut(index);
      cells[index] = EMPTY;
    }
  }

  #isBlank(from: number, to: number): boolean {
    for (let index = from; index < Math.min(to, this.#usedCells); index++) {
      if (this.#cells[index] !== EMPTY || this.#marks?.has(index)) return false;
    }
    return true;
  }

  #dropMarks(from: number, to: number): void {
    if (!this.#marks) return;
    if (to - from < this.#marks.size) {
      for (let index = from; index < to; index++) this.#marks.delete(index);
    } else {
      for (const index of this.#marks.keys()) {
        if (index >= from && index < to) this.#marks.delete(index);
      }
    }
    if (this.#marks.size === 0) this.#marks = undefined;
  }

  /** Moves marks with their cells; those that leave the columns are dropped. */
  #moveMarks(from: number, columns: number, shift: number): void {
    if (!this.#marks) return;
    const moved = new Map<number, number[]>();
    for (const [index, marks] of this.#marks) {
      const isMoved = index >= from && index < columns;
      const target = isMoved ? index + shift : index;
      if (!isMoved || target < columns) moved.set(target, marks);
    }
    this.#marks = moved.size > 0 ? moved : undefined;
  }
}

function encodeCodePoint(target: Buffer, at: number, codePoint: number): number {
  let write = at;
  if (codePoint < 0x80) {
    target[write++] = codePoint;
    return write;
  }
  if (codePoint < 0x800) {
    target[write++] = 0xc0 | (codePoint >> 6);
  } else if (codePoint < 0x10000) {
    target[write++] = 0xe0 | (codePoint >> 12);
    target[write++] = 0x80 | ((codePoint >> 6) & 0x3f);
  } else {
    target[write++] = 0xf0 | (codePoint >> 18);
    target[write++] = 0x80 | ((codePoint >> 12) & 0x3f);
    target[write++] = 0x80 | ((codePoint >> 6) & 0x3f);
  }
  target[write++] = 0x80 | (codePoint & 0x3f);
  return write;
}

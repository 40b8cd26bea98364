// Writes the rows of a screen as text with control sequences, for a terminal that has just been reset.
import type { IBuffer, IBufferCell, IBufferLine } from "@xterm/headless";
import { type Attributes, attributesOf, type EmulatorCore } from "./emulator-core.ts";
import {
  erasedPen,
  hasExtendedLook,
  looksSame,
  type Pen,
  penOf,
  penSequence,
  PLAIN,
  showsOnBlank,
} from "./pen.ts";

/** Screens of ordinary size are always written, also on a busy machine: so many cells take 0.3 s at most. */
const alwaysWrittenCells = 120_000;

/** Collects what to write, and knows with which look the next character would be written. */
export class BufferWriter {
  readonly #columns: number;
  readonly #links: EmulatorCore["_oscLinkService"];
  readonly #deadlineMs: number;
  #text = "";
  #rowCount = 0;
  #isLate = false;
  #pen = PLAIN;
  readonly #looks = new CellLooks();
  readonly #sequences = new PenSequences();
  /** The column of the cursor; the number of columns when the next character wraps. */
  #column = 0;

  /** No more rows are written once `performance.now()` has reached the deadline. */
  constructor(columns: number, links: EmulatorCore["_oscLinkService"], deadlineMs: number) {
    this.#columns = columns;
    this.#links = links;
    this.#deadlineMs = deadlineMs;
  }

  /** Whether rows are missing, because the deadline came first. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Everything written so far. */
  get text(): string {
    return this.#text;
  }

  /** Writes a sequence that moves no cursor. */
  add(sequence: string): void {
    this.#text += sequence;
  }

  /** Chooses the look of what comes next. */
  use(pen: Pen): void {
    if (pen === this.#pen) return;
    if (!looksSame(pen, this.#pen)) this.add(this.#sequences.of(pen));
    if (pen.linkId !== this.#pen.linkId) this.add(`\x1b]8;;${this.#linkUri(pen.linkId)}\x1b\\`);
    this.#pen = pen;
  }

  /** Goes to a place of the screen, counted from 0. */
  moveTo(column: number, row: number): void {
    this.add(`\x1b[${row + 1};${column + 1}H`);
    this.#column = column;
  }

  /** Writes rows from the cursor's on, one below the other. */
  writeRows(buffer: IBuffer, first: number, last: number): void {
    for (let row = first; row <= last; row++) {
      const line = buffer.getLine(row);
      if (line === undefined) return;
      this.#rowCount += 1;
      const isLarge = this.#rowCount * this.#columns > alwaysWrittenCells;
      this.#isLate ||= isLarge && performance.now() >= this.#deadlineMs;
      if (this.#isLate) return;
      if (row > first) this.#nextRow(buffer.getLine(row - 1), line);
      const goesOn = row < last && buffer.getLine(row + 1)?.isWrapped === true;
      this.#writeRow(
        line,
        goesOn && isEmptyPlace(line, this.#columns - 1) ? this.#columns - 1 : this.#columns,
      );
    }
  }

  /** Writes the last character of a row again, after which the next one would wrap. */
  writeLastColumn(line: IBufferLine, row: number): void {
    const isWide = line.getCell(this.#columns - 1)?.getWidth() === 0;
    const column = this.#columns - (isWide ? 2 : 1);
    const cell = line.getCell(column);
    if (cell === undefined) return;
    const pen = penOf(attributesOf(cell));
    const isBlank = cell.getChars() === "" && !showsOnBlank(pen);
    this.moveTo(column, row);
    this.use(isBlank ? erasedPen(pen) : pen);
    this.add(cell.getChars() || " ");
    this.#column = this.#columns;
  }

  /** Goes to the next row; by wrapping where the emulator remembers that the text went on. */
  #nextRow(above: IBufferLine | undefined, line: IBufferLine): void {
    // A row that scrolls in has the background that is chosen at the time.
    this.use(PLAIN);
    if (!line.isWrapped || above === undefined) {
      this.add("\r\n");
      this.#column = 0;
      return;
    }
    if (this.#column === this.#columns) this.add("x");
    else {
      // A wide character that does not fit wraps and leaves the place empty, with the look that is chosen.
      const cell = above.getCell(this.#columns - 1);
      this.add(`\x1b[${this.#columns}G`);
      if (cell !== undefined) this.use(penOf(attributesOf(cell)));
      this.add("漢");
      this.use(PLAIN);
    }
    this.add(`\r\x1b[${this.#columns}X`);
    this.#column = 0;
  }

  #writeRow(line: IBufferLine, end: number): void {
    let cell: IBufferCell | undefined;
    let width = 1;
    for (let column = 0; column < end; column++) {
      cell = line.getCell(column, cell);
      if (cell === undefined) return;
      const isSecondHalf = width === 2;
      width = cell.getWidth();
      if (isSecondHalf) continue;
      const pen = this.#looks.of(cell);
      const characters = cell.getChars();
      if (characters !== "" || showsOnBlank(pen)) {
        // Text inserted into a wide character leaves its second half behind, which shows as a blank.
        this.#writeCell(column, pen, characters || " ", Math.max(width, 1));
      } else if (pen !== PLAIN && !looksSame(erasedPen(pen), PLAIN)) {
        column += this.#erase(line, column, end, erasedPen(pen)) - 1;
      }
    }
  }

  #writeCell(column: number, pen: Pen, characters: string, width: number): void {
    this.#reach(column);
    this.use(pen);
    this.add(characters);
    this.#column = column + width;
  }

  /** Empties places that have the same background; how many there are. */
  #erase(line: IBufferLine, from: number, end: number, pen: Pen): number {
    let to = from + 1;
    let cell: IBufferCell | undefined;
    for (; to < end; to++) {
      cell = line.getCell(to, cell);
      if (cell === undefined || cell.getChars() !== "" || cell.getWidth() !== 1) break;
      const next = this.#looks.of(cell);
      if (showsOnBlank(next) || !looksSame(erasedPen(next), pen)) break;
    }
    this.#reach(from);
    this.use(pen);
    this.add(`\x1b[${to - from}X`);
    return to - from;
  }

  #reach(column: number): void {
    if (column !== this.#column) this.add(`\x1b[${column + 1}G`);
    this.#column = column;
  }

  #linkUri(id: number): string {
    return id === 0 ? "" : (this.#links.getLinkData(id)?.uri ?? "");
  }
}

/** The looks of cells; neighbours mostly have the same, and reading it each time took most of a snapshot's time. */
class CellLooks {
  /** The object that cells are read into one after the other, and what it is known to be. */
  #cell: IBufferCell | undefined;
  #attributes: Attributes | undefined;
  #foreground = 0;
  #background = 0;
  #pen = PLAIN;

  of(cell: IBufferCell): Pen {
    if (cell !== this.#cell || this.#attributes === undefined) {
      this.#cell = cell;
      this.#attributes = attributesOf(cell);
    }
    const attributes = this.#attributes;
    if (hasExtendedLook(attributes)) return penOf(attributes);
    const { fg, bg } = attributes;
    if (fg !== this.#foreground || bg !== this.#background) {
      this.#foreground = fg;
      this.#background = bg;
      this.#pen = penOf(attributes);
    }
    return this.#pen;
  }
}

/** The sequences of looks that come again, as most do. */
class PenSequences {
  readonly #known = new Map<number, Map<number, string>>();

  of(pen: Pen): string {
    if (pen.underlineStyle !== 0 || pen.underlineColor !== 0) return penSequence(pen);
    let byBackground = this.#known.get(pen.foreground);
    if (byBackground === undefined) {
      byBackground = new Map();
      this.#known.set(pen.foreground, byBackground);
    }
    const known = byBackground.get(pen.background);
    if (known !== undefined) return known;
    const sequence = penSequence(pen);
    byBackground.set(pen.background, sequence);
    return sequence;
  }
}

function isEmptyPlace(line: IBufferLine, column: number): boolean {
  const cell = line.getCell(column);
  return cell?.getChars() === "" && cell.getWidth() === 1;
}

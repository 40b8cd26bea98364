// Writes the rows of a screen as text with control sequences, for a terminal that has just been reset.
import type { IBuffer, IBufferCell, IBufferLine } from "@xterm/headless";
import { attributesOf, type EmulatorCore } from "./emulator-core.ts";
import { erasedPen, looksSame, type Pen, penOf, penSequence, PLAIN, showsOnBlank } from "./pen.ts";

/** Collects what to write, and knows with which look the next character would be written. */
export class BufferWriter {
  readonly #columns: number;
  readonly #links: EmulatorCore["_oscLinkService"];
  readonly #pieces: string[] = [];
  #pen = PLAIN;
  /** The column of the cursor; the number of columns when the next character wraps. */
  #column = 0;

  constructor(columns: number, links: EmulatorCore["_oscLinkService"]) {
    this.#columns = columns;
    this.#links = links;
  }

  /** Everything written so far. */
  get text(): string {
    return this.#pieces.join("");
  }

  /** Writes a sequence that moves no cursor. */
  add(sequence: string): void {
    this.#pieces.push(sequence);
  }

  /** Chooses the look of what comes next. */
  use(pen: Pen): void {
    if (!looksSame(pen, this.#pen)) this.add(penSequence(pen));
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
      const pen = penOf(attributesOf(cell));
      const characters = cell.getChars();
      if (characters !== "" || showsOnBlank(pen)) {
        // What was inserted into a wide character leaves its second half behind, which shows as a blank.
        this.#writeCell(column, pen, characters || " ", Math.max(width, 1));
      } else if (!looksSame(erasedPen(pen), PLAIN)) {
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
    for (; to < end; to++) {
      const cell = line.getCell(to);
      if (cell === undefined || cell.getChars() !== "" || cell.getWidth() !== 1) break;
      const next = penOf(attributesOf(cell));
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

function isEmptyPlace(line: IBufferLine, column: number): boolean {
  const cell = line.getCell(column);
  return cell?.getChars() === "" && cell.getWidth() === 1;
}

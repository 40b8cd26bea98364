// The screen property: the text screen and a terminal emulator show the same after the same bytes and resizes.
import { ScreenSink } from "../view/screen-sink.ts";
import type { ScreenBuffer } from "../view/screen-buffer.ts";
import type { ScreenRow } from "../view/screen-row.ts";
import { TextScreen } from "../view/text-screen.ts";
import { VtParser } from "../view/vt-parser.ts";
import { type ComparedRow, type ComparedScreen, OracleScreen } from "./oracle-screen.ts";
import type { ScreenProgram, ScreenStep } from "./screen-programs.ts";

/** Rows are compared after each step while the screen has at most so many cells, else at the end. */
const MAX_CELLS_EACH_STEP = 4000;

/** Runs a program on both; throws with what differs. */
export function checkScreen({ columns, rows, steps: all }: ScreenProgram): void {
  const comparison = new ScreenComparison(columns, rows);
  try {
    for (const step of all) comparison.take(step);
    comparison.compare();
  } finally {
    comparison.close();
  }
}

/** A text screen and its oracle. */
class ScreenComparison {
  readonly #oracle: OracleScreen;
  readonly #screen: TextScreen;
  readonly #parser: VtParser;
  readonly #scrollback: (ComparedRow & { readonly comparedCells: number })[] = [];
  /** Rows that hold text beyond a width they had: the emulator has lost it. Up to which column they are the same. */
  readonly #cut = new WeakMap<ScreenRow, number>();

  constructor(columns: number, rows: number) {
    this.#oracle = new OracleScreen(columns, rows);
    this.#screen = new TextScreen(columns, rows, (row) =>
      this.#scrollback.push({ ...comparedRow(row), comparedCells: this.#comparedCells(row) }),
    );
    this.#parser = new VtParser(new ScreenSink(this.#screen));
  }

  take(step: ScreenStep): void {
    if (typeof step === "string") {
      const bytes = Buffer.from(step, "latin1");
      this.#parser.parse(bytes, 0, bytes.length);
      this.#oracle.write(bytes);
    } else {
      const hidden = this.#screen.main.rows.map((row) => this.#cut.has(row) && row.contentLength() > 0);
      this.#screen.resize(step.columns, step.rows);
      this.#parser.screenResized();
      this.#oracle.resize(step.columns, step.rows, (y) => hidden[y]!);
      this.#noteCutRows(step.columns);
    }
    const { columns, rows } = this.#screen.active;
    if (columns * rows.length <= MAX_CELLS_EACH_STEP) this.compare();
  }

  compare(): void {
    const isAlternate = this.#screen.active !== this.#screen.main;
    expectSame("alternate screen", isAlternate, this.#oracle.isAlternate);
    this.#compareScreen("main", this.#screen.main, this.#oracle.main);
    if (isAlternate) this.#compareScreen("alternate", this.#screen.active, this.#oracle.alternate);
    const { scrollback } = this.#oracle;
    expectSame("scrollback rows", this.#scrollback.length, scrollback.length);
    for (const [y, row] of this.#scrollback.entries()) {
      expectSameRow(`scrollback row ${y}`, row, scrollback[y]!, row.comparedCells);
    }
  }

  close(): void {
    this.#oracle.close();
  }

  #compareScreen(name: string, buffer: ScreenBuffer, expected: ComparedScreen): void {
    expectSame(`${name} cursor`, `${buffer.x},${buffer.y}`, `${expected.x},${expected.y}`);
    expectSame(`${name} rows`, buffer.rows.length, expected.rows.length);
    for (const [y, row] of buffer.rows.entries()) {
      if (row.contentLength() === 0) this.#cut.delete(row);
      expectSameRow(`${name} row ${y}`, comparedRow(row), expected.rows[y]!, this.#comparedCells(row));
    }
  }

  /** Text beyond the width may have come back into view, so such a row is compared only while it is hidden. */
  #comparedCells(row: ScreenRow): number {
    const { columns } = this.#screen.main;
    const cutAt = this.#cut.get(row);
    if (cutAt === undefined) return Number.POSITIVE_INFINITY;
    return columns <= cutAt ? columns : 0;
  }

  #noteCutRows(columns: number): void {
    for (const row of this.#screen.main.rows) {
      if (row.contentLength() <= columns) continue;
      const isInHalf = comparedRow(row).cells[columns] === "";
      this.#cut.set(row, isInHalf ? 0 : Math.min(columns, this.#cut.get(row) ?? columns));
    }
  }
}

function comparedRow(row: ScreenRow): ComparedRow {
  const length = row.contentLength();
  const cell = Buffer.alloc(row.maxEncodedBytes(1) + 64);
  const cells = Array.from({ length }, (_, x) => cell.toString("utf8", 0, row.encodeInto(cell, 0, x, x + 1)));
  return { cells, isWrapped: row.isWrapped };
}

function expectSameRow(what: string, found: ComparedRow, expected: ComparedRow, cellCount: number): void {
  const textOf = ({ cells }: ComparedRow): string => {
    const compared = cells.slice(0, cellCount).join("");
    return cellCount === Number.POSITIVE_INFINITY ? compared : compared.trimEnd();
  };
  expectSame(what, textOf(found), textOf(expected));
  expectSame(`${what} wrapped`, found.isWrapped, expected.isWrapped);
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  if (found === expected) return;
  throw new Error(`${what}: ${JSON.stringify(found)}, but the emulator has ${JSON.stringify(expected)}`);
}

// The state of an emulator as text with control sequences: what is written to see what others see (T92).
import type { IBuffer, Terminal } from "@xterm/headless";
import { BufferWriter } from "./buffer-writer.ts";
import { emulatorModeSequences } from "./emulator-modes.ts";
import { type CharacterSet, coreOf, type CoreBuffer, type EmulatorCore } from "./emulator-core.ts";
import { currentPen, looksSame, PLAIN, savedPen } from "./pen.ts";

/** Writes down an emulator: both screens, as many lines above the first as are wanted, cursors and modes. */
export function writeSnapshot(terminal: Terminal, scrollbackLines: number): string;
/** The same; undefined when `performance.now()` reaches the deadline before it is written. */
export function writeSnapshot(
  terminal: Terminal,
  scrollbackLines: number,
  deadlineMs: number,
): string | undefined;
export function writeSnapshot(
  terminal: Terminal,
  scrollbackLines: number,
  deadlineMs = Number.POSITIVE_INFINITY,
): string | undefined {
  const core = coreOf(terminal);
  const writer = new BufferWriter(terminal.cols, core._oscLinkService, deadlineMs);
  // Whatever the viewer's terminal showed before is gone.
  writer.add("\x1bc");
  const { active, normal, alternate } = terminal.buffer;
  const first = Math.max(normal.baseY - scrollbackLines, 0);
  writer.writeRows(normal, first, lastRowToWrite(normal, terminal.rows, first));
  writeSavedCursor(writer, core.buffers.normal);
  if (active.type === "alternate") {
    writeRegion(writer, core.buffers.normal, terminal.rows);
    writeCursor(writer, normal, core.buffers.normal, terminal.cols, 0);
    enterAlternate(writer);
    writer.moveTo(0, 0);
    writer.writeRows(alternate, 0, lastRowToWrite(alternate, terminal.rows, 0));
    writeSavedCursor(writer, core.buffers.alt);
  } else if (hasSavedCursor(core.buffers.alt)) {
    // It outlives the screen: a program that goes there again may restore it.
    enterAlternate(writer);
    writeSavedCursor(writer, core.buffers.alt);
    leaveAlternate(writer);
  }
  const buffer = active.type === "alternate" ? core.buffers.alt : core.buffers.normal;
  writeRegion(writer, buffer, terminal.rows);
  if (terminal.modes.originMode) writeCursorInRegion(writer, active, buffer, terminal.cols);
  else writeCursor(writer, active, buffer, terminal.cols, 0);
  writer.use(currentPen(core._inputHandler._curAttrData));
  writer.add(characterSetSequences(core));
  writer.add(emulatorModeSequences(terminal));
  return writer.isLate ? undefined : writer.text;
}

/** All rows when there is something above the screen, for these push it there; else down to the last that has something. */
function lastRowToWrite(buffer: IBuffer, rows: number, first: number): number {
  const end = buffer.baseY + rows - 1;
  if (buffer.baseY > first) return end;
  let last = end;
  while (last > first && isEmptyRow(buffer, last)) last--;
  return last;
}

function isEmptyRow(buffer: IBuffer, row: number): boolean {
  const line = buffer.getLine(row);
  if (line === undefined || line.isWrapped) return false;
  const cell = buffer.getNullCell();
  for (let column = 0; column < line.length; column++) {
    line.getCell(column, cell);
    if (cell.getChars() !== "" || !cell.isAttributeDefault()) return false;
  }
  return true;
}

function enterAlternate(writer: BufferWriter): void {
  // Its rows have the background that is chosen at the time.
  writer.use(PLAIN);
  writer.add("\x1b[?47h");
}

/** The cursor stays where it is; the rows and the region of the alternate screen are gone. */
function leaveAlternate(writer: BufferWriter): void {
  writer.use(PLAIN);
  writer.add("\x1b[?47l");
}

function hasSavedCursor({ savedX, savedY, savedCurAttrData, savedCharset }: CoreBuffer): boolean {
  const isPlain = looksSame(savedPen(savedCurAttrData), PLAIN) && !isLineDrawing(savedCharset);
  return savedX !== 0 || savedY !== 0 || !isPlain;
}

function writeSavedCursor(writer: BufferWriter, buffer: CoreBuffer): void {
  if (!hasSavedCursor(buffer)) return;
  writer.moveTo(buffer.savedX, Math.max(buffer.savedY - buffer.ybase, 0));
  writer.use(savedPen(buffer.savedCurAttrData));
  writer.add(isLineDrawing(buffer.savedCharset) ? "\x1b(0\x1b7\x1b(B" : "\x1b7");
  writer.use(PLAIN);
}

function writeRegion(writer: BufferWriter, { scrollTop, scrollBottom }: CoreBuffer, rows: number): void {
  if (scrollTop > 0 || scrollBottom < rows - 1) writer.add(`\x1b[${scrollTop + 1};${scrollBottom + 1}r`);
}

/** With rows counted from the region's first, no sequence leads out of the region; the way back from the alternate screen does. */
function writeCursorInRegion(
  writer: BufferWriter,
  active: IBuffer,
  buffer: CoreBuffer,
  columns: number,
): void {
  writer.add("\x1b[?6h");
  const isInside = buffer.y >= buffer.scrollTop && buffer.y <= buffer.scrollBottom;
  if (isInside || active.type === "alternate") {
    return writeCursor(writer, active, buffer, columns, buffer.scrollTop);
  }
  enterAlternate(writer);
  writeCursor(writer, active, buffer, columns, 0);
  leaveAlternate(writer);
}

/** Rows are counted from `firstRow`. */
function writeCursor(
  writer: BufferWriter,
  buffer: IBuffer,
  { x, y, ybase }: CoreBuffer,
  columns: number,
  firstRow: number,
): void {
  const line = buffer.getLine(ybase + y);
  if (x >= columns && line !== undefined) writer.writeLastColumn(line, y - firstRow);
  else writer.moveTo(x, y - firstRow);
}

/** Only line drawing is detected: the others are national forms of ASCII that nobody uses with UTF-8. */
function isLineDrawing(characters: CharacterSet | undefined): boolean {
  return characters?.["q"] === "─";
}

function characterSetSequences({ _charsetService: { charset, glevel, _charsets } }: EmulatorCore): string {
  const designated = ["(", ")", "*", "+"].map((slot, level) =>
    isLineDrawing(level === glevel ? charset : _charsets[level]) ? `\x1b${slot}0` : "",
  );
  const invoked = ["", "\x0e", "\x1bn", "\x1bo"][glevel] ?? "";
  return designated.join("") + invoked;
}

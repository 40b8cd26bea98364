// Draws what was on a terminal's screen as SVG: one picture, or many that follow one another.
import { Emulator } from "../../packages/terminal/src/screen/emulator.ts";

/** The size of a screen in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Characters in a row that look alike. */
interface Run {
  readonly column: number;
  readonly columns: number;
  readonly text: string;
  readonly color: string;
  readonly isBold: boolean;
}

/** One picture of a screen, and when it was there. */
export interface Frame {
  readonly atMs: number;
  /** The elements of each row, drawn as if it were the first. */
  readonly rows: readonly string[];
  /** Visible text. */
  readonly text: string;
}

const cell = { width: 8.4, height: 19 } as const;
const margin = 18;
const colors = { background: "#16181d", text: "#d7dae0", dim: "#7d8590", frame: "#2a2e37" } as const;
/** The sixteen colours of terminals, on a dark ground. */
const palette = [
  ["#3b4048", "#e06c75", "#8cc265", "#d9b26a", "#6ea8e6", "#c58fdc", "#56b6c2", "#d7dae0"],
  ["#7d8590", "#f08a92", "#a5d97f", "#f0cc86", "#8fc1f5", "#d9aeea", "#76d0db", "#ffffff"],
].flat();

/** A screen that is drawn into memory. */
export class ScreenPicture {
  readonly #emulator: Emulator;
  readonly #size: ScreenSize;

  constructor(size: ScreenSize) {
    this.#size = size;
    this.#emulator = new Emulator({ ...size, scrollbackLines: 1000 });
  }

  write(bytes: Uint8Array): void {
    this.#emulator.write(bytes);
  }

  /** The lines, without blanks at their ends. */
  get lines(): string[] {
    const { active } = this.#emulator.terminal.buffer;
    return Array.from(
      { length: this.#size.rows },
      (_, row) =>
        active
          .getLine(active.viewportY + row)
          ?.translateToString()
          .trimEnd() ?? "",
    );
  }

  /** Where the cursor is. */
  get cursor(): { readonly row: number; readonly column: number } {
    const { active } = this.#emulator.terminal.buffer;
    return { row: active.cursorY, column: active.cursorX };
  }

  /** The screen as it is now. */
  frame(atMs: number): Frame {
    const { cursor, lines } = this;
    const rows = lines.map((_line, row) => {
      const runs = this.#runs(row).map(drawRun);
      return row === cursor.row ? [...runs, drawCursor(cursor.column)].join("") : runs.join("");
    });
    return { atMs, rows, text: lines.join("\n").trimEnd() };
  }

  close(): void {
    this.#emulator.close();
  }

  #runs(row: number): Run[] {
    const { active } = this.#emulator.terminal.buffer;
    const line = active.getLine(active.viewportY + row);
    const runs: Run[] = [];
    for (let column = 0; column < this.#size.columns; column += 1) {
      const found = line?.getCell(column);
      const text = found?.getChars() ?? "";
      if (found === undefined || text === "") continue;
      const isBold = found.isBold() !== 0;
      const color = found.isDim() === 0 ? colorOf(found.isFgPalette(), found.getFgColor()) : colors.dim;
      const last = runs.at(-1);
      const isSameRun =
        last?.color === color && last.isBold === isBold && last.column + last.columns === column;
      if (last === undefined || !isSameRun) runs.push({ column, columns: 1, text, color, isBold });
      else runs.splice(-1, 1, { ...last, text: last.text + text, columns: last.columns + 1 });
    }
    return runs.filter(({ text }) => text.trim() !== "");
  }
}

/** An endless animation; people who prefer reduced motion see the last picture. */
export function movingPicture(frames: readonly Frame[], size: ScreenSize, durationMs: number): string {
  const height = size.rows * cell.height;
  const last = `transform:translateY(${-(frames.length - 1) * height}px)`;
  const stops = frames.map(
    ({ atMs }, index) => `${px((atMs / durationMs) * 100)}%{transform:translateY(${-index * height}px)}`,
  );
  const style = [
    `.strip{animation:play ${px(durationMs / 1000)}s steps(1,end) infinite}`,
    `@keyframes play{${stops.join("")}100%{${last}}}`,
    `@media (prefers-reduced-motion:reduce){.strip{animation:none;${last}}}`,
  ].join("");
  return picture(size, `<g class="strip">${drawStrip(frames, height)}</g>`, style);
}

/** All pictures, one below the other; rows that are seen often are drawn once. */
function drawStrip(frames: readonly Frame[], height: number): string {
  const names = new Map<string, string>();
  const uses = frames.flatMap(({ rows }, index) =>
    rows.map((row, at) => {
      if (row === "") return "";
      const name = names.get(row) ?? `r${names.size}`;
      names.set(row, name);
      return `<use href="#${name}" y="${index * height + at * cell.height}"/>`;
    }),
  );
  const drawn = [...names].map(([row, name]) => `<g id="${name}">${row}</g>`);
  return `<defs>${drawn.join("")}</defs>${uses.join("")}`;
}

function picture({ columns, rows }: ScreenSize, drawing: string, style: string): string {
  const [width, height] = [columns * cell.width, rows * cell.height].map(Math.ceil);
  const [outerWidth, outerHeight] = [(width ?? 0) + 2 * margin, (height ?? 0) + 2 * margin];
  const font = `font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${outerWidth} ${outerHeight}" width="${outerWidth}" height="${outerHeight}" role="img">`,
    `<style>text{${font};white-space:pre}.b{font-weight:700}.c{fill:${colors.text};opacity:.5}${style}</style>`,
    `<rect x=".5" y=".5" width="${outerWidth - 1}" height="${outerHeight - 1}" rx="9" fill="${colors.background}" stroke="${colors.frame}"/>`,
    `<svg x="${margin}" y="${margin}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${drawing}</svg>`,
    "</svg>\n",
  ].join("\n");
}

function drawRun({ column, columns, text, color, isBold }: Run): string {
  // The length keeps columns in line whatever font is there.
  const place = `x="${px(column * cell.width)}" y="14" textLength="${px(columns * cell.width)}"`;
  return `<text ${place} fill="${color}"${isBold ? ' class="b"' : ""}>${escapeText(text)}</text>`;
}

function drawCursor(column: number): string {
  return `<rect class="c" x="${px(column * cell.width)}" y="2" width="${cell.width}" height="${cell.height - 3}"/>`;
}

function colorOf(isPalette: boolean, color: number): string {
  return isPalette ? (palette[color] ?? colors.text) : colors.text;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function px(length: number): string {
  return String(Math.round(length * 100) / 100);
}

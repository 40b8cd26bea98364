// Layout of one screen in the page: its font size, its height, and which of its rows are in view.
import type { IBufferLine, Terminal } from "@xterm/xterm";
import { atNextFrame } from "../host/next-frame.ts";
import { laterExtent, type OutputExtent, wholeOutput } from "./output-foot.tsx";

interface CellSize {
  readonly width: number;
  readonly height: number;
}

declare module "@xterm/xterm" {
  interface Terminal {
    /** Not public, but there is no other way to ask for the size of a cell, as the add-ons of xterm.js do, for a hidden cursor, and for who made the data. */
    readonly _core: {
      readonly coreService: {
        readonly isCursorHidden: boolean;
        /** Fired before the data of a person's input, and not before a reply to the program. */
        readonly onUserInput: IEvent<void>;
      };
      readonly _renderService: { readonly dimensions: { readonly css: { readonly cell: CellSize } } };
    };
  }
}

/** How a screen and its place in the page agree on a size. */
export type ScreenMode =
  /** The program gets the size of the place. */
  | "fit"
  /** The place has its size; the end of the screen is in view. */
  | "fixed"
  /** The place is as tall as the rows in use, up to a few: the last ones are in view. */
  | "folded"
  /** The place is as tall as all rows in use. */
  | "whole";

/** A longer output is folded. */
export const foldedRows = 16;
/** Columns and rows of the smallest screen that a program is given. */
const leastSize = { cols: 2, rows: 1 };
/** Below this nobody can read: what does not fit is scrolled to. */
const leastFontSize = 9;
/** The width that the screen's own scrollbar needs. */
const scrollbarPx = 14;

export interface ScreenLayoutOptions {
  readonly mode: () => ScreenMode;
  /** Whether the program has ended, so that no more rows come. */
  readonly isEnded: () => boolean;
  /** The font size where it fits. */
  readonly fontSize: number;
  /** Whether the beginning of the output was not drawn. */
  readonly isCut: () => boolean;
  readonly onExtent: (extent: OutputExtent) => void;
}

/** Keeps the layout of one screen right, once per frame in which something changed. */
export class ScreenLayout {
  readonly #place: HTMLElement;
  readonly #terminal: Terminal;
  readonly #options: ScreenLayoutOptions;
  readonly #observer: ResizeObserver;
  #padding = { x: 0, y: 0 };
  /** The width for columns, without padding and scrollbars. */
  #widthPx = 0;
  #done = "";
  #endPx = 0;
  #extent = wholeOutput;
  #isClosed = false;

  constructor(place: HTMLElement, terminal: Terminal, options: ScreenLayoutOptions) {
    this.#place = place;
    this.#terminal = terminal;
    this.#options = options;
    terminal.onWriteParsed(() => this.plan());
    terminal.onResize(() => this.plan());
    // A screen out of sight takes its new size only when it is drawn again.
    terminal.onRender(() => {
      if (this.#done === "") this.plan();
    });
    this.#observer = new ResizeObserver(() => {
      this.#measure();
      this.plan();
    });
    this.#observer.observe(place);
    this.#measure();
  }

  /** Looks again before the next frame. */
  plan(): void {
    if (!this.#isClosed) atNextFrame(this.#layout);
  }

  /** The size that fits the place, in cells; undefined while the place has none. */
  fittingSize(): { readonly cols: number; readonly rows: number } | undefined {
    this.#setFont(this.#options.fontSize);
    this.#measure();
    const { width, height } = this.#cell;
    const heightPx = this.#place.clientHeight - this.#padding.y;
    if (width === 0 || height === 0 || this.#widthPx <= 0 || heightPx <= 0) return undefined;
    return {
      cols: Math.max(leastSize.cols, Math.floor((this.#widthPx - scrollbarPx) / width)),
      rows: Math.max(leastSize.rows, Math.floor(heightPx / height)),
    };
  }

  /** Scrolls the place, where it shows a part of the screen only, to the selected text. */
  revealSelection(): void {
    const selected = this.#terminal.getSelectionPosition();
    if (selected === undefined) return;
    const { height } = this.#cell;
    const topPx = (selected.start.y - this.#terminal.buffer.active.viewportY) * height;
    const { scrollTop, clientHeight } = this.#place;
    if (topPx < scrollTop || topPx + height > scrollTop + clientHeight) {
      this.#place.scrollTop = topPx - (clientHeight - height) / 2;
    }
  }

  /** The rows of a screen that has no lines scrolled off, the cursor's included. */
  get allRows(): number {
    const { baseY, cursorY } = this.#terminal.buffer.active;
    return baseY + Math.max(this.#usedRows, cursorY + 1);
  }

  /** The rows from the first to the last in which something is seen. */
  get #usedRows(): number {
    const { buffer, rows, _core } = this.#terminal;
    const { type, baseY, cursorX, cursorY } = buffer.active;
    // A program of the whole screen is shown whole where there is room for it.
    if (type === "alternate" && this.#options.mode() !== "fixed") return rows;
    const isEnded = this.#options.isEnded();
    // Programs that draw whole screens hide the cursor and leave it anywhere.
    const hasCursor = !isEnded && !_core.coreService.isCursorHidden;
    const leastRows = Math.max(1, hasCursor ? cursorY + (cursorX > 0 ? 1 : 0) : 1);
    let used = rows;
    while (used > leastRows && !isVisible(buffer.active.getLine(baseY + used - 1))) used -= 1;
    // While lines scroll by, a row more or less is not worth a new layout each time.
    return used === rows - 1 && baseY > 0 && !isEnded ? rows : used;
  }

  close(): void {
    this.#isClosed = true;
    this.#observer.disconnect();
  }

  #measure(): void {
    const style = getComputedStyle(this.#place);
    this.#padding = {
      x: Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight),
      y: Number.parseFloat(style.paddingTop) + Number.parseFloat(style.paddingBottom),
    };
    this.#widthPx = this.#place.clientWidth - this.#padding.x;
  }

  readonly #layout = (): void => {
    // Until the next frame the screen may have been closed; asked then, it would keep what nobody removes.
    if (this.#isClosed) return;
    const { cols, rows } = this.#terminal;
    const mode = this.#options.mode();
    const usedRows = this.#usedRows;
    const isFullScreen = this.#terminal.buffer.active.type === "alternate";
    const { baseY } = this.#terminal.buffer.active;
    this.#report({
      isFoldable: !isFullScreen && baseY + usedRows > foldedRows,
      // A screen that has scrolled as far as it can may have lost lines.
      isCut: !isFullScreen && (this.#options.isCut() || baseY >= (this.#terminal.options.scrollback ?? 0)),
    });
    // Reading sizes makes the browser lay the page out, which a flood leaves no time for.
    const wanted = `${mode} ${isFullScreen} ${usedRows} ${cols} ${rows} ${this.#widthPx}`;
    if (wanted === this.#done) return;
    this.#done = wanted;
    if (mode === "fit") this.#clear();
    else this.#show(mode, usedRows);
  };

  #show(mode: ScreenMode, usedRows: number): void {
    const { cols } = this.#terminal;
    this.#fitFont(cols);
    const { width, height } = this.#cell;
    const place = this.#place;
    place.dataset["wide"] = String(Math.floor(width * cols) > this.#widthPx);
    const wasAtEnd = Math.abs(place.scrollTop - this.#endPx) < height;
    const isFullScreen = this.#terminal.buffer.active.type === "alternate";
    const shownRows = mode === "folded" && !isFullScreen ? Math.min(usedRows, foldedRows) : usedRows;
    // A scrollbar below the rows must not cover the last of them.
    const barPx = place.offsetHeight - place.clientHeight;
    place.style.height =
      mode === "fixed" ? "" : `${Math.ceil(shownRows * height) + this.#padding.y + barPx}px`;
    this.#endPx = Math.max(0, Math.ceil(usedRows * height) + this.#padding.y - place.clientHeight);
    if (mode === "whole" && !wasAtEnd) return;
    place.scrollTop = this.#endPx;
    if (Math.abs(place.scrollTop - this.#endPx) > 1) this.#done = "";
  }

  get #cell(): CellSize {
    return this.#terminal._core._renderService.dimensions.css.cell;
  }

  #clear(): void {
    const place = this.#place;
    place.dataset["wide"] = "false";
    place.style.height = "";
    place.scrollTop = 0;
    place.scrollLeft = 0;
    this.#setFont(this.#options.fontSize);
  }

  /** Makes the font as small as all columns need, but not smaller than people can read. */
  #fitFont(cols: number): void {
    const { fontSize } = this.#options;
    const current = this.#terminal.options.fontSize ?? fontSize;
    const cellPerFont = this.#cell.width / current;
    if (cellPerFont === 0 || this.#widthPx <= 0) return;
    const fitting = Math.floor((this.#widthPx - 1) / (cols * cellPerFont));
    this.#setFont(Math.min(fontSize, Math.max(leastFontSize, fitting)));
  }

  #setFont(fontSize: number): void {
    if (this.#terminal.options.fontSize !== fontSize) this.#terminal.options.fontSize = fontSize;
  }

  #report(now: OutputExtent): void {
    const extent = laterExtent(this.#extent, now);
    if (extent === this.#extent) return;
    this.#extent = extent;
    this.#options.onExtent(extent);
  }
}

/** Whether a row has text or anything else that is drawn: programs fill rows with spaces, and colour some. */
function isVisible(line: IBufferLine | undefined): boolean {
  if (line === undefined) return false;
  if (line.translateToString(true).trim() !== "") return true;
  let cell = line.getCell(0);
  for (let column = 0; cell !== undefined; column += 1, cell = line.getCell(column, cell)) {
    const marks = cell.isInverse() + cell.isUnderline() + cell.isStrikethrough() + cell.isOverline();
    if (!cell.isBgDefault() || marks > 0) return true;
  }
  return false;
}

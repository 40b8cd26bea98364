// Leaves out the rows of a screen that nothing was written to, and keeps the one that is written to in sight.
import type { Terminal } from "@xterm/xterm";
import { atNextFrame } from "../host/frame-notifier.ts";

const leastRows = 2;
const screenPaddingPx = 10;

/** Crops one screen with each picture in which something changed. */
export class ScreenCrop {
  readonly #place: HTMLElement;
  readonly #terminal: Terminal;
  readonly #isWhole: () => boolean;
  #shown = "";

  /** `isWhole` says that all rows are to be seen, whatever is in them. */
  constructor(place: HTMLElement, terminal: Terminal, isWhole: () => boolean) {
    this.#place = place;
    this.#terminal = terminal;
    this.#isWhole = isWhole;
    terminal.onWriteParsed(() => this.plan());
    terminal.onResize(() => this.plan());
  }

  /** Looks again before the next picture. */
  plan(): void {
    atNextFrame(this.#crop);
  }

  readonly #crop = (): void => {
    const { buffer, rows, element } = this.#terminal;
    const { type, baseY, cursorX, cursorY } = buffer.active;
    const isWhole = this.#isWhole();
    const isPart = !isWhole && type === "normal" && baseY === 0;
    const usedRows = Math.max(cursorY + (cursorX > 0 ? 1 : 0), leastRows);
    // Asking for sizes makes the browser lay the page out, which a flood has no time for.
    const wanted = `${isWhole} ${isPart} ${usedRows} ${rows}`;
    if (wanted === this.#shown || element === undefined) return;
    this.#shown = wanted;
    const rowPx = (element.querySelector(".xterm-screen")?.clientHeight ?? 0) / rows;
    const usedPx = Math.ceil(usedRows * rowPx) + screenPaddingPx;
    this.#place.style.setProperty("--used", isPart && rowPx > 0 ? `${usedPx}px` : "none");
    if (!isWhole) this.#place.scrollTop = Math.max(0, usedPx - this.#place.clientHeight);
  };
}

// The person's own terminal while it shows another: raw, with every mode put back at the end whatever happened (C40).
import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";
import process from "node:process";
import type { TerminalSize } from "@holdfast/ahp";
import { Paint, type Streams } from "../console.ts";
import { safeText } from "../safe-text.ts";
import { CursorPlace } from "./cursor-place.ts";

/** The streams of a process do not all say it. */
const stdoutDescriptor = 1;
const clearScreen = "\u001B[0m\u001B[H\u001B[2J";
const dim = new Paint(true).dim;
/** How soon a note is drawn again that the program's output may have covered. */
const redrawMs = 100;

/** One person's terminal. `close` gives it back. */
export class PersonScreen {
  readonly #streams: Streams;
  readonly #isTty: boolean;
  readonly #modes = new ScreenModes();
  #place = new CursorPlace();
  #isRaw = false;
  /** The note that stays on the program's other screen. */
  #lasting: string | undefined;
  #redraw: NodeJS.Timeout | undefined;

  /** `isTty`: what is shown comes from a terminal, which has made its own line ends. */
  constructor(streams: Streams, isTty: boolean) {
    this.#streams = streams;
    this.#isTty = isTty;
  }

  /** The size of the window; undefined where there is none. */
  get size(): TerminalSize | undefined {
    const { columns, rows } = this.#streams.stdout;
    return columns > 0 && rows > 0 ? { cols: columns, rows } : undefined;
  }

  get hasOtherScreen(): boolean {
    return this.#modes.hasOtherScreen;
  }

  /** Every key goes to the program from now on. */
  open(): void {
    const { stdin } = this.#streams;
    process.on("exit", this.#restoreAtOnce);
    if (!stdin.isTTY) return;
    stdin.setRawMode(true);
    this.#isRaw = true;
    // Node keeps making carriage returns of newlines, but a program's bare newline only moves the cursor down.
    if (this.#isTty) spawnSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"] });
  }

  /** Moves what was there out of sight and begins at the top. */
  restart(): void {
    const { rows = 0 } = this.size ?? {};
    this.#write(`${this.#modes.restore()}${"\r\n".repeat(rows)}${clearScreen}`);
  }

  /** Begins at the top, where everything is drawn again. */
  clear(): void {
    this.#write(`${this.#modes.restore()}${clearScreen}`);
    this.#place = new CursorPlace();
  }

  /** Shows output of the program. */
  show(data: string): void {
    this.#modes.push(data);
    this.#place.push(data);
    this.#write(data);
    this.#redrawSoon();
  }

  /** A line of this program among those of the terminal's; on its other screen it is at the bottom, and the cursor stays. */
  note(line: string): void {
    const text = safeText(line);
    this.#write(this.hasOtherScreen ? this.#atBottom(text) : `${dim(text)}\u001B[K\r\n`);
  }

  /** A note that is drawn again on the other screen after whatever the program draws, until `endLastingNote` (C874). */
  lastingNote(line: string): void {
    this.#lasting = line;
    this.note(line);
  }

  /** Whether there was one on the other screen, so that what it covered must be drawn again. */
  endLastingNote(): boolean {
    const isShown = this.#lasting !== undefined && this.hasOtherScreen;
    this.#lasting = undefined;
    return isShown;
  }

  /** Leaves the program's screen, so that what is written next begins a line (C514). */
  endLine(): void {
    this.#lasting = undefined;
    this.#write(`${this.#modes.restore()}${this.#place.lineBreak}`);
    this.#place = new CursorPlace();
  }

  /** Gives the terminal back as it was. May be repeated. */
  close(): void {
    process.off("exit", this.#restoreAtOnce);
    clearTimeout(this.#redraw);
    this.#lasting = undefined;
    this.#write(this.#modes.restore());
    this.#endRaw();
  }

  #redrawSoon(): void {
    if (this.#lasting === undefined || !this.hasOtherScreen || this.#redraw !== undefined) return;
    this.#redraw = setTimeout(() => {
      this.#redraw = undefined;
      const line = this.#lasting;
      if (line === undefined || !this.hasOtherScreen) return;
      // The next piece of output ends the sequence that the last one began.
      if (this.#place.isInSequence) this.#redrawSoon();
      else this.#write(this.#atBottom(line));
    }, redrawMs);
  }

  /** Writes a line on the last rows, on as many as it needs: a line that wraps there would scroll the screen. */
  #atBottom(line: string): string {
    const { cols, rows } = this.size ?? { cols: line.length, rows: 999 };
    const lines = wrapWords(line, cols);
    const drawn = lines.map(
      (text, index) => `\u001B[${Math.max(1, rows - lines.length + 1 + index)};1H\u001B[K${dim(text)}`,
    );
    return `\u001B7\u001B[0m${drawn.join("")}\u001B8`;
  }

  #write(data: string): void {
    if (data !== "") this.#streams.stdout.write(data);
  }

  #endRaw(): void {
    if (!this.#isRaw) return;
    this.#isRaw = false;
    this.#streams.stdin.setRawMode(false);
  }

  /** For an end that nobody foresaw: nothing is written later than now. */
  readonly #restoreAtOnce = (): void => {
    this.#endRaw();
    try {
      writeSync(stdoutDescriptor, this.#modes.restore());
    } catch {
      // The window is gone, and with it all that could be put back.
    }
  };
}

/** The lines of a text, none longer than so many columns. */
function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (let rest = text; rest !== "";) {
    const space = rest.lastIndexOf(" ", columns);
    const length = rest.length <= columns ? rest.length : space > 0 ? space : columns;
    lines.push(rest.slice(0, length));
    rest = rest.slice(length).trimStart();
  }
  return lines;
}

/** A mode is set by `h` and reset by `l`; several may stand in one sequence. */
const privateMode = /\u001B\[\?([\d;]+)([hl])/g;
/** A beginning of a sequence that the next piece may end. */
const unfinished = /\u001B(?:\[[\d;?>=]*)?$/;
/** Scroll region, other character sets and keyboards: known to have been touched, and put back as a whole. */
const touches = /\u001B(?:\[[\d;]+r|\[>[\d;]*[um]|[()][^B]|=|\[\d+ q)/;
/** Full and soft reset. */
const resets = /\u001B(?:c|\[!p)/g;

const otherScreens: readonly string[] = ["1049", "1047", "47"];
/** These are on in a fresh terminal: the cursor is shown, and lines wrap. */
const onByDefault: readonly string[] = ["25", "7"];
/** Cursor keys, mouse, focus, paste: off in a fresh terminal. */
const offByDefault: readonly string[] =
  "1 5 6 66 9 1000 1001 1002 1003 1004 1005 1006 1015 1016 2004 2026 2031".split(" ");

export class ScreenModes {
  readonly #changed = new Set<string>();
  #isTouched = false;
  #rest = "";

  /** Takes notice of what is written to the terminal. */
  push(data: string): void {
    const text = this.#rest + data;
    this.#rest = unfinished.exec(text)?.[0] ?? "";
    const fresh = text.slice(lastReset(text));
    if (fresh.length < text.length) this.#forget();
    if (touches.test(fresh)) this.#isTouched = true;
    for (const [, numbers = "", letter] of fresh.matchAll(privateMode)) {
      for (const number of numbers.split(";")) this.#set(number, letter === "h");
    }
  }

  get hasOtherScreen(): boolean {
    return otherScreens.some((mode) => this.#changed.has(mode));
  }

  /** What undoes it all; nothing when nothing was done. */
  restore(): string {
    const onAgain = onByDefault.filter((mode) => this.#changed.has(mode));
    const off = offByDefault.filter((mode) => this.#changed.has(mode));
    const screen = otherScreens.find((mode) => this.#changed.has(mode));
    const isTouched = this.#isTouched;
    this.#forget();
    return [
      ...off.map((mode) => `\u001B[?${mode}l`),
      // The whole screen scrolls again; that moves the cursor, so its place is kept.
      ...(isTouched ? ["\u001B7\u001B[r\u001B8\u001B(B\u001B>\u001B[0 q\u001B[<u\u001B[>4m"] : []),
      ...(screen === undefined ? [] : [`\u001B[?${screen}l`]),
      ...onAgain.map((mode) => `\u001B[?${mode}h`),
      "\u001B[0m",
    ].join("");
  }

  #set(mode: string, isOn: boolean): void {
    const isChanged = onByDefault.includes(mode) ? !isOn : isOn;
    if (isChanged) this.#changed.add(mode);
    else this.#changed.delete(mode);
  }

  #forget(): void {
    this.#changed.clear();
    this.#isTouched = false;
  }
}

function lastReset(text: string): number {
  let end = 0;
  for (const { index, 0: found } of text.matchAll(resets)) end = index + found.length;
  return end;
}

// The person's own terminal while it shows another: raw, with every mode put back at the end whatever happened (C40).
import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";
import process from "node:process";
import type { TerminalSize } from "@holdfast/ahp";
import type { Streams } from "../console.ts";
import { Paint } from "../paint.ts";
import { ScreenModes } from "./screen-modes.ts";

/** How it is used. */
export interface PersonScreenOptions {
  readonly streams: Streams;
  /** Whether what is shown comes from a terminal, which has made its own line ends. */
  readonly isTty: boolean;
}

/** The streams of a process do not all say it. */
const stdoutDescriptor = 1;
const clearScreen = "\u001B[0m\u001B[H\u001B[2J";
const dim = new Paint(true).dim;

/** One person's terminal. `close` gives it back. */
export class PersonScreen {
  readonly #streams: Streams;
  readonly #isTty: boolean;
  readonly #modes = new ScreenModes();
  #isRaw = false;

  constructor({ streams, isTty }: PersonScreenOptions) {
    this.#streams = streams;
    this.#isTty = isTty;
  }

  /** The size of the window; undefined where there is none. */
  get size(): TerminalSize | undefined {
    const { columns, rows } = this.#streams.stdout;
    return columns > 0 && rows > 0 ? { cols: columns, rows } : undefined;
  }

  /** Whether the program shows its other screen. */
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
    // Node goes on making carriage returns of newlines, but a program's bare newline only moves the cursor down.
    if (this.#isTty) spawnSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"] });
  }

  /** Moves what was there out of sight and begins at the top. */
  beginAnew(): void {
    const { rows = 0 } = this.size ?? {};
    this.#write(`${this.#modes.restore()}${"\r\n".repeat(rows)}${clearScreen}`);
  }

  /** Begins at the top, where everything is drawn again. */
  clear(): void {
    this.#write(`${this.#modes.restore()}${clearScreen}`);
  }

  /** Shows output of the program. */
  show(data: string): void {
    this.#modes.push(data);
    this.#write(data);
  }

  /** A line of our own among the program's; on its other screen it is at the bottom, and the cursor stays. */
  note(line: string): void {
    this.#write(
      this.hasOtherScreen ? `\u001B7\u001B[999;1H\u001B[K${dim(line)}\u001B8` : `${dim(line)}\u001B[K\r\n`,
    );
  }

  /** Gives the terminal back as it was. May be repeated. */
  close(): void {
    process.off("exit", this.#restoreAtOnce);
    this.#write(this.#modes.restore());
    this.#endRaw();
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

// A terminal emulator without a screen that draws synchronously, and that no stream can crash.
import headless, { type Terminal } from "@xterm/headless";
import { guardEmulator } from "../emulator/index.ts";
import { coreOf } from "./emulator-core.ts";
import { writeSnapshot } from "./snapshot.ts";

/** The size of an emulator. */
export interface EmulatorSize {
  readonly columns: number;
  readonly rows: number;
  readonly scrollbackLines: number;
}

/** Draws bytes into memory. */
export class Emulator {
  readonly #scrollbackLines: number;
  #terminal: Terminal;
  #faults = 0;

  constructor({ columns, rows, scrollbackLines }: EmulatorSize) {
    this.#scrollbackLines = scrollbackLines;
    this.#terminal = openTerminal(columns, rows, scrollbackLines);
  }

  /** The emulator itself; another one after a fault. */
  get terminal(): Terminal {
    return this.#terminal;
  }

  /** How often the emulator failed on what it was given, and lost the rest of that piece. */
  get faults(): number {
    return this.#faults;
  }

  /**
   * Draws before it returns. The emulator's own `write` draws in a timer, where its errors would end the host: there
   * are streams that it cannot bear, and any program may write them.
   */
  write(data: string | Uint8Array): void {
    try {
      coreOf(this.#terminal).writeSync(data);
    } catch {
      // The cells drawn so far are good; the emulator's state is not. A new one continues from there.
      this.#faults += 1;
      const faulty = this.#terminal;
      this.#terminal = openTerminal(faulty.cols, faulty.rows, this.#scrollbackLines);
      coreOf(this.#terminal).writeSync(writeSnapshot(faulty, Number.POSITIVE_INFINITY));
      faulty.dispose();
    }
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  close(): void {
    this.#terminal.dispose();
  }
}

function openTerminal(columns: number, rows: number, scrollback: number): Terminal {
  const terminal = new headless.Terminal({
    cols: columns,
    rows,
    scrollback,
    allowProposedApi: true,
    logLevel: "off",
  });
  for (const prefix of ["", "?"]) {
    const identifier = prefix === "" ? { final: "J" } : { prefix, final: "J" };
    terminal.parser.registerCsiHandler(identifier, ([what]) => what === 1 && eraseAllInstead(terminal));
  }
  guardEmulator(terminal);
  return terminal;
}

/**
 * Erasing up to the cursor (`CSI 1 J`) fails in 6.0.0 when the cursor is in the last place of a screen with nothing
 * above it: it asks for the row below. Up to there is everything.
 */
function eraseAllInstead(terminal: Terminal): boolean {
  const { active } = terminal.buffer;
  if (active.cursorX + 1 < terminal.cols || active.cursorY + 1 < active.length) return false;
  return coreOf(terminal)._inputHandler.eraseInDisplay({ params: [2] });
}

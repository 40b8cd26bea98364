// The emulator as an oracle for the text screen: it keeps to the rules in which the text screen differs on purpose.
import headless, { type Terminal } from "@xterm/headless";
import { characterWidth } from "../view/character-width.ts";

/** A row as it is compared: its cells from left to right, without the empty ones at the end. */
export interface ComparedRow {
  /** The characters of each column; the second column of a wide character has none. */
  readonly cells: readonly string[];
  readonly isWrapped: boolean;
}

/** One of the two screens as it is compared. */
export interface ComparedScreen {
  readonly rows: readonly ComparedRow[];
  readonly x: number;
  readonly y: number;
}

interface Line {
  isWrapped: boolean;
  resize(columns: number, fill: unknown): void;
  getTrimmedLength(): number;
  getWidth(x: number): number;
  getString(x: number): string;
  setCellFromCodepoint(x: number, codePoint: number, width: number, attributes: unknown): void;
}

interface OracleBuffer {
  x: number;
  y: number;
  savedX: number;
  ybase: number;
  ydisp: number;
  readonly lines: {
    maxLength: number;
    readonly length: number;
    get(index: number): Line;
    push(line: Line): void;
  };
  getNullCell(): unknown;
  getBlankLine(attributes: unknown): Line;
}

type ControlFunction = (parameters: { readonly params: readonly number[] }) => boolean;

interface OracleCore {
  writeSync(text: string): void;
  readonly coreService: { readonly decPrivateModes: { readonly wraparound: boolean } };
  readonly buffers: {
    readonly normal: OracleBuffer;
    readonly alt: OracleBuffer;
    readonly active: OracleBuffer;
  };
  readonly _inputHandler: {
    readonly _parser: {
      readonly currentState: number;
      precedingJoinState: number;
      readonly _transitions: { readonly table: Uint8Array | Uint16Array };
    };
    _moveCursor: (columns: number, rows: number) => void;
    cursorCharAbsolute: ControlFunction;
    charPosAbsolute: ControlFunction;
    _restrictCursor(): void;
    _eraseAttrData(): unknown;
    eraseInDisplay: (parameters: { readonly params: readonly number[] }, ...rest: unknown[]) => boolean;
  };
}

// States of the emulator's parser, and how it finds what a state does with a character.
const GROUND_STATE = 0;
const STRING_STATE = 7;
const DEVICE_CONTROL_STATES = [9, 10, 12];
const DEVICE_CONTROL_IGNORE_STATE = 11;
const STATE_SHIFT = 8;
const NON_ASCII = 0xa0;
const SCROLLBACK_LINES = 100_000;

/** A terminal emulator, driven in step with a text screen. */
export class OracleScreen {
  readonly #terminal: Terminal;
  readonly #core: OracleCore;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Rows above the screen as they left it; the emulator loses some by a reset and changes others by a resize. */
  readonly #taken: ComparedRow[] = [];
  #takenFrom = 0;

  constructor(columns: number, rows: number) {
    this.#terminal = new headless.Terminal({
      cols: columns,
      rows,
      scrollback: SCROLLBACK_LINES,
      allowProposedApi: true,
      logLevel: "off",
      // Lines are not wrapped again by a resize, and those above the screen do not come back (T71).
      windowsPty: { backend: "winpty", buildNumber: 1 },
    });
    this.#core = Reflect.get(this.#terminal, "_core") as OracleCore;
    this.#useOurWidths();
    this.#keepScrollback();
    this.#letStringsHoldAnything();
    this.#moveFromWhereItIs();
    this.#eraseAboveOnTheScreen();
  }

  /** Bytes that are no UTF-8 count as U+FFFD (T66). */
  write(bytes: Uint8Array): void {
    let rest = "";
    for (const character of this.#decoder.decode(bytes, { stream: true })) {
      const isControl = character < " " || (character >= "\x7f" && character < "\xa0");
      const width = character < "\u0300" ? 1 : characterWidth(character.codePointAt(0)!);
      if (isControl || (width === 1 && this.#wraps)) {
        rest += character;
        if (!isControl || this.#wraps) continue;
      }
      this.#core.writeSync(rest);
      rest = "";
      if (!isControl && !this.#isIgnored(width)) this.#writeCharacter(character, width);
    }
    this.#core.writeSync(rest);
  }

  /** `hasHiddenText` says which rows of the main screen hold text beyond the width. */
  resize(columns: number, rows: number, hasHiddenText: (y: number) => boolean): void {
    // Characters printed before are not repeated: the cursor may have left them.
    this.#core._inputHandler._parser.precedingJoinState = 0;
    this.#keepRowsBelow(rows, hasHiddenText);
    this.#resizeRowsOnly(columns, rows);
    this.#takeScrollback();
    const isNarrower = columns < this.#terminal.cols;
    this.#terminal.resize(columns, rows);
    // Else it would keep rows above the alternate screen, of which it has none.
    if (!this.isAlternate) this.#core.buffers.alt.lines.maxLength = rows;
    if (!isNarrower) return;
    // Tests that compare mask text beyond the width; here it must not come back into view.
    for (const buffer of [this.#core.buffers.normal, this.#core.buffers.alt]) {
      for (let y = 0; y < buffer.lines.length; y++) {
        const line = buffer.lines.get(y);
        line.resize(columns, buffer.getNullCell());
        if (line.getWidth(columns - 1) === 2) {
          line.setCellFromCodepoint(columns - 1, 0, 1, buffer.getNullCell());
        }
      }
    }
  }

  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  get main(): ComparedScreen {
    const { normal } = this.#core.buffers;
    return { rows: this.#rowsOf(normal, normal.ybase), x: normal.x, y: normal.y };
  }

  get alternate(): ComparedScreen {
    const { alt } = this.#core.buffers;
    return { rows: this.#rowsOf(alt, 0), x: alt.x, y: alt.y };
  }

  /** The rows above the main screen. */
  get scrollback(): readonly ComparedRow[] {
    this.#takeScrollback();
    return this.#taken;
  }

  close(): void {
    this.#terminal.dispose();
  }

  /** A mark joins the wide character that the cursor is inside of; the emulator would dissolve it. */
  #writeCharacter(character: string, width: number): void {
    const { active } = this.#core.buffers;
    const isInside = width === 0 && active.lines.get(active.ybase + active.y).getWidth(active.x - 1) === 2;
    if (isInside) active.x++;
    this.#core.writeSync(character);
    if (isInside) active.x--;
  }

  get #wraps(): boolean {
    return this.#core.coreService.decPrivateModes.wraparound;
  }

  /** Whether a character of this width cannot be shown; makes the place ready for one that can. */
  #isIgnored(width: number): boolean {
    const { active } = this.#core.buffers;
    if (this.#core._inputHandler._parser.currentState !== GROUND_STATE) return false;
    // A mark in the first column has nothing to join (T68).
    if (width === 0) return active.x === 0;
    if (this.#wraps) return false;
    // Without wrapping, the emulator leaves half of the wide character in the last columns when it is overwritten.
    if (width === 1) active.x = Math.min(active.x, this.#terminal.cols - 1);
    // A wide character that has no place is nothing to repeat or to join (T68).
    const hasPlace = width === 1 || active.x + width <= this.#terminal.cols;
    if (hasPlace) return false;
    active.x = this.#terminal.cols - 1;
    this.#core._inputHandler._parser.precedingJoinState = 0;
    return true;
  }

  /** Before the columns change, so that rows that scroll off are taken with all of their text. */
  #resizeRowsOnly(columns: number, rows: number): void {
    const { normal, alt } = this.#core.buffers;
    const columnsBefore = [normal, alt].map(({ x, savedX }) => ({ x, savedX }));
    this.#terminal.resize(this.#terminal.cols, rows);
    if (columns === this.#terminal.cols) return;
    for (const [index, buffer] of [normal, alt].entries()) Object.assign(buffer, columnsBefore[index]);
  }

  #takeScrollback(): void {
    const { normal } = this.#core.buffers;
    this.#taken.push(...this.#rowsOf(normal, this.#takenFrom, normal.ybase));
    this.#takenFrom = normal.ybase;
  }

  #rowsOf({ lines }: OracleBuffer, from: number, to = lines.length): ComparedRow[] {
    return Array.from({ length: to - from }, (_, index) => comparedRow(lines.get(from + index)));
  }

  /** How wide a character is differs between versions of Unicode; a mark joins what is left of it, wherever it is. */
  #useOurWidths(): void {
    this.#terminal.unicode.register({
      version: "ours",
      wcwidth: (codePoint) => characterWidth(codePoint) as 0 | 1 | 2,
      charProperties: (codePoint, preceding) => {
        const width = characterWidth(codePoint);
        if (width > 0) return width << 1;
        return (preceding & 0b110) | 1;
      },
    });
    this.#terminal.unicode.activeVersion = "ours";
    this.#terminal.parser.registerCsiHandler({ final: "b" }, () => this.#noteWidthLeft());
  }

  /** A mark that came alone is repeated with what it joined. */
  #noteWidthLeft(): false {
    const { active } = this.#terminal.buffer;
    const parser = this.#core._inputHandler._parser;
    if (parser.precedingJoinState !== 1) return false;
    const widthLeft = active
      .getLine(active.baseY + active.cursorY)
      ?.getCell(active.cursorX - 1)
      ?.getWidth();
    parser.precedingJoinState = ((widthLeft === 1 ? 1 : 2) << 1) | 1;
    return false;
  }

  /** In origin mode the emulator adds the top margin to each relative movement, also to one within the row. */
  #moveFromWhereItIs(): void {
    const handler = this.#core._inputHandler;
    const moveToColumn: ControlFunction = ({ params: [column] }) => {
      this.#core.buffers.active.x = Math.max(column ?? 1, 1) - 1;
      handler._restrictCursor();
      return true;
    };
    handler.cursorCharAbsolute = moveToColumn;
    handler.charPosAbsolute = moveToColumn;
    handler._moveCursor = (columns, rows) => {
      handler._restrictCursor();
      this.#core.buffers.active.x += columns;
      this.#core.buffers.active.y += rows;
      handler._restrictCursor();
    };
  }

  /** The emulator counts the row below the erased ones from the top of the scrollback instead of from the screen's. */
  #eraseAboveOnTheScreen(): void {
    const handler = this.#core._inputHandler;
    const erase = handler.eraseInDisplay.bind(handler);
    handler.eraseInDisplay = (parameters, ...rest) => {
      const { x, y, ybase, lines } = this.#core.buffers.active;
      const isWholeRow = parameters.params[0] === 1 && x + 1 >= this.#terminal.cols;
      const above = isWholeRow && y + 1 < ybase ? lines.get(y + 1) : undefined;
      const wasWrapped = above?.isWrapped ?? false;
      const result = erase(parameters, ...rest);
      if (above !== undefined) above.isWrapped = wasWrapped;
      if (isWholeRow && y + 1 < this.#terminal.rows) lines.get(ybase + y + 1).isWrapped = false;
      return result;
    };
  }

  /** A control string ends with its terminator (T66); there, a character beyond ASCII ends some of them. */
  #letStringsHoldAnything(): void {
    const { table } = this.#core._inputHandler._parser._transitions;
    const transition = (state: number, code: number): number => (state << STATE_SHIFT) | code;
    table[transition(STRING_STATE, NON_ASCII)] = table[transition(STRING_STATE, 0x20)]!;
    for (const state of DEVICE_CONTROL_STATES) {
      table[transition(state, NON_ASCII)] = table[transition(DEVICE_CONTROL_IGNORE_STATE, NON_ASCII)]!;
    }
  }

  /** Lines above the screen stay when a program asks to erase them or resets the terminal (T68). */
  #keepScrollback(): void {
    const { parser } = this.#terminal;
    for (const identifier of [{ final: "J" }, { prefix: "?", final: "J" }]) {
      parser.registerCsiHandler(
        identifier,
        ([what]) => what === 3 || (what === 1 && this.#eraseAllInstead()),
      );
    }
    parser.registerEscHandler({ final: "c" }, () => {
      this.#takeScrollback();
      this.#takenFrom = 0;
      return false;
    });
  }

  /** The emulator fails at the last place of a screen with nothing above it: it asks for the row below. */
  #eraseAllInstead(): boolean {
    const { active } = this.#terminal.buffer;
    if (active.cursorX + 1 < this.#terminal.cols || active.cursorY + 1 < active.length) return false;
    return this.#core._inputHandler.eraseInDisplay({ params: [2] });
  }

  /** Rows with text below the cursor of the main screen are kept when it becomes lower: others scroll off (T71). */
  #keepRowsBelow(rows: number, hasHiddenText: (y: number) => boolean): void {
    const buffer = this.#core.buffers.normal;
    let last = this.#terminal.rows - 1;
    for (let height = this.#terminal.rows; height > rows && buffer.y < height - 1; height--) {
      const line = buffer.lines.get(buffer.lines.length - 1 - (this.#terminal.rows - height));
      if (line.getTrimmedLength() === 0 && !hasHiddenText(last)) {
        last--;
        continue;
      }
      buffer.lines.push(buffer.getBlankLine(this.#core._inputHandler._eraseAttrData()));
      buffer.ybase++;
      buffer.ydisp++;
      buffer.y = Math.max(0, buffer.y - 1);
    }
  }
}

function comparedRow(line: Line): ComparedRow {
  const cells = Array.from({ length: line.getTrimmedLength() }, (_, x) => {
    if (x > 0 && line.getWidth(x - 1) === 2) return "";
    const characters = line.getString(x);
    if (characters === "") return " ";
    // A mark on an empty cell is the cell's own character there, and joins a blank in ours.
    return characterWidth(characters.codePointAt(0)!) === 0 ? ` ${characters}` : characters;
  });
  return { cells, isWrapped: line.isWrapped };
}

// Place of the cursor after a program's output, as far as the next message needs it (C514).

/** Control sequences, strings to the terminal, two-character sequences, and controls other than a newline. */
const sequence =
  /\u001B(?:\[([\u0030-\u003F]*)[\u0020-\u002F]*([\u0040-\u007E])|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)|[\u0020-\u002F]+[\u0030-\u007E]|[\u0030-\u004F\u0051-\u0057\u0059\u005A\u005C\u0060-\u007E])/;
const token = new RegExp(
  `${sequence.source}|[\\u0000-\\u0009\\u000B-\\u001A\\u001C-\\u001F]+|\\n|[^\\u0000-\\u001F]+`,
  "g",
);
const completeSequence = new RegExp(`^(?:${sequence.source})`);
/** A sequence that the next piece may end; a longer one is taken for text. */
const unfinished = /\u001B[^\u001B]{0,4096}$/;
const otherScreen = /^\?(?:1049|1047|47)$/;
/** Below every row of any window. */
const toBottom = "\u001B[999;1H";

interface Place {
  readonly isLineStart: boolean;
  /** Whether the program moved the cursor to a row other than the first, as full-screen programs do. */
  readonly isPositioned: boolean;
}

const fresh: Place = { isLineStart: true, isPositioned: false };

export class CursorPlace {
  #place = fresh;
  /** The place on the main screen, while the other one is shown. */
  #main: Place | undefined;
  #rest = "";

  push(data: string): void {
    const text = this.#rest + data;
    const tail = unfinished.exec(text);
    const isOpen = tail !== null && !completeSequence.test(tail[0]);
    this.#rest = isOpen ? tail[0] : "";
    for (const found of text.slice(0, text.length - this.#rest.length).matchAll(token)) this.#take(found);
  }

  /** Whether the output ends in the middle of a sequence. */
  get isInSequence(): boolean {
    return this.#rest !== "";
  }

  /** Written on the main screen, it moves the cursor to the start of a line below the output. */
  get lineBreak(): string {
    const { isLineStart, isPositioned } = this.#main ?? this.#place;
    if (isPositioned) return `${toBottom}\r\n`;
    return isLineStart ? "" : "\r\n";
  }

  #take([text, parameters = "", final]: RegExpExecArray): void {
    if (text === "\n") this.#place = { ...this.#place, isLineStart: true };
    else if (final === "h" && otherScreen.test(parameters)) this.#main ??= this.#place;
    else if (final === "l" && otherScreen.test(parameters)) this.#leaveOtherScreen();
    else if (final === "H" || final === "f") this.#move(parameters);
    else if (/^[^\u0000-\u001F]/.test(text)) this.#place = { ...this.#place, isLineStart: false };
  }

  #leaveOtherScreen(): void {
    this.#place = this.#main ?? this.#place;
    this.#main = undefined;
  }

  #move(parameters: string): void {
    const [row = "", column = ""] = parameters.split(";");
    const isPositioned = this.#place.isPositioned || Number(row) > 1;
    this.#place = { isLineStart: Number(column) <= 1, isPositioned };
  }
}

// A streaming parser of terminal output: bytes in, characters and control functions out, at any split.
import { type ControlParameters, ParameterList } from "./control-parameters.ts";
import { announcedLength, highestSecond, lowestSecond } from "./utf8.ts";

const ESC = 0x1b;
const CAN = 0x18;
const SUB = 0x1a;
const BEL = 0x07;
const DEL = 0x7f;
const REPLACEMENT_CODE_POINT = 0xfffd;
const FINAL_REPEAT = 0x62;

/** More was collected between introducer and final byte than any function we know has. */
const MARKER_UNKNOWN = -1;

/** Receiver of the parser's events; `marker` is the one prefix or intermediate byte of a sequence, 0 for none. */
export interface VtSink {
  /** A run of printable ASCII. */
  printAscii(bytes: Uint8Array, start: number, end: number): void;
  /** A character beyond ASCII; false when it was not shown, so that there is nothing to repeat. */
  print(codePoint: number): boolean;
  /** Repeat the character just printed. */
  repeat(count: number): void;
  /** A C0 or C1 control character. */
  execute(code: number): void;
  escape(final: number, marker: number): void;
  control(final: number, marker: number, parameters: ControlParameters): void;
}

type State =
  | "ground"
  | "escape"
  | "escapeIntermediate"
  | "controlEntry"
  | "controlParameter"
  | "controlIntermediate"
  | "controlIgnore"
  | "operatingSystemCommand"
  | "otherString";

/** Turns the bytes of a terminal into calls of a sink; holds a few numbers, whatever the input. */
export class VtParser {
  readonly #sink: VtSink;
  readonly #parameters = new ParameterList();
  #state: State = "ground";
  #marker = 0;
  #hasJustPrinted = false;
  // The character being decoded: bytes still to come, and which values the next may have.
  #missingBytes = 0;
  #codePoint = 0;
  #lowestNext = 0x80;
  #highestNext = 0xbf;

  constructor(sink: VtSink) {
    this.#sink = sink;
  }

  /** Whether the next byte begins something new. */
  get isIdle(): boolean {
    return this.#state === "ground" && this.#missingBytes === 0;
  }

  /** Whether the last bytes begin a character to be printed once it is complete. */
  get hasIncompleteCharacter(): boolean {
    return this.#state === "ground" && this.#missingBytes > 0;
  }

  /** The screen has another size: the cursor may no longer stand behind what was printed, so nothing is repeated. */
  screenResized(): void {
    this.#hasJustPrinted = false;
  }

  parse(bytes: Uint8Array, start: number, end: number): void {
    let index = start;
    while (index < end) {
      const byte = bytes[index]!;
      if (byte >= 0x80) {
        this.#decode(byte);
        index++;
        continue;
      }
      if (this.#missingBytes > 0) this.#replaceIncomplete();
      if (this.#state === "ground" && byte >= 0x20 && byte < DEL) {
        const stop = endOfAscii(bytes, index + 1, end);
        this.#sink.printAscii(bytes, index, stop);
        this.#hasJustPrinted = true;
        index = stop;
        continue;
      }
      this.#handleAscii(byte);
      index++;
    }
  }

  #decode(byte: number): void {
    if (this.#missingBytes === 0) {
      const length = announcedLength(byte);
      if (length === 0) {
        this.#handleCodePoint(REPLACEMENT_CODE_POINT);
        return;
      }
      this.#missingBytes = length - 1;
      this.#codePoint = byte & (0x7f >> length);
      this.#lowestNext = lowestSecond(byte);
      this.#highestNext = highestSecond(byte);
      return;
    }
    if (byte < this.#lowestNext || byte > this.#highestNext) {
      this.#replaceIncomplete();
      this.#decode(byte);
      return;
    }
    this.#lowestNext = 0x80;
    this.#highestNext = 0xbf;
    this.#codePoint = (this.#codePoint << 6) | (byte & 0x3f);
    if (--this.#missingBytes === 0) this.#handleCodePoint(this.#codePoint);
  }

  #replaceIncomplete(): void {
    this.#missingBytes = 0;
    this.#handleCodePoint(REPLACEMENT_CODE_POINT);
  }

  #handleCodePoint(codePoint: number): void {
    if (codePoint < 0xa0) {
      this.#handleC1(codePoint);
      return;
    }
    switch (this.#state) {
      case "ground":
        this.#hasJustPrinted = this.#sink.print(codePoint);
        break;
      case "operatingSystemCommand":
      case "otherString":
      case "controlIgnore":
        break;
      default:
        this.#state = "ground";
    }
  }

  #handleC1(code: number): void {
    switch (code) {
      case 0x9b:
        this.#beginControl();
        return;
      case 0x9d:
        this.#state = "operatingSystemCommand";
        return;
      case 0x90:
      case 0x98:
      case 0x9e:
      case 0x9f:
        this.#state = "otherString";
        return;
      default:
        this.#state = "ground";
        this.#execute(code);
    }
  }

  #handleAscii(byte: number): void {
    if (byte === ESC) {
      this.#state = "escape";
      this.#marker = 0;
      return;
    }
    if (byte === CAN || byte === SUB) {
      this.#abandon();
      return;
    }
    if (this.#state === "otherString") return;
    if (this.#state === "operatingSystemCommand") {
      if (byte === BEL) this.#abandon();
      return;
    }
    if (byte < 0x20) this.#execute(byte);
    else if (byte !== DEL) this.#handleSequenceByte(byte);
  }

  #handleSequenceByte(byte: number): void {
    switch (this.#state) {
      case "escape":
        this.#handleEscape(byte);
        return;
      case "escapeIntermediate":
        if (byte < 0x30) this.#collect(byte);
        else this.#dispatchEscape(byte);
        return;
      case "controlEntry":
      case "controlParameter":
        this.#handleControl(byte);
        return;
      case "controlIntermediate":
        if (byte < 0x30) this.#collect(byte);
        else if (byte < 0x40) this.#state = "controlIgnore";
        else this.#dispatchControl(byte);
        return;
      case "controlIgnore":
        if (byte >= 0x40) this.#state = "ground";
        break;
      case "ground":
      case "operatingSystemCommand":
      case "otherString":
      // Their printable bytes were taken care of before.
    }
  }

  #handleEscape(byte: number): void {
    switch (byte) {
      case 0x5b: // [
        this.#beginControl();
        return;
      case 0x5d: // ]
        this.#state = "operatingSystemCommand";
        return;
      case 0x50: // P
      case 0x58: // X
      case 0x5e: // ^
      case 0x5f: // _
        this.#state = "otherString";
        return;
    }
    if (byte >= 0x30) {
      this.#dispatchEscape(byte);
      return;
    }
    this.#collect(byte);
    this.#state = "escapeIntermediate";
  }

  #handleControl(byte: number): void {
    if (byte >= 0x40) {
      this.#dispatchControl(byte);
    } else if (byte < 0x30) {
      this.#collect(byte);
      this.#state = "controlIntermediate";
    } else if (byte < 0x3c) {
      this.#parameters.add(byte);
      this.#state = "controlParameter";
    } else if (this.#state === "controlEntry") {
      this.#collect(byte);
      this.#state = "controlParameter";
    } else {
      this.#state = "controlIgnore";
    }
  }

  #abandon(): void {
    this.#state = "ground";
    this.#hasJustPrinted = false;
  }

  #beginControl(): void {
    this.#state = "controlEntry";
    this.#marker = 0;
    this.#parameters.clear();
  }

  #collect(byte: number): void {
    this.#marker = this.#marker === 0 ? byte : MARKER_UNKNOWN;
  }

  #execute(code: number): void {
    this.#sink.execute(code);
    this.#hasJustPrinted = false;
  }

  #dispatchEscape(final: number): void {
    this.#state = "ground";
    this.#sink.escape(final, this.#marker);
    this.#hasJustPrinted = false;
  }

  #dispatchControl(final: number): void {
    this.#state = "ground";
    if (final === FINAL_REPEAT && this.#marker === 0) {
      if (this.#hasJustPrinted) this.#sink.repeat(this.#parameters.at(0, 1));
    } else {
      this.#sink.control(final, this.#marker, this.#parameters);
    }
    this.#hasJustPrinted = false;
  }
}

function endOfAscii(bytes: Uint8Array, from: number, end: number): number {
  let index = from;
  while (index < end) {
    const byte = bytes[index]!;
    if (byte < 0x20 || byte >= DEL) break;
    index++;
  }
  return index;
}

// The one scan of a terminal's stream: cuts it into text to show, shell marks, modes and queries.
import { Buffer } from "node:buffer";
import { ParameterList } from "./control-parameters.ts";
import { type TerminalQuery, readColorQuery, readControlQuery } from "./terminal-query.ts";
import {
  type MarkContent,
  OBSERVED_CODES,
  type StreamMark,
  readObserved,
  readOwnMark,
} from "./stream-mark.ts";
import {
  INITIAL_MODES,
  type TerminalModes,
  withFullReset,
  withKeypad,
  withPrivateMode,
  withSoftReset,
} from "./terminal-modes.ts";

/** The most that is kept of a sequence whose end has not come. */
export const MAX_HELD_BYTES = 8 * 1024;
/** A mark that is longer, which none is, is taken for one that was never ended: what follows is shown. */
export const MAX_MARK_BYTES = 256 * 1024;

const ESC = 0x1b;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const BACKSLASH = 0x5c;
const SEMICOLON = 0x3b;
/** Coloured output has an escape every few bytes: that near, looking is cheaper than calling the native search. */
const NEAR_BYTES = 24;
/** No code that concerns us is larger. */
const MAX_CODE = 9999;
const FIRST_ALLOCATION_BYTES = 256;

const CANCELLATION = Uint8Array.of(CAN);

/** No query is longer. */
const MAX_QUERY_BYTES = 128;
/** OSC codes of colour queries: palette, foreground, background, cursor. */
const COLOR_CODES: ReadonlySet<number> = new Set([4, 10, 11, 12]);

/** A part of a chunk to show; valid until the next scan. */
export interface TextPiece {
  readonly kind: "text";
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** One part of a stream: at a mark, all bytes before it have been shown and none after it. */
export type StreamPiece = TextPiece | StreamMark;

/** A place between two sequences: bytes that were read and shown before it, and the modes in force there. */
export interface ScanPlace {
  readonly rawOffset: number;
  readonly offset: number;
  readonly modes: TerminalModes;
  /** How many of the bytes that were read came from stderr, where that has its own pipe. */
  readonly errorOffset?: number | undefined;
}

/** Where the reader stands. Only 7-bit sequences count: the bytes of the 8-bit forms occur within characters of UTF-8. */
type State = "ground" | "escape" | "code" | "mark" | "markEscape" | "observed" | "color" | "control";

/**
 * Cuts a stream into pieces, the same at any split of the input. Plain text costs one native search for ESC.
 *
 * Every OSC 633 and 133 is taken out, and is a mark only if it ends with the nonce: a viewer would believe the others
 * too. While a sequence may still become one its first bytes are held back; they could not be seen on a screen either.
 */
export class StreamScanner {
  readonly #nonce: string | undefined;
  readonly #parameters = new ParameterList();
  #state: State = "ground";
  #modes = INITIAL_MODES;
  #rawOffset = 0;
  #offset = 0;
  /** The bytes of the sequence that is being read, as far as they matter. */
  #sequence = Buffer.alloc(0);
  #length = 0;
  #bodyAt = 0;
  #code = 0;
  /** Whether the sequence may still be an OSC 633 or 133. */
  #mayBeMark = false;
  /** Whether it cut another one that might have become one: taken out, it would join the two ends. */
  #hasCut = false;
  /** How long the mark is, also where its bytes are no longer kept. */
  #markBytes = 0;
  /** How many of its bytes came with earlier chunks and have not been shown. */
  #held = 0;
  // Of the chunk that is being read: its bytes, the first that is not shown yet, where the sequence begins.
  #chunk: Uint8Array = this.#sequence;
  #from = 0;
  #sequenceAt = 0;
  #pieces: StreamPiece[] = [];
  /** A colour query whose ESC has come; a backslash ends it. */
  #endedColor: string | undefined;

  /** Without a nonce no mark is believed. `place`: where the scanner of an earlier host was at rest. */
  constructor(options: { readonly nonce?: string | undefined; readonly place?: ScanPlace | undefined } = {}) {
    this.#nonce = options.nonce;
    if (options.place === undefined) return;
    this.#rawOffset = options.place.rawOffset;
    this.#offset = options.place.offset;
    this.#modes = options.place.modes;
  }

  /** Where it is at rest, if it is: between two sequences. */
  get place(): ScanPlace | undefined {
    if (this.#state !== "ground") return undefined;
    return { rawOffset: this.#rawOffset, offset: this.#offset, modes: this.#modes };
  }

  /** The modes in force after the last byte. */
  get modes(): TerminalModes {
    return this.#modes;
  }

  /** How many bytes have been shown. */
  get offset(): number {
    return this.#offset;
  }

  /** How many bytes are held back. */
  get heldBytes(): number {
    return this.#held;
  }

  /** The pieces of the next bytes, which the caller may reuse once it has applied them. */
  scan(chunk: Uint8Array): readonly StreamPiece[] {
    const end = chunk.length;
    let index = 0;
    if (this.#state === "ground" && end > 0) {
      index = chunk.indexOf(ESC);
      if (index === -1) return this.#takePlain(chunk);
    }
    this.#chunk = chunk;
    this.#from = 0;
    this.#sequenceAt = 0;
    while (index < end) {
      if (this.#state === "ground") {
        index = nextEscape(chunk, index);
        if (index === -1) break;
        this.#begin(index++);
      } else if (this.#state === "control") {
        index = this.#readControl(chunk, index);
      } else {
        this.#step(chunk[index]!, index);
        index++;
      }
    }
    if (this.#state !== "ground" && this.#mayBeMark) {
      this.#showUpTo(this.#sequenceAt);
      this.#held = this.#length;
    } else {
      this.#showUpTo(end);
    }
    this.#rawOffset += end;
    this.#chunk = this.#sequence;
    return this.#takePieces();
  }

  #takePlain(chunk: Uint8Array): readonly StreamPiece[] {
    this.#offset += chunk.length;
    this.#rawOffset += chunk.length;
    return [{ kind: "text", bytes: chunk, start: 0, end: chunk.length }];
  }

  /** Nothing more will come: the bytes that were held back. */
  end(): readonly StreamPiece[] {
    this.#giveUp();
    return this.#takePieces();
  }

  #takePieces(): readonly StreamPiece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #begin(index: number): void {
    this.#state = "escape";
    this.#sequenceAt = index;
    this.#length = 0;
    this.#held = 0;
    this.#mayBeMark = true;
    this.#hasCut = false;
    this.#endedColor = undefined;
    this.#keep(ESC);
  }

  #step(byte: number, index: number): void {
    if (this.#state === "mark") this.#stepMark(byte, index);
    else if (this.#state === "markEscape") this.#stepMarkEscape(byte, index);
    else if (byte === ESC) this.#stepEscape(index);
    else if (byte === CAN || byte === SUB) this.#giveUp();
    else this.#stepWithin(byte, index);
  }

  #stepWithin(byte: number, index: number): void {
    switch (this.#state) {
      case "escape":
        this.#stepIntroducer(byte, index);
        return;
      case "code":
        this.#stepCode(byte, index);
        return;
      case "observed":
        if (byte === BEL) this.#finishObserved(index);
        else if (byte >= 0x20 && !this.#keep(byte)) this.#giveUp();
        return;
      case "color":
        if (byte === BEL) this.#finishColor(this.#body().toString("latin1"), "\x07", index + 1);
        else if (this.#length === this.#bodyAt + MAX_QUERY_BYTES) this.#giveUp();
        else this.#keep(byte);
        break;
      case "ground":
      case "control":
      case "mark":
      case "markEscape":
      // None comes here.
    }
  }

  /** An ESC ends whatever was there and begins something new. */
  #stepEscape(index: number): void {
    const color = this.#state === "color" ? this.#body().toString("latin1") : undefined;
    const hasCut = this.#mayBeMark;
    if (this.#state === "observed") this.#finishObserved(index);
    else this.#giveUp();
    this.#begin(index);
    this.#hasCut = hasCut;
    this.#endedColor = color;
  }

  /** Of a mark nothing is shown, whatever becomes of it. */
  #beginMark(index: number): void {
    if (this.#held === 0) this.#showUpTo(this.#sequenceAt);
    if (this.#hasCut) this.#showCancellation();
    this.#held = 0;
    this.#mayBeMark = false;
    this.#from = index + 1;
    this.#markBytes = this.#length;
    this.#state = "mark";
  }

  #stepMark(byte: number, index: number): void {
    this.#markBytes += 1;
    if (byte === BEL) {
      this.#finishMark(index);
    } else if (byte === ESC) {
      this.#state = "markEscape";
    } else if (byte === CAN || byte === SUB) {
      this.#state = "ground";
    } else if (byte < 0x20 || this.#markBytes > MAX_MARK_BYTES) {
      // Marks have no such characters: it was never ended, and this is output.
      this.#state = "ground";
      this.#from = index;
      return;
    } else {
      this.#keep(byte);
    }
    this.#from = index + 1;
  }

  #stepMarkEscape(byte: number, index: number): void {
    if (byte === BACKSLASH) {
      this.#finishMark(index);
      this.#from = index + 1;
      return;
    }
    // The ESC ended the mark and began something else. At the start of a chunk it came with the one before.
    this.#begin(Math.max(index - 1, 0));
    this.#from = this.#sequenceAt;
    if (index === 0) this.#held = 1;
    this.#step(byte, index);
  }

  #stepIntroducer(byte: number, index: number): void {
    if (byte === 0x5d) {
      this.#state = "code";
      this.#code = 0;
      this.#keep(byte);
      return;
    }
    const color = this.#endedColor;
    this.#giveUp();
    if (byte === 0x5b) this.#beginControl();
    else if (byte === BACKSLASH && color !== undefined) this.#finishColor(color, "\x1b\\", index + 1);
    else if (byte === 0x63) this.#setModes(withFullReset(this.#modes), index + 1);
    else if (byte === 0x3d) this.#setModes(withKeypad(this.#modes, true), index + 1);
    else if (byte === 0x3e) this.#setModes(withKeypad(this.#modes, false), index + 1);
  }

  #stepCode(byte: number, index: number): void {
    const isKept = this.#keep(byte);
    if (byte === SEMICOLON && this.#length > 3) {
      this.#bodyAt = this.#length;
      if (this.#mayBeMark && (this.#code === 633 || this.#code === 133)) return this.#beginMark(index);
      this.#giveUp();
      if (OBSERVED_CODES.has(this.#code)) this.#state = "observed";
      else if (COLOR_CODES.has(this.#code)) this.#state = "color";
      return;
    }
    this.#code = this.#code * 10 + byte - 0x30;
    if (byte < 0x30 || byte > 0x39 || this.#code > MAX_CODE || !isKept) {
      this.#giveUp();
      return;
    }
    if (this.#mayBeMark && !isPrefixOfMarkCode(this.#code)) this.#release();
  }

  #beginControl(): void {
    this.#state = "control";
    this.#length = 0;
  }

  /** Reads a control sequence to its final byte; returns the index after what it has read. */
  #readControl(chunk: Uint8Array, from: number): number {
    for (let index = from; index < chunk.length; index++) {
      const byte = chunk[index]!;
      if (byte >= 0x40) {
        this.#state = "ground";
        this.#finishControl(byte, index + 1);
        return index + 1;
      }
      if (byte === ESC) {
        this.#begin(index);
        return index + 1;
      }
      // Terminals obey other control characters within a sequence, and the sequence continues.
      const isCancelled = byte === CAN || byte === SUB;
      if (isCancelled || (byte >= 0x20 && !this.#keep(byte))) {
        this.#state = "ground";
        return index + 1;
      }
    }
    return chunk.length;
  }

  #finishControl(final: number, at: number): void {
    switch (final) {
      case 0x68: // h
      case 0x6c: // l
        this.#setPrivateModes(final === 0x68, at);
        return;
      case 0x70: // p
        if (this.#length === 1 && this.#sequence[0] === 0x21) {
          this.#setModes(withSoftReset(this.#modes), at);
          return;
        }
        break;
      case 0x63: // c
      case 0x6e: // n
      case 0x71: // q
        break;
      default:
        return;
    }
    if (this.#length >= MAX_QUERY_BYTES) return;
    const parameters = this.#sequence.toString("latin1", 0, this.#length);
    this.#addQueries(readControlQuery(parameters + String.fromCodePoint(final)), at);
  }

  #setPrivateModes(isOn: boolean, at: number): void {
    if (this.#sequence[0] !== 0x3f || this.#length === 0) return;
    this.#parameters.clear();
    for (let index = 1; index < this.#length; index++) {
      const byte = this.#sequence[index]!;
      if (byte < 0x30 || byte > SEMICOLON) return;
      this.#parameters.add(byte);
    }
    let modes = this.#modes;
    for (let index = 0; index < this.#parameters.count; index++) {
      modes = withPrivateMode(modes, this.#parameters.at(index, 0), isOn);
    }
    this.#setModes(modes, at);
  }

  #finishColor(body: string, terminator: "\x07" | "\x1b\\", at: number): void {
    this.#state = "ground";
    this.#addQueries(readColorQuery(`${this.#code};${body}`, terminator), at);
  }

  #addQueries(queries: readonly TerminalQuery[], at: number): void {
    if (queries.length === 0) return;
    this.#showUpTo(at);
    for (const query of queries) this.#addMark({ kind: "query", query }, at);
  }

  #setModes(modes: TerminalModes, at: number): void {
    if (modes === this.#modes) return;
    this.#modes = modes;
    this.#showUpTo(at);
    this.#addMark({ kind: "modes", modes }, at);
  }

  #finishMark(index: number): void {
    this.#state = "ground";
    const isWhole = this.#length < MAX_HELD_BYTES;
    const content = this.#nonce !== undefined && isWhole ? readOwnMark(this.#body(), this.#nonce) : false;
    if (content !== false && content !== undefined) this.#addMark(content, index + 1);
  }

  #finishObserved(index: number): void {
    this.#state = "ground";
    const content = readObserved(this.#code, this.#body());
    if (content === undefined) return;
    this.#showUpTo(index);
    this.#addMark(content, index);
  }

  #addMark(content: MarkContent, at: number): void {
    this.#pieces.push({ ...content, offset: this.#offset, rawOffset: this.#rawOffset + at });
  }

  /** The bytes being read are nothing to remove: they pass through unchanged. */
  #giveUp(): void {
    this.#release();
    this.#state = "ground";
  }

  #release(): void {
    this.#mayBeMark = false;
    if (this.#held === 0) return;
    this.#offset += this.#held;
    // A copy: the next sequence overwrites them before the piece is applied.
    const bytes = Buffer.from(this.#sequence.subarray(0, this.#held));
    this.#pieces.push({ kind: "text", bytes, start: 0, end: this.#held });
    this.#held = 0;
  }

  #showUpTo(end: number): void {
    if (end <= this.#from) return;
    this.#offset += end - this.#from;
    this.#pieces.push({ kind: "text", bytes: this.#chunk, start: this.#from, end });
    this.#from = end;
  }

  /** Terminals give up the sequence that came before. */
  #showCancellation(): void {
    this.#offset += 1;
    this.#pieces.push({ kind: "text", bytes: CANCELLATION, start: 0, end: 1 });
  }

  #body(): Buffer {
    return this.#sequence.subarray(this.#bodyAt, this.#length);
  }

  /** Notes a byte of the sequence; false when it has become too long. */
  #keep(byte: number): boolean {
    if (this.#length === MAX_HELD_BYTES) return false;
    if (this.#length === this.#sequence.length) {
      const grown = Buffer.alloc(Math.max(this.#length * 2, FIRST_ALLOCATION_BYTES));
      grown.set(this.#sequence);
      this.#sequence = grown;
    }
    this.#sequence[this.#length++] = byte;
    return true;
  }
}

/** Terminals skip zeros before a code. */
function isPrefixOfMarkCode(code: number): boolean {
  return code === 0 || code === 6 || code === 63 || code === 633 || code === 1 || code === 13 || code === 133;
}

function nextEscape(bytes: Uint8Array, from: number): number {
  const near = Math.min(from + NEAR_BYTES, bytes.length);
  for (let index = from; index < near; index++) if (bytes[index] === ESC) return index;
  return bytes.indexOf(ESC, near);
}

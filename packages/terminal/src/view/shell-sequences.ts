// Reads a terminal's stream as it passes: takes out the marks of our own shell integration, notes what else it says.
import { Buffer } from "node:buffer";
import { ParameterList } from "./control-parameters.ts";
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

/** The most that is held back of a sequence whose end has not come. */
export const MAX_HELD_BYTES = 8 * 1024;

const ESC = 0x1b;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const BACKSLASH = 0x5c;
const SEMICOLON = 0x3b;
/** Coloured output has an escape every few bytes: that near, looking is cheaper than calling the native search. */
const NEAR_BYTES = 24;
const FIRST_ALLOCATION_BYTES = 256;

/** Told what a stream consists of, in order. */
export interface ShellSequenceSink {
  /** A part of `bytes` to be shown, valid during the call. */
  show(bytes: Uint8Array, start: number, end: number): void;
  /** Something that the stream says: all bytes before it have been shown, none after it. */
  mark(mark: StreamMark): void;
}

/** Where the reader stands. Only 7-bit sequences count: the bytes of the 8-bit forms occur within characters of UTF-8. */
type State = "ground" | "escape" | "code" | "own" | "ownEscape" | "observed" | "control" | "private" | "soft";

/**
 * Splits a stream into bytes to show and marks, the same at any split of the input.
 *
 * Taken out is only an OSC 633 or 133 that ends with the nonce. While a sequence may still become one, and only then,
 * its bytes are held back; they could not be seen on a screen either before the sequence ends.
 */
export class ShellSequences {
  readonly #sink: ShellSequenceSink;
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
  /** Whether the sequence may still be a mark of ours. */
  #mayBeOwn = false;
  /** How many of its bytes came with earlier chunks and have not been shown. */
  #held = 0;
  // Of the chunk that is being read: its bytes, the first that is not shown yet, where the sequence begins.
  #chunk: Uint8Array = this.#sequence;
  #from = 0;
  #sequenceAt = 0;

  /** Without a nonce nothing is taken out and nothing is held back. */
  constructor(sink: ShellSequenceSink, options: { readonly nonce?: string | undefined } = {}) {
    this.#sink = sink;
    this.#nonce = options.nonce;
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

  /** Reads bytes, which the caller may reuse at once. */
  push(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#from = 0;
    this.#sequenceAt = 0;
    const end = chunk.length;
    let index = 0;
    while (index < end) {
      if (this.#state === "ground") {
        index = nextEscape(chunk, index);
        if (index === -1) break;
        this.#begin(index++);
      } else {
        this.#step(chunk[index]!, index);
        index++;
      }
    }
    if (this.#state !== "ground" && this.#mayBeOwn) {
      this.#showUpTo(this.#sequenceAt);
      this.#held = this.#length;
    } else {
      this.#showUpTo(end);
    }
    this.#rawOffset += end;
    this.#chunk = this.#sequence;
  }

  /** Nothing more will come: shows what is held back. */
  end(): void {
    this.#giveUp();
  }

  #begin(index: number): void {
    this.#state = "escape";
    this.#sequenceAt = index;
    this.#length = 0;
    this.#held = 0;
    this.#mayBeOwn = this.#nonce !== undefined;
    this.#keep(ESC);
  }

  #step(byte: number, index: number): void {
    if (this.#state === "ownEscape") this.#stepOwnEscape(byte, index);
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
        this.#stepCode(byte);
        return;
      case "own":
        if (byte === BEL) this.#finishOwn(index);
        // Our scripts escape every control character, so this is somebody else's.
        else if (byte < 0x20 || !this.#keep(byte)) this.#giveUp();
        return;
      case "observed":
        if (byte === BEL) this.#finishObserved(index);
        else if (byte >= 0x20 && !this.#keep(byte)) this.#giveUp();
        return;
      case "control":
        this.#stepControl(byte);
        return;
      case "private":
        this.#stepPrivate(byte, index);
        return;
      case "soft":
        if (byte < 0x20) return;
        this.#state = "ground";
        if (byte === 0x70) this.#setModes(withSoftReset(this.#modes), index + 1);
        break;
      case "ground":
      case "ownEscape":
      // Neither comes here.
    }
  }

  /** An ESC ends whatever was there and begins something new, unless it is half of the end of a mark of ours. */
  #stepEscape(index: number): void {
    if (this.#state === "own" && this.#keep(ESC)) {
      this.#state = "ownEscape";
      return;
    }
    if (this.#state === "observed") this.#finishObserved(index);
    else this.#giveUp();
    this.#begin(index);
  }

  #stepOwnEscape(byte: number, index: number): void {
    if (byte === BACKSLASH) {
      this.#length -= 1;
      this.#finishOwn(index);
      return;
    }
    // The ESC began something else. It came with this chunk, or is the last byte held back.
    const cameEarlier = this.#held === this.#length;
    this.#length -= 1;
    if (cameEarlier) this.#held -= 1;
    this.#giveUp();
    this.#begin(Math.max(index - 1, 0));
    if (cameEarlier) this.#held = 1;
    this.#step(byte, index);
  }

  #stepIntroducer(byte: number, index: number): void {
    if (byte === 0x5d) {
      this.#state = "code";
      this.#code = 0;
      this.#keep(byte);
      return;
    }
    this.#giveUp();
    if (byte === 0x5b) this.#state = "control";
    else if (byte === 0x63) this.#setModes(withFullReset(this.#modes), index + 1);
    else if (byte === 0x3d) this.#setModes(withKeypad(this.#modes, true), index + 1);
    else if (byte === 0x3e) this.#setModes(withKeypad(this.#modes, false), index + 1);
  }

  #stepCode(byte: number): void {
    this.#keep(byte);
    if (byte === SEMICOLON && this.#length > 3) {
      this.#bodyAt = this.#length;
      if (this.#mayBeOwn && (this.#code === 633 || this.#code === 133)) {
        this.#state = "own";
        return;
      }
      this.#giveUp();
      if (OBSERVED_CODES.has(this.#code)) this.#state = "observed";
      return;
    }
    if (byte < 0x30 || byte > 0x39 || this.#length > 6) {
      this.#giveUp();
      return;
    }
    this.#code = this.#code * 10 + byte - 0x30;
    if (this.#mayBeOwn && !isPrefixOfOwnCode(this.#code)) this.#release();
  }

  #stepControl(byte: number): void {
    // A control character within a sequence is obeyed by terminals, and the sequence goes on.
    if (byte < 0x20) return;
    if (byte === 0x3f) {
      this.#state = "private";
      this.#parameters.clear();
    } else {
      this.#state = byte === 0x21 ? "soft" : "ground";
    }
  }

  #stepPrivate(byte: number, index: number): void {
    if (byte >= 0x30 && byte <= SEMICOLON) {
      this.#parameters.add(byte);
      return;
    }
    if (byte < 0x20) return;
    this.#state = "ground";
    if (byte !== 0x68 && byte !== 0x6c) return;
    let modes = this.#modes;
    for (let at = 0; at < this.#parameters.count; at++) {
      modes = withPrivateMode(modes, this.#parameters.at(at, 0), byte === 0x68);
    }
    this.#setModes(modes, index + 1);
  }

  #setModes(modes: TerminalModes, at: number): void {
    if (modes === this.#modes) return;
    this.#modes = modes;
    this.#showUpTo(at);
    this.#tell({ kind: "modes", modes }, at);
  }

  #finishOwn(index: number): void {
    const content = readOwnMark(this.#body(), this.#nonce ?? "");
    if (content === false) {
      this.#giveUp();
      return;
    }
    this.#state = "ground";
    if (this.#held === 0) this.#showUpTo(this.#sequenceAt);
    this.#held = 0;
    this.#from = index + 1;
    if (content !== undefined) this.#tell(content, index + 1);
  }

  #finishObserved(index: number): void {
    this.#state = "ground";
    const content = readObserved(this.#code, this.#body());
    if (content === undefined) return;
    this.#showUpTo(index);
    this.#tell(content, index);
  }

  #tell(content: MarkContent, at: number): void {
    this.#sink.mark({ ...content, offset: this.#offset, rawOffset: this.#rawOffset + at });
  }

  /** What was being read is nothing to take out: it goes through as it came. */
  #giveUp(): void {
    this.#release();
    this.#state = "ground";
  }

  #release(): void {
    this.#mayBeOwn = false;
    if (this.#held === 0) return;
    this.#offset += this.#held;
    this.#sink.show(this.#sequence, 0, this.#held);
    this.#held = 0;
  }

  #showUpTo(end: number): void {
    if (end <= this.#from) return;
    this.#offset += end - this.#from;
    this.#sink.show(this.#chunk, this.#from, end);
    this.#from = end;
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

function isPrefixOfOwnCode(code: number): boolean {
  return code === 6 || code === 63 || code === 633 || code === 1 || code === 13 || code === 133;
}

function nextEscape(bytes: Uint8Array, from: number): number {
  const near = Math.min(from + NEAR_BYTES, bytes.length);
  for (let index = from; index < near; index++) if (bytes[index] === ESC) return index;
  return bytes.indexOf(ESC, near);
}

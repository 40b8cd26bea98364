// Newline-delimited JSON: the framing of a child's stdio, where programs also print what they should not.
import type { FrameListener, FrameReader, Framing } from "./framing.ts";

/** How the NDJSON framing may be set. */
export interface NdjsonOptions {
  /** The longest line that is read; a longer one is reported and skipped. Default 64 MiB. */
  maxLineBytes?: number;
}

const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 10;
const BRACKET_OPEN = 91;
const BRACE_OPEN = 123;
/** How much of a line that is too long is shown: enough to find its id. */
const HEAD_BYTES = 1024;
const NOISE_CHARACTERS = 200;
const SMALL_CARRY_BYTES = 64 * 1024;

/** Splits a stream of bytes into lines and copies only what spans two chunks. */
export class NdjsonSplitter implements FrameReader {
  readonly #listener: FrameListener;
  readonly #maxLineBytes: number;
  readonly #decoder = new TextDecoder();
  /** The start of a line whose end has not arrived; a buffer that grows and is used again. */
  #carry = new Uint8Array(0);
  #carryBytes = 0;
  #isSkipping = false;
  /** Where the next chunk begins. */
  #chunkOffset: number;
  #offset: number;

  constructor(listener: FrameListener, options: NdjsonOptions = {}, startOffset = 0) {
    this.#listener = listener;
    this.#chunkOffset = startOffset;
    this.#offset = startOffset;
    this.#maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
  }

  get offset(): number {
    return this.#offset;
  }

  get endOffset(): number {
    return this.#chunkOffset - this.#carryBytes;
  }

  push(chunk: string | Uint8Array): void {
    const bytes = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
    let start = 0;
    for (;;) {
      const newline = bytes.indexOf(NEWLINE, start);
      if (newline === -1) break;
      this.#endLine(bytes, start, newline);
      start = newline + 1;
    }
    if (start < bytes.length) this.#keep(bytes, start);
    this.#chunkOffset += bytes.length;
  }

  end(): void {
    if (this.#carryBytes > 0) this.#endLine(this.#carry, 0, 0);
    this.#isSkipping = false;
  }

  #endLine(bytes: Uint8Array, start: number, end: number): void {
    if (this.#isSkipping) {
      this.#isSkipping = false;
      return;
    }
    const lineBytes = this.#carryBytes + end - start;
    if (lineBytes > this.#maxLineBytes) {
      this.#reportTooLong(bytes, start, end);
      return;
    }
    if (this.#carryBytes === 0) {
      if (this.#listener.taken?.(bytes, start, end) === true) return;
      this.#offset = this.#chunkOffset + start;
      this.#emit(this.#decoder.decode(bytes.subarray(start, end)), lineBytes);
      return;
    }
    this.#offset = this.#chunkOffset + start - this.#carryBytes;
    this.#append(bytes.subarray(start, end));
    const text = this.#decoder.decode(this.#carry.subarray(0, lineBytes));
    this.#dropCarry();
    this.#emit(text, lineBytes);
  }

  #keep(bytes: Uint8Array, start: number): void {
    if (this.#isSkipping) return;
    if (this.#carryBytes + bytes.length - start > this.#maxLineBytes) {
      this.#isSkipping = true;
      this.#reportTooLong(bytes, start, bytes.length);
      return;
    }
    this.#append(bytes.subarray(start));
  }

  #append(bytes: Uint8Array): void {
    const neededBytes = this.#carryBytes + bytes.length;
    if (neededBytes > this.#carry.length) {
      const roomyBytes = Math.min(Math.max(this.#carry.length * 2, SMALL_CARRY_BYTES), this.#maxLineBytes);
      const grown = new Uint8Array(Math.max(neededBytes, roomyBytes));
      grown.set(this.#carry.subarray(0, this.#carryBytes));
      this.#carry = grown;
    }
    this.#carry.set(bytes, this.#carryBytes);
    this.#carryBytes = neededBytes;
  }

  #dropCarry(): void {
    this.#carryBytes = 0;
    // One huge line must not keep its memory for the life of the connection.
    if (this.#carry.length > 16 * SMALL_CARRY_BYTES) this.#carry = new Uint8Array(0);
  }

  #reportTooLong(bytes: Uint8Array, start: number, end: number): void {
    const head = new Uint8Array(Math.min(HEAD_BYTES, this.#carryBytes + end - start));
    const carried = this.#carry.subarray(0, Math.min(this.#carryBytes, head.length));
    head.set(carried);
    head.set(bytes.subarray(start, start + head.length - carried.length), carried.length);
    this.#dropCarry();
    this.#listener.tooLong(this.#decoder.decode(head), this.#maxLineBytes);
  }

  #emit(text: string, lineBytes: number): void {
    if (opensMessage(text)) {
      this.#listener.message(text, lineBytes);
      return;
    }
    const trimmed = text.trimStart();
    if (trimmed === "") return;
    if (opensMessage(trimmed)) this.#listener.message(trimmed, lineBytes);
    else this.#listener.noise(trimmed.slice(0, NOISE_CHARACTERS));
  }
}

function opensMessage(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === BRACE_OPEN || first === BRACKET_OPEN;
}

/** One message per line, as ACP speaks on a child's stdio; what is no message is skipped, never answered. */
export function ndjsonFraming(options: NdjsonOptions = {}): Framing {
  return {
    terminator: "\n",
    unparsable: "skip",
    reader: (listener, startOffset) => new NdjsonSplitter(listener, options, startOffset),
  };
}

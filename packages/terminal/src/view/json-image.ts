// The escaped image of a growing text: extended at its end, shortened at its head, never rewritten.
import { Buffer } from "node:buffer";
import { escapedLengthAt, escapeInto, MAX_ESCAPE_BYTES } from "./json-escape.ts";
import { isContinuation } from "./utf8.ts";

const MIN_SEGMENT_BYTES = 4 * 1024;
const MAX_SEGMENT_BYTES = 256 * 1024;
/** Less space than this at the end of a segment is left unused. */
const MIN_FREE_BYTES = 64 * MAX_ESCAPE_BYTES;

/** A buffer that is only ever written past `end`, so that views handed out before stay as they are. */
interface Segment {
  readonly buffer: Buffer;
  end: number;
}

/** A place in the image: a segment and an index in it. */
interface Position {
  segment: number;
  index: number;
}

/** Well-formed UTF-8 text, kept as the inside of a JSON string literal. */
export class JsonImage {
  readonly #segments: Segment[] = [];
  #headIndex = 0;
  #textBytes = 0;
  #allocatedBytes = 0;

  /** How many bytes of text the image stands for. */
  get textBytes(): number {
    return this.#textBytes;
  }

  get allocatedBytes(): number {
    return this.#allocatedBytes;
  }

  /** Escapes more text onto the end. */
  append(text: Uint8Array): void {
    let read = 0;
    while (read < text.length) {
      const segment = this.#segmentWithRoom(text.length - read);
      const fitting = Math.floor((segment.buffer.length - segment.end) / MAX_ESCAPE_BYTES);
      const stop = Math.min(text.length, read + fitting);
      segment.end = escapeInto(segment.buffer, segment.end, text, read, stop);
      read = stop;
    }
    this.#textBytes += text.length;
  }

  /** Forgets the first `textBytes` of the text, and the rest of a character they cut. */
  dropHead(textBytes: number): void {
    const position = { segment: 0, index: this.#headIndex };
    this.#textBytes -= this.#skip(position, textBytes);
    for (const gone of this.#segments.splice(0, position.segment)) {
      this.#allocatedBytes -= gone.buffer.length;
    }
    this.#headIndex = position.index;
  }

  /** The escaped text without its first `skipTextBytes`; what is returned never changes. */
  views(skipTextBytes: number): Uint8Array[] {
    const position = { segment: 0, index: this.#headIndex };
    this.#skip(position, skipTextBytes);
    const views: Uint8Array[] = [];
    for (let number = position.segment; number < this.#segments.length; number++) {
      const segment = this.#segments[number]!;
      const start = number === position.segment ? position.index : 0;
      if (start < segment.end) views.push(segment.buffer.subarray(start, segment.end));
    }
    return views;
  }

  /** Moves a position over text and on to the next character; returns the bytes of text it passed. */
  #skip(position: Position, textBytes: number): number {
    let passed = 0;
    while (position.segment < this.#segments.length) {
      const { buffer, end } = this.#segments[position.segment]!;
      let index = position.index;
      while (index < end && (passed < textBytes || (passed > 0 && isContinuation(buffer[index]!)))) {
        index += escapedLengthAt(buffer, index);
        passed++;
      }
      position.index = index;
      const isLast = position.segment === this.#segments.length - 1;
      if (index < end || isLast) break;
      position.segment++;
      position.index = 0;
    }
    return passed;
  }

  #segmentWithRoom(textBytes: number): Segment {
    const last = this.#segments.at(-1);
    if (last && last.buffer.length - last.end >= MIN_FREE_BYTES) return last;
    const wantedBytes = Math.max(MIN_SEGMENT_BYTES, this.#textBytes, textBytes + MIN_FREE_BYTES);
    const buffer = Buffer.allocUnsafeSlow(Math.min(MAX_SEGMENT_BYTES, wantedBytes));
    const segment = { buffer, end: 0 };
    this.#segments.push(segment);
    this.#allocatedBytes += buffer.length;
    return segment;
  }
}

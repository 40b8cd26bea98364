// The text that an agent reads: its tail, within a limit of bytes, as a string or as ready JSON.
import { Buffer } from "node:buffer";
import { escapeInto, MAX_ESCAPE_BYTES } from "./json-escape.ts";
import { JsonImage } from "./json-image.ts";
import type { ByteRing } from "./ring.ts";
import {
  boundaryAtOrAfter,
  decodeWellFormed,
  isContinuation,
  MAX_PARTIAL_BYTES,
  toWellFormed,
} from "./utf8.ts";

/** Bytes that a ring keeps beyond the limit: a character held back at the end, and one cut at the head. */
export const TAIL_MARGIN_BYTES = 8;

const QUOTE = Buffer.from('"');

/** The tail of the text, and whether anything before it was left out. */
export interface OutputTail {
  readonly output: string;
  readonly truncated: boolean;
}

/** The same with the text as a JSON string literal in UTF-8, in chunks that never change. */
export interface JsonOutputTail {
  readonly output: readonly Uint8Array[];
  readonly truncated: boolean;
}

/** A text as it stands: the settled bytes of the ring up to an offset, then an ending that may still change. */
export interface SettledText {
  readonly settledEnd: number;
  readonly ending: Uint8Array;
}

/** The newest settled text that fits a limit. */
interface Tail {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** The image of the settled tail, up to date to `end`, made for one limit. */
interface Imaged {
  readonly image: JsonImage;
  readonly limitBytes: number;
  end: number;
  isWhole: boolean;
}

/** Cuts tails from a ring of UTF-8 bytes. */
export class TextTail {
  readonly #ring: ByteRing;
  readonly #limitBytes: number;
  #imaged: Imaged | undefined;

  constructor(ring: ByteRing, limitBytes: number) {
    this.#ring = ring;
    this.#limitBytes = limitBytes;
  }

  get allocatedBytes(): number {
    return this.#imaged?.image.allocatedBytes ?? 0;
  }

  /** The tail as a string, within a smaller limit if one is given; costs in what it returns. */
  text({ settledEnd, ending }: SettledText, lowerLimitBytes = Infinity): OutputTail {
    const limitBytes = Math.min(lowerLimitBytes, this.#effectiveLimitBytes());
    if (ending.length > limitBytes) {
      return { output: decodeWellFormed(cutTail(ending, limitBytes)), truncated: true };
    }
    const tail = this.#tail(settledEnd, limitBytes - ending.length);
    return {
      output: decodeWellFormed(tail.bytes) + decodeWellFormed(ending),
      truncated: !tail.isWhole,
    };
  }

  /** The tail as JSON; costs in what is new since the last call. */
  json({ settledEnd, ending }: SettledText): JsonOutputTail {
    const limitBytes = this.#effectiveLimitBytes();
    if (ending.length > limitBytes) {
      return { output: [QUOTE, ...escape(cutTail(ending, limitBytes)), QUOTE], truncated: true };
    }
    const { image, isWhole } = this.#imageUpTo(settledEnd, limitBytes);
    const skippedBytes = Math.max(0, image.textBytes + ending.length - limitBytes);
    return {
      output: [QUOTE, ...image.views(skippedBytes), ...escape(ending), QUOTE],
      truncated: !isWhole || skippedBytes > 0,
    };
  }

  /** Frees the image; the next JSON makes a new one. */
  dropImage(): void {
    this.#imaged = undefined;
  }

  /** A ring that was denied memory has dropped bytes early: then what it holds is the limit. */
  #effectiveLimitBytes(): number {
    const { startOffset, endOffset } = this.#ring;
    if (startOffset === 0) return this.#limitBytes;
    return Math.max(0, Math.min(this.#limitBytes, endOffset - startOffset - TAIL_MARGIN_BYTES));
  }

  #tail(settledEnd: number, limitBytes: number): Tail {
    // Decoding never shrinks text, so these bytes are at least as much as the limit allows.
    const start = this.#characterStart(Math.max(0, settledEnd - limitBytes), settledEnd);
    const bytes = toWellFormed(this.#contiguous(start, settledEnd));
    const tail = cutTail(bytes, limitBytes);
    return { bytes: tail, isWhole: start === 0 && tail.length === bytes.length };
  }

  #imageUpTo(settledEnd: number, limitBytes: number): Imaged {
    const imaged = this.#imaged;
    const isWorthExtending =
      imaged !== undefined &&
      imaged.limitBytes === limitBytes &&
      imaged.end >= this.#ring.startOffset &&
      settledEnd - imaged.end < imaged.image.textBytes;
    if (!isWorthExtending) {
      const tail = this.#tail(settledEnd, limitBytes);
      const image = new JsonImage();
      image.append(tail.bytes);
      this.#imaged = { image, limitBytes, end: settledEnd, isWhole: tail.isWhole };
      return this.#imaged;
    }
    imaged.image.append(toWellFormed(this.#contiguous(imaged.end, settledEnd)));
    imaged.end = settledEnd;
    if (imaged.image.textBytes > limitBytes) {
      imaged.image.dropHead(imaged.image.textBytes - limitBytes);
      imaged.isWhole = false;
    }
    return imaged;
  }

  /** The nearest offset at or before `offset` from which decoding gives the same as from the very beginning. */
  #characterStart(offset: number, settledEnd: number): number {
    if (offset === 0 || offset === settledEnd) return offset;
    const from = Math.max(this.#ring.startOffset, offset - MAX_PARTIAL_BYTES);
    const around = this.#ring.copy(from, offset + 1);
    for (let back = 0; back < around.length; back++) {
      if (!isContinuation(around[around.length - 1 - back]!)) return offset - back;
    }
    // No lead byte reaches over three others, so this byte stands alone.
    return offset;
  }

  #contiguous(from: number, to: number): Uint8Array {
    const slices = this.#ring.slices(from, to);
    return slices.length === 1 ? slices[0]! : Buffer.concat(slices);
  }
}

function cutTail(wellFormed: Uint8Array, limitBytes: number): Uint8Array {
  return wellFormed.subarray(boundaryAtOrAfter(wellFormed, Math.max(0, wellFormed.length - limitBytes)));
}

/** The text escaped, as one chunk, or none when there is nothing to say. */
function escape(text: Uint8Array): Uint8Array[] {
  if (text.length === 0) return [];
  const escaped = Buffer.allocUnsafe(text.length * MAX_ESCAPE_BYTES);
  return [escaped.subarray(0, escapeInto(escaped, 0, text, 0, text.length))];
}

// Lines that need no screen: text, tabs and colours, ended by CR LF, as most output is.
import { characterWidth } from "./character-width.ts";
import { MAX_MARKS_PER_CELL } from "./screen-row.ts";
import { announcedLength, highestSecond, isContinuation, lowestSecond } from "./utf8.ts";

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;
const SPACE = 0x20;
const DEL = 0x7f;
const LETTER_K = 0x4b;
const LETTER_M = 0x6d;
const LEFT_BRACKET = 0x5b;
/** The highest bit of each byte of a word. */
const HIGH_BITS = 0x80808080 | 0;

/** How far lines were plain. */
export interface PlainLines {
  /** Index after the last plain line in the source. */
  readonly sourceEnd: number;
  /** Length of these lines in the target, each ended by LF alone. */
  readonly targetEnd: number;
  readonly lineCount: number;
  /** Index where something else was met, or the end of what was given. */
  readonly stoppedAt: number;
}

/**
 * Copies plain lines from `source` to `target` without their colours and carriage returns.
 *
 * On a screen whose cursor begins an empty line below all text they come out the same. One pass, four bytes of text at
 * a time, was measured to be faster than a search by regular expression and a replacement, also for long lines.
 */
export function copyPlainLines(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
): PlainLines {
  let read = start;
  let write = 0;
  let sourceEnd = start;
  let targetEnd = 0;
  let lineCount = 0;
  let tabRun = 0;
  const words = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const targetWords = new DataView(target.buffer, target.byteOffset, target.byteLength);
  while (read < end) {
    let byte = source[read]!;
    if (byte >= SPACE && byte < DEL) {
      tabRun = 0;
      // A short run is not worth the try.
      if (read + 8 <= end && source[read + 1]! >= SPACE && source[read + 7]! >= SPACE) {
        const copiedBytes = copyWords(words, read, end, targetWords, write);
        read += copiedBytes;
        write += copiedBytes;
        if (read === end) break;
        byte = source[read]!;
      }
      while (byte >= SPACE && byte < DEL) {
        target[write++] = byte;
        if (++read === end) break;
        byte = source[read]!;
      }
    } else if (byte === CR) {
      const next = endOfLineEnd(source, read, end);
      if (next === read) break;
      target[write++] = LF;
      read = next;
      sourceEnd = read;
      targetEnd = write;
      lineCount++;
    } else if (byte === ESC) {
      const next = endOfColour(source, read, end);
      if (next === read) break;
      read = next;
    } else if (byte === TAB) {
      if (++tabRun > MAX_MARKS_PER_CELL) break;
      target[write++] = TAB;
      read++;
    } else {
      const next = endOfCharacter(source, read, end);
      if (next === read) break;
      while (read < next) target[write++] = source[read++]!;
      tabRun = 0;
    }
  }
  return { sourceEnd, targetEnd, lineCount, stoppedAt: read };
}

/** Copies printable ASCII four bytes at a time; returns how many it has copied. */
function copyWords(source: DataView, start: number, end: number, target: DataView, at: number): number {
  let copiedBytes = 0;
  while (start + copiedBytes + 4 <= end) {
    const word = source.getInt32(start + copiedBytes);
    if (!isPrintable(word)) break;
    target.setInt32(at + copiedBytes, word);
    copiedBytes += 4;
  }
  return copiedBytes;
}

/** Whether all four bytes of a word are printable ASCII. */
function isPrintable(word: number): boolean {
  const hasHighOrDelete = (word | (word + 0x01010101)) & HIGH_BITS;
  // With its highest bit set no byte borrows from the next one; it keeps that bit only if it is 0x20 or more.
  return hasHighOrDelete === 0 && (((word | HIGH_BITS) - 0x20202020) & HIGH_BITS) === HIGH_BITS;
}

/** Index after carriage returns and a line feed, or `start` when that is not what stands there. */
function endOfLineEnd(source: Uint8Array, start: number, end: number): number {
  let index = start + 1;
  while (index < end && source[index] === CR) index++;
  return index < end && source[index] === LF ? index + 1 : start;
}

/** Index after a change of colour, or an erasure where there is nothing to erase; else `start`. */
function endOfColour(source: Uint8Array, start: number, end: number): number {
  if (start + 2 >= end || source[start + 1] !== LEFT_BRACKET) return start;
  let index = start + 2;
  while (index < end && source[index]! >= 0x30 && source[index]! <= 0x3b) index++;
  if (index === end) return start;
  const isErasureToLineEnd = source[index] === LETTER_K && index === start + 2;
  return source[index] === LETTER_M || isErasureToLineEnd ? index + 1 : start;
}

/** Index after a character that has a cell, or `start` when there is none or it is not complete. */
function endOfCharacter(source: Uint8Array, start: number, end: number): number {
  const lead = source[start]!;
  const length = announcedLength(lead);
  if (length === 0 || start + length > end) return start;
  const second = source[start + 1]!;
  if (second < lowestSecond(lead) || second > highestSecond(lead)) return start;
  let codePoint = lead & (0x7f >> length);
  for (let index = start + 1; index < start + length; index++) {
    const byte = source[index]!;
    if (!isContinuation(byte)) return start;
    codePoint = (codePoint << 6) | (byte & 0x3f);
  }
  return codePoint >= 0xa0 && characterWidth(codePoint) > 0 ? start + length : start;
}

// UTF-8 boundaries: where characters begin, what is still incomplete, and how invalid bytes are shown.
import { Buffer, isUtf8 } from "node:buffer";

/** U+FFFD in UTF-8: what stands for bytes that are no character. */
export const REPLACEMENT_CHARACTER: Uint8Array = Buffer.from("\u{FFFD}");

/** The longest piece of a character that can be missing its end, and the most that can precede one. */
export const MAX_PARTIAL_BYTES = 3;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Whether the byte continues a character rather than beginning one. */
export function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** The length a lead byte announces, 0 for a byte that can lead nothing longer than itself. */
export function announcedLength(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** The smallest second byte that may follow a lead byte: excludes overlong forms. */
export function lowestSecond(lead: number): number {
  if (lead === 0xe0) return 0xa0;
  return lead === 0xf0 ? 0x90 : 0x80;
}

/** The largest second byte that may follow a lead byte: excludes surrogates and what lies beyond Unicode. */
export function highestSecond(lead: number): number {
  if (lead === 0xed) return 0x9f;
  return lead === 0xf4 ? 0x8f : 0xbf;
}

/** How many bytes at the end begin a character that later bytes may still complete. */
export function incompleteTailBytes(bytes: Uint8Array): number {
  const length = bytes.length;
  for (let count = 1; count <= Math.min(MAX_PARTIAL_BYTES, length); count++) {
    const byte = bytes[length - count]!;
    if (isContinuation(byte)) continue;
    if (count >= announcedLength(byte)) return 0;
    if (count === 1) return 1;
    const second = bytes[length - count + 1]!;
    return second >= lowestSecond(byte) && second <= highestSecond(byte) ? count : 0;
  }
  return 0;
}

/** The first index at or after `index` where a character of well-formed text begins. */
export function boundaryAtOrAfter(wellFormed: Uint8Array, index: number): number {
  let boundary = index;
  while (boundary < wellFormed.length && isContinuation(wellFormed[boundary]!)) boundary++;
  return boundary;
}

/** The same bytes when they are well formed, else a copy in which U+FFFD stands for each invalid part. */
export function toWellFormed(bytes: Uint8Array): Uint8Array {
  return isUtf8(bytes) ? bytes : Buffer.from(decoder.decode(bytes));
}

/** Well-formed bytes as a string. */
export function decodeWellFormed(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

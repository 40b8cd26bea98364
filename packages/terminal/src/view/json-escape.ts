// JSON string escapes on UTF-8 bytes, exactly as JSON.stringify writes them.
import { Buffer } from "node:buffer";

/** The most bytes that one byte of text becomes (`\u001b`). */
export const MAX_ESCAPE_BYTES = 6;

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const DIGIT_0 = 0x30;
const HEX_DIGITS = Buffer.from("0123456789abcdef");

const LITERAL = 0;
const LONG_ESCAPE = 1;
/** Per byte: LITERAL, LONG_ESCAPE, or the letter that follows the backslash. */
const ESCAPES = new Uint8Array(256);
for (let code = 0; code < 0x80; code++) {
  const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1);
  if (escaped.length === 2) ESCAPES[code] = escaped.charCodeAt(1);
  else if (escaped.length === MAX_ESCAPE_BYTES) ESCAPES[code] = LONG_ESCAPE;
}

/** Writes text escaped to `target` at `at`, with space for the longest escapes; returns the index after it. */
export function escapeInto(
  target: Uint8Array,
  at: number,
  text: Uint8Array,
  start: number,
  end: number,
): number {
  let write = at;
  for (let read = start; read < end; read++) {
    const byte = text[read]!;
    const escape = ESCAPES[byte]!;
    if (escape === LITERAL) {
      target[write++] = byte;
      continue;
    }
    target[write++] = BACKSLASH;
    if (escape !== LONG_ESCAPE) {
      target[write++] = escape;
      continue;
    }
    target[write++] = LETTER_U;
    target[write++] = DIGIT_0;
    target[write++] = DIGIT_0;
    target[write++] = HEX_DIGITS[byte >> 4]!;
    target[write++] = HEX_DIGITS[byte & 15]!;
  }
  return write;
}

/** The length of the escape, or the single byte, that begins at `index` of escaped text. */
export function escapedLengthAt(escaped: Uint8Array, index: number): number {
  if (escaped[index] !== BACKSLASH) return 1;
  return escaped[index + 1] === LETTER_U ? MAX_ESCAPE_BYTES : 2;
}

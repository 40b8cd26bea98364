// Base64url of UTF-8 text without Node or a browser: default chat URIs carry their session's URI in it.

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Encodes text as unpadded base64url of its UTF-8 bytes. */
export function encodeBase64Url(text: string): string {
  let encoded = "";
  let bits = 0;
  let bitCount = 0;
  for (const byte of utf8Bytes(text)) {
    bits = ((bits << 8) | byte) & 0xffff;
    bitCount += 8;
    while (bitCount >= 6) {
      bitCount -= 6;
      encoded += alphabet.charAt((bits >> bitCount) & 63);
    }
  }
  return bitCount === 0 ? encoded : encoded + alphabet.charAt((bits << (6 - bitCount)) & 63);
}

/** Decodes unpadded base64url of UTF-8 bytes; `undefined` when the text is not that. */
export function decodeBase64Url(encoded: string): string | undefined {
  let percentEncoded = "";
  let bits = 0;
  let bitCount = 0;
  for (const character of encoded) {
    const value = alphabet.indexOf(character);
    if (value < 0) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount >= 8) {
      bitCount -= 8;
      percentEncoded += `%${((bits >> bitCount) & 255).toString(16).padStart(2, "0")}`;
    }
  }
  try {
    return decodeURIComponent(percentEncoded);
  } catch {
    // decodeURIComponent throws for bytes that are no UTF-8, which is what `undefined` says.
    return undefined;
  }
}

function* utf8Bytes(text: string): Generator<number> {
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    const scalar = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
    if (scalar < 0x80) {
      yield scalar;
    } else if (scalar < 0x800) {
      yield 0xc0 | (scalar >> 6);
      yield 0x80 | (scalar & 63);
    } else if (scalar < 0x10000) {
      yield 0xe0 | (scalar >> 12);
      yield 0x80 | ((scalar >> 6) & 63);
      yield 0x80 | (scalar & 63);
    } else {
      yield 0xf0 | (scalar >> 18);
      yield 0x80 | ((scalar >> 12) & 63);
      yield 0x80 | ((scalar >> 6) & 63);
      yield 0x80 | (scalar & 63);
    }
  }
}

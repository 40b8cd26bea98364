// Bytes as base64 and back, with what browsers and Node both have.

/** So many arguments a call takes everywhere. */
const bytesAtOnce = 8192;

/** Bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += bytesAtOnce) {
    text += String.fromCharCode(...bytes.subarray(start, start + bytesAtOnce));
  }
  return btoa(text);
}

/** The bytes of base64. */
export function decodeBase64(text: string): Uint8Array {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  // Not by `Uint8Array.from`: that goes through an iterator, at thirty times the cost.
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = characters.charCodeAt(index);
  return bytes;
}

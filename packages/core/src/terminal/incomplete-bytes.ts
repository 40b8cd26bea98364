// Where whole characters end in a piece of UTF-8.

const maxIncompleteBytes = 3;
const firstLeadByte = 0xc2;

/** How many bytes at the end begin a character that later bytes may complete. */
export function incompleteBytes(bytes: Uint8Array): number {
  const longest = Math.min(maxIncompleteBytes, bytes.length);
  for (let count = 1; count <= longest; count += 1) {
    const byte = bytes[bytes.length - count] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < firstLeadByte) continue;
    // Bytes that a decoder keeps back show nothing; all else shows at least a replacement character.
    const shown = new TextDecoder().decode(bytes.subarray(bytes.length - count), { stream: true });
    return shown === "" ? count : 0;
  }
  return 0;
}

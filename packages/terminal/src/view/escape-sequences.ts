// Escape sequences in text: control sequences, character sets, pairs, and strings to the terminal with their payload.

/**
 * One escape sequence. One that the end of the text or another sequence cuts off goes as far as it is there, as in a
 * terminal; so every ESC belongs to one.
 */
const escapeSequence = new RegExp(
  [
    "\\[[\\u0020-\\u003F]*[\\u0040-\\u007E]?",
    "\\][^\\u0007\\u0018\\u001A\\u001B]*(?:[\\u0007\\u0018\\u001A]|\\u001B\\\\)?",
    "[PX^_][^\\u0018\\u001A\\u001B]*(?:[\\u0018\\u001A]|\\u001B\\\\)?",
    "[\\u0020-\\u002F]*[\\u0030-\\u007E]?",
  ]
    .map((afterEscape) => `\\u001B${afterEscape}`)
    .join("|"),
  "g",
);

/** The text without its escape sequences; other control characters stay. */
export function withoutEscapes(text: string): string {
  return text.replaceAll(escapeSequence, "");
}

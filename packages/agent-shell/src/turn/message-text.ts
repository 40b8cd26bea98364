// Text of commands and files inside a message: its tail, in a fence that it cannot break out of, and durations.

const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;

/** The last bytes of a text in UTF-8, cut on a character boundary. */
export function tailOf(text: string, maxBytes: number): string {
  // Each UTF-16 unit makes at most three bytes: most texts need no encoding to be known as short.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  let start = bytes.length - maxBytes;
  while (start < bytes.length && ((bytes[start] ?? 0) & CONTINUATION_MASK) === CONTINUATION) start += 1;
  return bytes.toString("utf8", start);
}

/** Puts text in a fenced block whose fence is longer than any run of backticks in it. */
export function fence(text: string): string {
  let longest = 2;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  const marks = "`".repeat(longest + 1);
  return `${marks}\n${text}${text.endsWith("\n") ? "" : "\n"}${marks}`;
}

export function inlineCode(text: string): string {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  const marks = "`".repeat(longest + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${marks}${pad}${text}${pad}${marks}`;
}

/** The beginning of a text that is longer than allowed, with its size; whole characters only. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const size = `… (${Buffer.byteLength(text)} bytes)`;
  return `${text.slice(0, maxLength - size.length).replace(/[\uD800-\uDBFF]$/, "")}${size}`;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** Writes a duration as `12 ms`, `3.4 s` or `2 min 5 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < SECOND_MS) return `${Math.round(durationMs)} ms`;
  if (durationMs < MINUTE_MS) return `${(Math.floor(durationMs / 100) / 10).toFixed(1)} s`;
  const minutes = Math.floor(durationMs / MINUTE_MS);
  return `${minutes} min ${Math.floor((durationMs % MINUTE_MS) / SECOND_MS)} s`;
}

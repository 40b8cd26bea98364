// Text that is safe to show and to paste: control sequences are shown instead of executed (C21), and words are quoted for a shell.

/**
 * C0 and C1 controls and DEL steer a terminal; the marks of direction make text read otherwise than it runs,
 * and the line and paragraph separators break lines where nobody sees it.
 */
const unsafe = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;
/** The same, but for newlines and tabs. */
const unsafeInLines =
  /(?![\n\t])[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u001B": "\\e" };

/** One line in which nothing steers the terminal; breaks and tabs are shown too, since they hide what follows them. */
export function safeText(text: string): string {
  return text.replaceAll(unsafe, shown);
}

/** Lines in which nothing but newlines and tabs steers the terminal; a break of another system's kind is a newline. */
export function safeLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(unsafeInLines, shown);
}

/** A value as one line of JSON in which nothing steers the terminal: what JSON leaves as it is, is escaped too. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(unsafe, escaped);
}

function shown(character: string): string {
  return named[character] ?? escaped(character);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A word of a command line, also one with blanks or quotes in it. */
export function quote(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

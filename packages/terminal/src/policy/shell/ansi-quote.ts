// Reads `$'…'`, whose escapes are those of ANSI C.
import type { Source } from "./source.ts";

const single: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001B",
  E: "\u001B",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

const coded = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3}))/y;

/** The value and the length of the quote at the cursor; without a text if it holds bytes that are no characters. */
export function readAnsiQuote(source: Source): {
  readonly text: string | undefined;
  readonly length: number;
} {
  const start = source.at;
  const { text: line } = source;
  let text: string | undefined = "";
  let at = start + 2;
  for (;;) {
    const character = line.charAt(at);
    if (character === "" || character === "\0") throw source.error("$' without an end", start);
    if (character === "'") return { text, length: at + 1 - start };
    if (character !== "\\") {
      text = text === undefined ? undefined : text + character;
      at += 1;
      continue;
    }
    const { value, length } = readEscape(line, at);
    text = text === undefined || value === undefined ? undefined : text + value;
    at += length;
  }
}

/** Only ASCII: NUL ends a string, and a byte above 127 is part of a character at best. */
function readEscape(
  line: string,
  at: number,
): { readonly value: string | undefined; readonly length: number } {
  coded.lastIndex = at;
  const found = coded.exec(line);
  if (found === null) return { value: single[line.charAt(at + 1)], length: 2 };
  const [all, hex, short, long, octal] = found;
  const code =
    octal === undefined ? Number.parseInt(hex ?? short ?? long ?? "", 16) : Number.parseInt(octal, 8);
  return { value: code > 0 && code < 128 ? String.fromCharCode(code) : undefined, length: all.length };
}

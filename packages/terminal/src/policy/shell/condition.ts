// `[[ … ]]`: runs nothing, but numeric operators and `-v` evaluate what they compare.
import type { Source } from "./source.ts";
import type { Tokens } from "./tokens.ts";
import type { WordReader } from "./word-reader.ts";

const end = /\]\](?=[ \t\n;&|<>()]|$)/y;
const evaluating = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;

/** Reads a condition after its opening word, up to and including the closing one. */
export function readCondition(
  source: Source,
  tokens: Tokens,
  words: WordReader,
  report: (reason: string, at: number) => void,
): void {
  for (;;) {
    tokens.skipLines();
    const start = source.at;
    if (source.isAt(end)) break;
    if (source.isAtEnd) throw source.error("[[ without an end");
    if (tokens.takeAny(["&&", "||", "(", ")"])) continue;
    if (/[<>]/.test(source.peek()) && source.peek(1) !== "(") {
      source.at += 1;
      continue;
    }
    const value = words.read()?.word.value;
    if (source.at === start) throw tokens.unexpected();
    if (value === "=~") throw source.error("regular expression", start);
    if (value !== undefined && evaluating.test(value)) report(`${value} evaluates a value`, start);
  }
  source.at += 2;
}

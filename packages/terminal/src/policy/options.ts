// The options that a command may have: a closed list, so that an option nobody thought of never counts as harmless.
import { MAYBE, NO, YES, type Match } from "./match.ts";
import type { ShellWord } from "./shell/shell-line.ts";

type Value = "none" | "optional" | "required";

/** A list of options, compiled. */
export interface OptionList {
  readonly short: ReadonlyMap<string, Value>;
  readonly long: ReadonlyMap<string, Value>;
  readonly isWordStyle: boolean;
}

/** How the arguments of a command read by a list of options. */
export interface ReadArguments {
  readonly match: Match;
  /** Arguments that are neither options nor their values. */
  readonly operands: readonly ShellWord[];
  /** Values of options, as words. */
  readonly values: readonly ShellWord[];
}

/** Reads `-al -n: --all --format= --color=? -5`: flags, a value after `:`, a long option with a value, with an optional one. */
export function compileOptions(text: string, isWordStyle: boolean): OptionList {
  const short = new Map<string, Value>();
  const long = new Map<string, Value>();
  for (const token of text.split(/\s+/).filter((each) => each !== "")) {
    if (token.startsWith("--") || isWordStyle) {
      const value = token.endsWith("=?") ? "optional" : /[=:]$/.test(token) ? "required" : "none";
      long.set(token.replace(/(?:=\??|:)$/, ""), value);
      continue;
    }
    if (token.endsWith(":")) short.set(token.charAt(1), "required");
    else for (const letter of token.slice(1)) short.set(letter, "none");
  }
  return { short, long, isWordStyle };
}

/** Reads arguments; anything that may be an option outside the list makes the match uncertain or none. */
export function readArguments(list: OptionList, words: readonly ShellWord[]): ReadArguments {
  const operands: ShellWord[] = [];
  const values: ShellWord[] = [];
  let match: Match = YES;
  let isAfterDashes = false;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) continue;
    if (isAfterDashes || isOperand(word)) {
      operands.push(word);
      continue;
    }
    if (word.value === undefined) {
      match = MAYBE;
      operands.push(word);
      continue;
    }
    if (word.value === "--" && !list.isWordStyle) {
      isAfterDashes = true;
      continue;
    }
    const read = readOption(list, word.value);
    if (read === "unknown") return { match: NO, operands, values };
    if (read === "takes next") {
      index += 1;
      const value = words[index];
      if (value === undefined) return { match: NO, operands, values };
      if (value.count !== "one") match = MAYBE;
      values.push(value);
    }
  }
  return { match, operands, values };
}

/** Certainly no option: it begins with something else than a dash. */
function isOperand({ value, prefix, count }: ShellWord): boolean {
  if (value !== undefined) return !value.startsWith("-") || value === "-";
  return count !== "any" && prefix !== "" && !prefix.startsWith("-");
}

function readOption(
  { short, long, isWordStyle }: OptionList,
  text: string,
): "unknown" | "done" | "takes next" {
  if (text.startsWith("--") || isWordStyle) {
    const equals = text.indexOf("=");
    const value = long.get(equals === -1 ? text : text.slice(0, equals));
    if (value === undefined) return "unknown";
    if (equals !== -1) return value === "none" || isWordStyle ? "unknown" : "done";
    return value === "required" ? "takes next" : "done";
  }
  for (let at = 1; at < text.length; at += 1) {
    const value = short.get(text.charAt(at));
    if (value === undefined) return "unknown";
    if (value === "required") return at + 1 < text.length ? "done" : "takes next";
  }
  return "done";
}

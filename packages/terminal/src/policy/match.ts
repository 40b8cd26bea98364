// Three-valued matching: a rule applies, does not apply, or may apply, because words of the command are unknown.
import type { Pattern } from "./glob.ts";
import type { ShellWord } from "./shell/shell-line.ts";

/** Ordered: the smaller of two holds for both, the larger for either. */
export const NO = 0;
export const MAYBE = 1;
export const YES = 2;
export type Match = typeof NO | typeof MAYBE | typeof YES;

export function both(one: Match, other: Match): Match {
  return one < other ? one : other;
}

export function either(one: Match, other: Match): Match {
  return one > other ? one : other;
}

export function matchIf(condition: boolean): Match {
  return condition ? YES : NO;
}

/** A pattern of one word, or `**` for any number of words. */
export interface WordPattern {
  readonly text: string;
  readonly isGap: boolean;
  readonly expression: Pattern;
  readonly prefix: string;
}

/** Whether one word matches a pattern. */
export function matchWord(pattern: WordPattern, word: ShellWord): Match {
  if (word.value !== undefined) return matchIf(pattern.expression.test(word.value));
  if (pattern.text === "*" && word.count === "one") return YES;
  if (word.count === "any") return MAYBE;
  const isPossible = word.prefix.startsWith(pattern.prefix) || pattern.prefix.startsWith(word.prefix);
  return isPossible ? MAYBE : NO;
}

/** Whether words match patterns in order. */
export function matchWords(patterns: readonly WordPattern[], words: readonly ShellWord[]): Match {
  // Most patterns begin with plain words, and most commands with others.
  let match: Match = YES;
  let start = 0;
  for (; start < patterns.length; start += 1) {
    const pattern = patterns[start];
    const word = words[start];
    if (pattern === undefined || pattern.isGap || word === undefined || word.count !== "one") break;
    match = both(match, matchWord(pattern, word));
    if (match === NO) return NO;
  }
  const isRest = start === patterns.length - 1 && patterns[start]?.isGap === true;
  if (isRest || (start === patterns.length && start === words.length)) return match;
  return both(match, matchRest(patterns.slice(start), words.slice(start)));
}

/** Row by row from the end; each cell depends on the row after it. */
function matchRest(patterns: readonly WordPattern[], words: readonly ShellWord[]): Match {
  const last = patterns.length;
  let next: Match[] = Array.from({ length: last + 1 }, () => NO);
  next[last] = YES;
  for (let index = last - 1; index >= 0 && patterns[index]?.isGap === true; index -= 1) next[index] = YES;
  for (let row = words.length - 1; row >= 0; row -= 1) {
    const word = words[row];
    if (word !== undefined) next = matchRow(patterns, word, next);
  }
  return next[0] ?? NO;
}

function matchRow(patterns: readonly WordPattern[], word: ShellWord, next: readonly Match[]): Match[] {
  const last = patterns.length;
  const row: Match[] = Array.from({ length: last + 1 }, () => NO);
  // A word that may vanish or multiply is never certain to be matched.
  row[last] = word.count === "any" ? both(MAYBE, next[last] ?? NO) : NO;
  for (let index = last - 1; index >= 0; index -= 1) {
    const pattern = patterns[index];
    if (pattern === undefined) continue;
    const here = next[index] ?? NO;
    const after = next[index + 1] ?? NO;
    if (pattern.isGap) {
      row[index] = either(row[index + 1] ?? NO, here);
      continue;
    }
    const match = matchWord(pattern, word);
    if (word.count === "one") {
      row[index] = both(match, after);
      continue;
    }
    const consumed = either(after, row[index + 1] ?? NO);
    const skipped = word.count === "any" ? here : NO;
    row[index] = both(MAYBE, either(both(match, consumed), skipped));
  }
  return row;
}

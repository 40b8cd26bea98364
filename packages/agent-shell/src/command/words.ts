// The words that follow a slash command; quotes keep a word with spaces together.

/** A word and what follows it, less the one blank or line break between them. */
export interface TakenWord {
  readonly word: string;
  readonly rest: string;
}

/** Takes the first word of a text, if there is one. */
export function takeWord(text: string): TakenWord | undefined {
  const match = /^\s*(?:"([^"]*)"|'([^']*)'|(\S+))(?:\r?\n|\s|$)/.exec(text);
  if (match === null) return undefined;
  return { word: match[1] ?? match[2] ?? match[3] ?? "", rest: text.slice(match[0].length) };
}

/** Takes all words of a text. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (let taken = takeWord(text); taken !== undefined; taken = takeWord(taken.rest)) words.push(taken.word);
  return words;
}

/** Reads a whole number within bounds; `undefined` for anything else. */
export function readCount(word: string, least: number, most: number): number | undefined {
  if (!/^\d+$/.test(word)) return undefined;
  const count = Number(word);
  return count >= least && count <= most ? count : undefined;
}

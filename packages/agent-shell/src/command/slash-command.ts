// A command of the agent itself, typed with a slash.
import type { Turn } from "../turn/turn.ts";

/** A command that the agent runs without a shell. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** Description of the input after the name. */
  readonly hint?: string;
  run(turn: Turn, input: string): Promise<void>;
}

export function usageOf({ name, hint }: Pick<SlashCommand, "name" | "hint">): string {
  return hint === undefined ? `/${name}` : `/${name} ${hint}`;
}

/** A word and what follows it, less the one blank or line break between them. */
interface TakenWord {
  readonly word: string;
  readonly rest: string;
}

/** Takes the first word of a text, if there is one. */
export function takeWord(text: string): TakenWord | undefined {
  const match = /^\s*(?:"([^"]*)"|'([^']*)'|(\S+))(?:\r?\n|\s|$)/.exec(text);
  if (match === null) return undefined;
  return { word: match[1] ?? match[2] ?? match[3] ?? "", rest: text.slice(match[0].length) };
}

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

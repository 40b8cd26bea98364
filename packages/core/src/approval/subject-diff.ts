// The part of a file that a write would change, bounded, for people to look at before they decide.
import type { SubjectDiff } from "@holdfast/ahp";

/** How much of each side is shown; the content of the file itself is not bounded. */
const maxSideChars = 4096;

/** The lines in which two texts differ; undefined where they are equal. */
export function diffTexts(before: string, after: string): SubjectDiff | undefined {
  if (before === after) return undefined;
  const from = linesOf(before);
  const to = linesOf(after);
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < shorter - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  const cut = (lines: readonly string[]): string => lines.slice(start, lines.length - end).join("");
  const sides = [bound(cut(from)), bound(cut(to))] as const;
  const omittedChars = sides[0].omitted + sides[1].omitted;
  return {
    line: start + 1,
    before: sides[0].text,
    after: sides[1].text,
    ...(omittedChars > 0 && { omittedChars }),
  };
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

/** The beginning of a text, in whole characters. */
function bound(text: string): { readonly text: string; readonly omitted: number } {
  if (text.length <= maxSideChars) return { text, omitted: 0 };
  const start = text.slice(0, maxSideChars).replace(/[\uD800-\uDBFF]$/, "");
  return { text: start, omitted: text.length - start.length };
}

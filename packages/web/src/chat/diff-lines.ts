// A difference between two texts as lines with their numbers, unified or side by side.
import { structuredPatch } from "diff";
import type { CodeRuns } from "./code-runs.ts";

export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  /** Absent for an added line. */
  readonly oldNumber?: number;
  /** Absent for a removed line. */
  readonly newNumber?: number;
  readonly text: string;
}

export type DiffRow = DiffLine | { readonly kind: "gap"; readonly newStart: number };

/** A difference that takes longer is given up. */
const timeoutMs = 500;
const contextLines = 3;

/** The lines that differ with three around them; undefined where finding them takes too long. */
export function diffRows(before: string, after: string): DiffRow[] | undefined {
  const patch = structuredPatch("", "", before, after, "", "", { context: contextLines, timeout: timeoutMs });
  return patch?.hunks.flatMap(({ oldStart, newStart, lines }, index): DiffRow[] => {
    let oldNumber = oldStart;
    let newNumber = newStart;
    const rows = lines.flatMap((line): DiffRow[] => {
      const text = line.slice(1);
      switch (line.charAt(0)) {
        case "+":
          return [{ kind: "added", newNumber: newNumber++, text }];
        case "-":
          return [{ kind: "removed", oldNumber: oldNumber++, text }];
        case " ":
          return [{ kind: "same", oldNumber: oldNumber++, newNumber: newNumber++, text }];
        default:
          // "\ No newline at end of file"
          return [];
      }
    });
    const isFromStart = index === 0 && oldStart <= 1 && newStart <= 1;
    return isFromStart ? rows : [{ kind: "gap", newStart }, ...rows];
  });
}

/** One line of two columns; a side is absent where the other has no counterpart. */
export type PairedRow =
  | { readonly kind: "gap"; readonly newStart: number }
  | { readonly kind: "pair"; readonly left: DiffLine | undefined; readonly right: DiffLine | undefined };

/** The rows side by side: removed lines stand beside the added ones that follow them. */
export function pairRows(rows: readonly DiffRow[]): PairedRow[] {
  const pairs: PairedRow[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      pairs.push({ kind: "pair", left: removed[index], right: added[index] });
    }
    removed = [];
    added = [];
  };
  for (const row of rows) {
    if (row.kind === "added") added.push(row);
    else if (row.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(row);
    } else {
      flush();
      pairs.push(row.kind === "gap" ? row : { kind: "pair", left: row, right: row });
    }
  }
  flush();
  return pairs;
}

/** A piece of a line in one colour. */
export interface ColouredPiece {
  readonly text: string;
  readonly colour: string | undefined;
}

/** The pieces of each line of a code, from the colours of all of it. */
export function colouredLines(code: string, { ends, colours, palette }: CodeRuns): ColouredPiece[][] {
  const lines: ColouredPiece[][] = [[]];
  let start = 0;
  for (const [run, end] of ends.entries()) {
    const text = code.slice(start, end);
    start = end;
    const isLineEnd = text.endsWith("\n");
    const content = isLineEnd ? text.slice(0, -1) : text;
    if (content !== "") lines.at(-1)?.push({ text: content, colour: palette[(colours[run] ?? 0) - 1] });
    if (isLineEnd) lines.push([]);
  }
  return lines;
}

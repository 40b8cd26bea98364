// Joins two actions of a terminal that follow one another into one that does the same.
import type { TerminalAction } from "./terminal-actions.ts";

/** One action in place of two adjacent ones, or `undefined` when they must stay apart: output joins where no byte is missing (M6). */
export function mergeTerminalActions(
  earlier: TerminalAction,
  later: TerminalAction,
): TerminalAction | undefined {
  if (
    earlier.type !== "terminal/data" ||
    later.type !== "terminal/data" ||
    earlier.endOffset !== later.offset
  ) {
    return undefined;
  }
  return { ...earlier, data: earlier.data + later.data, endOffset: later.endOffset };
}

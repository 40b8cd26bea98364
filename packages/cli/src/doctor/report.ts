// Tells findings to people: one line for each, and below it what mends it.
import type { Paint } from "../paint.ts";
import { safeText } from "../safe-text.ts";
import type { Finding, FindingState } from "./finding.ts";

/** The lines for people, with a sum at the end. */
export function reportLines(findings: readonly Finding[], paint: Paint): string[] {
  const colours: Readonly<Record<FindingState, (text: string) => string>> = {
    ok: paint.green,
    note: paint.yellow,
    mend: paint.red,
  };
  const width = Math.max(...findings.map(({ title }) => title.length));
  const indent = " ".repeat(width + 8);
  const lines = findings.flatMap(({ state, title, summary, remedy, command }) => [
    `${colours[state](state.padEnd(4))}  ${paint.bold(title.padEnd(width))}  ${safeText(summary)}`,
    ...(remedy === undefined ? [] : [`${indent}${safeText(remedy)}`]),
    ...(command === undefined ? [] : [`${indent}${paint.blue(`$ ${command}`)}`]),
  ]);
  return [...lines, "", sum(findings)];
}

function sum(findings: readonly Finding[]): string {
  const count = (state: FindingState): number => findings.filter((each) => each.state === state).length;
  const notes = count("note");
  const beside = notes === 0 ? "" : ` ${notes} ${notes === 1 ? "note" : "notes"} beside.`;
  const faults = count("mend");
  if (faults === 0) return `Nothing needs mending.${beside}`;
  return `${faults} ${faults === 1 ? "thing needs" : "things need"} mending.${beside}`;
}

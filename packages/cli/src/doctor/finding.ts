// Findings of `holdfast doctor`: state, summary and fix of each check, and the report for people.
import type { Paint } from "../console.ts";
import { safeText } from "../safe-text.ts";
import { count } from "../plural.ts";

/** Fine; worth knowing, although nothing fails; or a problem. */
type FindingState = "ok" | "note" | "fix";

export interface Finding {
  /** Names it for programs: `port`, `agent:gemini-cli`. */
  readonly id: string;
  readonly title: string;
  readonly state: FindingState;
  /** Current state, as a sentence without its full stop. */
  readonly summary: string;
  /** Instruction, where the command alone is not enough. */
  readonly remedy?: string | undefined;
  readonly command?: string | undefined;
}

export type CheckResult = Omit<Finding, "id" | "title">;

export function ok(summary: string): CheckResult {
  return { state: "ok", summary };
}

/** Worth knowing; everything works without it, if less well. */
export function note(summary: string, cure: Pick<CheckResult, "remedy" | "command"> = {}): CheckResult {
  return { state: "note", summary, ...cure };
}

/** Something fails as long as this is so. */
export function fix(summary: string, cure: Pick<CheckResult, "remedy" | "command">): CheckResult {
  return { state: "fix", summary, ...cure };
}

export function reportLines(findings: readonly Finding[], paint: Paint): string[] {
  const colours: Readonly<Record<FindingState, (text: string) => string>> = {
    ok: paint.green,
    note: paint.yellow,
    fix: paint.red,
  };
  const width = Math.max(...findings.map(({ title }) => title.length));
  const indent = " ".repeat(width + 8);
  const lines = findings.flatMap(({ state, title, summary, remedy, command }) => [
    `${colours[state](state.padEnd(4))}  ${paint.bold(title.padEnd(width))}  ${safeText(summary)}`,
    ...(remedy === undefined ? [] : [`${indent}${safeText(remedy)}`]),
    ...(command === undefined ? [] : [`${indent}${paint.blue(`$ ${safeText(command)}`)}`]),
  ]);
  return [...lines, "", totals(findings)];
}

function totals(findings: readonly Finding[]): string {
  const amount = (state: FindingState): number => findings.filter((each) => each.state === state).length;
  const problems = amount("fix");
  const notes = amount("note");
  return (
    [
      problems === 0 ? "No problems" : count(problems, "problem"),
      ...(notes === 0 ? [] : [count(notes, "note")]),
    ].join(", ") + "."
  );
}

// Asks for a permission where the turn is shown: what exactly would be done, where, and the agent's own answers (C23).
import type { Paint } from "../../paint.ts";
import { safeLines, safeText } from "../../safe-text.ts";
import type { ApprovalRequest } from "./question.ts";
import { commandOf, fieldsOf } from "./tool-call-lines.ts";

/** Lines of an input that is no command line; a file's whole text would push the question off the screen. */
const maxInputLines = 40;

const letters: Readonly<Record<string, string>> = {
  allow_once: "y",
  allow_always: "a",
  reject_once: "n",
  reject_always: "d",
};

/** The letter that an answer of this kind goes by. */
export function letterOf(kind: string): string | undefined {
  return letters[kind];
}

/** The question in words. What would be done stands behind a bar, so that none of it can pass for a line of ours. */
export function describeApproval(request: ApprovalRequest, paint: Paint): string {
  const { action, target, title, rawInput } = request;
  const command = commandOf(rawInput);
  const { cwd, command: _command, ...input } = fieldsOf(rawInput);
  const heading = title === undefined || title === target || title === command ? "" : `: ${safeText(title)}`;
  const lines = [paint.yellow(`The agent asks to ${safeText(action)}${heading}`), ...barred(target, paint)];
  if (command !== undefined && command !== target) lines.push(...barred(command, paint));
  const rest = Object.keys(input).length === 0 ? [] : barred(JSON.stringify(input, undefined, 2), paint);
  lines.push(...shorten(rest));
  if (typeof cwd === "string") lines.push(paint.dim(`  in ${safeText(cwd)}`));
  return `${lines.join("\n")}\n`;
}

function barred(text: string, paint: Paint): string[] {
  return safeLines(text)
    .split("\n")
    .map((line) => `  ${paint.dim("│")} ${paint.bold(line)}`);
}

function shorten(lines: readonly string[]): readonly string[] {
  if (lines.length <= maxInputLines) return lines;
  return [...lines.slice(0, maxInputLines), `  and ${lines.length - maxInputLines} more lines`];
}

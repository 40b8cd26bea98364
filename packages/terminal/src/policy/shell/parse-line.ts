// Parses a shell line into simple commands.
import { Parser } from "./parser.ts";
import type { ShellDialect, ShellLine, ShellProblem, SimpleCommand } from "./shell-line.ts";

/** How a line is read. */
export interface ParseOptions {
  /** Default: bash. */
  readonly dialect?: ShellDialect | undefined;
  /** The directory that `~` stands for; without it the value is unknown. */
  readonly home?: string | undefined;
}

/** Longer lines are not parsed. */
const maxLength = 65_536;

/** Never throws: what is not understood is a problem of the result. */
export function parseShellLine(text: string, { dialect = "bash", home }: ParseOptions = {}): ShellLine {
  const commands: SimpleCommand[] = [];
  const problems: ShellProblem[] = [];
  const variables = new Set<string>();
  if (text.length > maxLength) {
    problems.push({ kind: "syntax", reason: `longer than ${maxLength} characters`, at: maxLength });
  } else new Parser(text, { commands, problems, variables }, { dialect, home, depth: 0 }).readAll();
  return { commands, problems, variables };
}

// The property of every line: whatever a shell really executes was predicted, or the line is one to ask about.
import { join } from "node:path";
import { takeApart, type CommandPart } from "../policy/parts.ts";
import type { ShellWord } from "../policy/shell/shell-line.ts";
import { isHarmless, type Observed, type ShellOracle } from "./shell-oracle.ts";

/** How a line went, for counting. */
export type LineOutcome = "not run" | "asked" | "no end" | "compared";

/** Longer than any line of this size takes. */
const parseBoundMs = 1000;

/** Throws where the parser promised something else than the shell did. */
export async function checkLine(oracle: ShellOracle, line: string): Promise<LineOutcome> {
  const startedMs = performance.now();
  const { folder } = oracle;
  const subject = { kind: "command", cwd: folder, roots: [folder], home: folder, run: { line } } as const;
  const { parts, problems } = takeApart(subject);
  if (performance.now() - startedMs > parseBoundMs) throw new Error("parsing took too long");
  if (problems.length > 0) return "asked";
  if (!isHarmless(line)) return "not run";
  const observed = await oracle.run(line);
  if (observed === undefined) return "no end";
  const commands = parts.filter((part) => part.kind === "command");
  checkExecutions(commands, observed);
  for (const file of observed.written) {
    const isPredicted = parts.some(
      (part) => part.kind === "write" && (part.path.kind !== "path" || part.path.path === join(folder, file)),
    );
    if (!isPredicted) throw new Error(`wrote ${file}, which was not predicted`);
  }
  return "compared";
}

function checkExecutions(commands: readonly CommandPart[], { executions }: Observed): void {
  for (const { argv, cwd } of executions) {
    const alike = commands.filter(({ words }) => canBecome(words, argv));
    if (alike.length === 0) throw new Error(`ran ${JSON.stringify(argv)}, which was not predicted`);
    if (!alike.some(({ folder }) => folder === undefined || folder === cwd)) {
      throw new Error(`ran ${JSON.stringify(argv)} in ${cwd}, which was not predicted`);
    }
  }
}

/** Whether words can become these arguments; slow and simple. */
function canBecome(words: readonly ShellWord[], argv: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return argv.length === 0;
  const [first] = argv;
  const begins = first !== undefined && first.startsWith(word.prefix);
  if (word.value !== undefined) return first === word.value && canBecome(rest, argv.slice(1));
  switch (word.count) {
    case "one":
      return begins && canBecome(rest, argv.slice(1));
    case "some":
      return begins && (canBecome(rest, argv.slice(1)) || canBecome(words, argv.slice(1)));
    case "any":
      return canBecome(rest, argv) || (first !== undefined && canBecome(words, argv.slice(1)));
  }
}

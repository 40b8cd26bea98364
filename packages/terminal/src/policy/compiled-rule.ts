// A rule made ready for matching, with its rank among others.
import { literalLength, literalPrefix, type Pattern, wordPattern } from "./glob.ts";
import type { WordPattern } from "./match.ts";
import { compileOptions, type OptionList } from "./options.ts";
import { type Effect, listOf, type Patterns, type Rule, type SubjectKind } from "./rule.ts";

/** Names a rule in explanations and in the audit. */
export interface RuleName {
  readonly id: string;
  /** The file or preset that holds it. */
  readonly source: string;
  readonly effect: Effect;
  readonly reason?: string | undefined;
}

export interface CompiledRule {
  readonly name: RuleName;
  readonly effect: Effect;
  readonly on: ReadonlySet<SubjectKind>;
  /** Undefined: every command. */
  readonly command: readonly WordPattern[] | undefined;
  readonly with: readonly WordPattern[];
  readonly options: OptionList | undefined;
  readonly texts: number;
  readonly textLike: RegExp | undefined;
  readonly operands: number;
  readonly paths: readonly string[];
  readonly cwd: readonly string[];
  readonly env: readonly Pattern[];
  readonly agent: readonly Pattern[];
  readonly app: readonly Pattern[];
  readonly tools: readonly Pattern[];
  /** Compared from the first number on; the last ones make it a total order. */
  readonly rank: readonly number[];
}

const everything: readonly SubjectKind[] = ["command", "read", "write", "tool"];
const files: readonly SubjectKind[] = ["command", "read", "write"];
const strictness: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** A rule that names several commands becomes one for each, because each has its own rank. */
export function compileRule(rule: Rule, source: string, index: number, layer: number): CompiledRule[] {
  const name: RuleName = {
    id: rule.id ?? `rule ${index + 1}`,
    source,
    effect: rule.effect,
    ...(rule.reason !== undefined && { reason: rule.reason }),
  };
  const commands = rule.command === undefined ? [undefined] : listOf(rule.command);
  return commands.map((command) => {
    const isWordStyle = rule.wordOptions === true;
    return {
      name,
      effect: rule.effect,
      on: new Set(subjectsOf(rule)),
      command: command === undefined ? undefined : compileWords(command),
      with: listOf(rule.with).map(compileWord),
      options: rule.options === undefined ? undefined : compileOptions(rule.options, isWordStyle),
      texts: rule.texts ?? 0,
      textLike: rule.textLike === undefined ? undefined : new RegExp(`^(?:${rule.textLike})$`, "u"),
      operands: rule.operands ?? Number.POSITIVE_INFINITY,
      paths: listOf(rule.paths),
      cwd: listOf(rule.cwd),
      env: listOf(rule.env).map(wordPattern),
      agent: listOf(rule.agent).map(wordPattern),
      app: listOf(rule.app).map(wordPattern),
      tools: listOf(rule.tools).map(wordPattern),
      rank: rankOf(rule, command, index, layer),
    };
  });
}

/** The more specific rule first. No two rules are equal. */
export function compareRank(one: CompiledRule, other: CompiledRule): number {
  for (const [index, number] of one.rank.entries()) {
    const difference = (other.rank[index] ?? 0) - number;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** See the order in docs/policy.md, which this is. */
function rankOf(rule: Rule, command: string | undefined, index: number, layer: number): number[] {
  const words = command === undefined ? [] : splitWords(command);
  const longest = (patterns: Patterns | undefined): number =>
    Math.max(0, ...listOf(patterns).map((pattern) => literalLength(pattern)));
  return [
    layer,
    words.filter((word) => literalLength(word) === word.length).length,
    words.reduce((sum, word) => sum + literalLength(word), 0),
    (rule.with === undefined ? 0 : 1) + (rule.options === undefined ? 0 : 1),
    longest(rule.paths),
    longest(rule.cwd),
    longest(rule.agent),
    longest(rule.app),
    longest(rule.env),
    longest(rule.tools),
    rule.on === undefined ? 0 : everything.length - listOf(rule.on).length,
    strictness[rule.effect],
    index,
  ];
}

function subjectsOf(rule: Rule): readonly SubjectKind[] {
  if (rule.on !== undefined) return listOf(rule.on);
  const isAboutCommands = [rule.command, rule.with, rule.options, rule.env].some(
    (each) => each !== undefined,
  );
  if (isAboutCommands) return ["command"];
  if (rule.tools !== undefined) return ["tool"];
  return rule.paths === undefined ? everything : files;
}

function splitWords(command: string): string[] {
  return command.split(/\s+/).filter((word) => word !== "");
}

function compileWords(command: string): WordPattern[] {
  return splitWords(command).map(compileWord);
}

function compileWord(text: string): WordPattern {
  return { text, isGap: text === "**", expression: wordPattern(text), prefix: literalPrefix(text) };
}

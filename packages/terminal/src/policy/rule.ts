// Rules as people write them, in a policy file or in code.

/** The effect of a decision on something that an agent wants to do. */
export type Effect = "allow" | "ask" | "deny";

/** Subjects of rules: a command, a file that is read or written, or a tool call that an agent describes. */
export type SubjectKind = "command" | "read" | "write" | "tool";

/** One pattern or several, of which any may match. */
export type Patterns = string | readonly string[];

/** A rule. Every condition that it names must hold. */
export interface Rule {
  /** Its name in explanations and in the audit; its place in the list if left out. */
  readonly id?: string | undefined;
  readonly effect: Effect;
  /** Shown to the agent and to people when the rule decides. */
  readonly reason?: string | undefined;
  /** The subjects of the rule. Default: commands if it has a condition on them, else everything. */
  readonly on?: SubjectKind | readonly SubjectKind[] | undefined;
  /** Program and arguments, word by word: `*` matches within a word, `**` any number of words. */
  readonly command?: Patterns | undefined;
  /** The command has an argument that matches one of these. */
  readonly with?: Patterns | undefined;
  /** The only options that the command has after the words of `command`: `-al`, `-n:`, `--all`, `--format=`, `--color=?`. */
  readonly options?: string | undefined;
  /** Whether options are words such as `-name`, as those of find. */
  readonly wordOptions?: boolean | undefined;
  /** How many operands are text instead of paths, such as the pattern of grep. */
  readonly texts?: number | undefined;
  /** A regular expression that these operands match as a whole. */
  readonly textLike?: string | undefined;
  /** At most so many operands, beside options; needs `options`. */
  readonly operands?: number | undefined;
  /** Absolute patterns of paths; `~` is the home directory, `$ROOT` each folder of the session, `**` any depth. */
  readonly paths?: Patterns | undefined;
  /** The same for the working directory. */
  readonly cwd?: Patterns | undefined;
  /** Names of environment variables that are changed. An allow rule accepts only these; others match any of them. */
  readonly env?: Patterns | undefined;
  readonly agent?: Patterns | undefined;
  readonly app?: Patterns | undefined;
  /** Kinds of tool calls: read, edit, execute … */
  readonly tools?: Patterns | undefined;
}

/** Rules with what holds where none matches. */
export interface RuleSet {
  /** Where the rules come from, for explanations. */
  readonly source: string;
  readonly rules: readonly Rule[];
  /** The effect where no rule matches; undefined leaves the decision to somebody else. */
  readonly otherwise?: Effect | undefined;
  /** The effect of a line that cannot be parsed or substitutes commands. Default: ask. */
  readonly opaque?: Effect | undefined;
}

/** The patterns as a list. */
export function listOf<Item>(items: Item | readonly Item[] | undefined): readonly Item[] {
  if (items === undefined) return [];
  return Array.isArray(items) ? (items as readonly Item[]) : [items as Item];
}

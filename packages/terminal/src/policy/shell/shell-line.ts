// A parsed shell line: simple commands with their words, and the reasons why it cannot be known in full.

/** The shell whose grammar is meant; `sh` may be dash or bash, so only what both read alike is understood. */
export type ShellDialect = "bash" | "sh";

/** How many arguments a word becomes: one; one or more that begin alike; or any number. */
export type WordCount = "one" | "some" | "any";

/** A word of a command. */
export interface ShellWord {
  /** As it stands in the line. */
  readonly source: string;
  /** Its value, if the text alone decides it. */
  readonly value: string | undefined;
  /** The beginning of the value; of every value, where the count is not `any`. */
  readonly prefix: string;
  readonly count: WordCount;
  /** Why the value is unknown. */
  readonly why?: string;
}

/** A file that a redirection opens. Duplicated descriptors and here-documents open none. */
export interface Redirection {
  readonly direction: "read" | "write";
  readonly target: ShellWord;
}

export interface Assignment {
  readonly name: string;
}

/** A program with its arguments, as one process would be started; without words it only assigns or redirects. */
export interface SimpleCommand {
  /** As it stands in the line. */
  readonly source: string;
  readonly assignments: readonly Assignment[];
  readonly words: readonly ShellWord[];
  readonly redirections: readonly Redirection[];
  /** The `cd` targets in force before it, one after the other; undefined if they depend on what happens. */
  readonly folders: readonly string[] | undefined;
}

/** Why a line cannot be decided by its simple commands alone. */
export interface ShellProblem {
  /** Not parsed; runs commands whose output becomes part of the line; or changes what later words mean. */
  readonly kind: "syntax" | "substitution" | "state";
  readonly reason: string;
  /** Offset in the line. */
  readonly at: number;
}

/** A parsed line. With a problem, `commands` holds those that were found before or besides it. */
export interface ShellLine {
  readonly commands: readonly SimpleCommand[];
  readonly problems: readonly ShellProblem[];
  /** Variables that the line sets outside a command's own prefix: loops, bare assignments, defaults. */
  readonly variables: ReadonlySet<string>;
}

/** Makes a word whose value is known. */
export function literalWord(value: string): ShellWord {
  return { source: value, value, prefix: value, count: "one" };
}

/** Any number of arguments that nobody knows, such as those that `xargs` appends. */
export function unknownWords(why: string): ShellWord {
  return { source: "…", value: undefined, prefix: "", count: "any", why };
}

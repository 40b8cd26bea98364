// Takes a command apart: what runs, inside which wrappers, and which files its redirections open.
import { resolvePath, type TouchedPath } from "./paths.ts";
import { parseShellLine } from "./shell/parse-line.ts";
import {
  literalWord,
  type Redirection,
  type ShellDialect,
  type ShellProblem,
  type ShellWord,
  type SimpleCommand,
} from "./shell/shell-line.ts";
import { readBuiltin } from "./builtins.ts";
import type { CommandSubject } from "./subject.ts";
import { unwrap } from "./wrappers.ts";

/** A program with its arguments. */
export interface CommandPart {
  readonly kind: "command";
  readonly source: string;
  readonly words: readonly ShellWord[];
  /** Names of the variables that differ from those of the host. */
  readonly variables: readonly string[];
  /** Its working directory; undefined if unknown. */
  readonly folder: string | undefined;
  /** Where no rule is about it, the commands inside decide alone. */
  readonly isTransparent: boolean;
}

/** A file that a redirection opens. */
export interface FilePart {
  readonly kind: "read" | "write";
  readonly source: string;
  readonly path: TouchedPath;
}

export interface TakenApart {
  readonly parts: readonly (CommandPart | FilePart)[];
  readonly problems: readonly ShellProblem[];
}

interface Place {
  readonly folder: string | undefined;
  readonly dialect: ShellDialect;
  readonly variables: readonly string[];
  readonly depth: number;
}

/** Wrappers inside wrappers, beyond which nothing is looked into. */
const maxWrappers = 8;

/** Devices that hold nothing. */
const harmlessFiles = new Set(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"]);

/** Takes a command apart. */
export function takeApart(subject: CommandSubject): TakenApart {
  const taking = new Taking(subject.home);
  const { run } = subject;
  const dialect = "line" in run ? (run.dialect ?? "bash") : "bash";
  const place = { folder: subject.cwd, dialect, variables: subject.env ?? [], depth: 0 };
  if ("line" in run) taking.takeLine(run.line, place);
  else taking.takeWords(run.argv.map(literalWord), run.argv.join(" "), place);
  return taking;
}

class Taking implements TakenApart {
  readonly parts: (CommandPart | FilePart)[] = [];
  readonly problems: ShellProblem[] = [];
  readonly #home: string | undefined;

  constructor(home: string | undefined) {
    this.#home = home;
  }

  takeLine(line: string, place: Place): void {
    const parsed = parseShellLine(line, { dialect: place.dialect, home: this.#home });
    this.problems.push(...parsed.problems);
    const variables = new Set([...place.variables, ...parsed.variables]);
    const effects = parsed.commands.map((command) => readBuiltin(command));
    for (const effect of effects) {
      for (const name of effect?.sets ?? []) variables.add(name);
      if (effect?.problem !== undefined) this.#report("state", effect.problem);
    }
    for (const command of parsed.commands) {
      const own = command.assignments.map(({ name }) => name);
      const folder = follow(place.folder, command.folders);
      this.#takeCommand(command, { ...place, folder, variables: [...variables, ...own] });
    }
  }

  #takeCommand({ words, redirections, source }: SimpleCommand, place: Place): void {
    for (const redirection of redirections) this.#takeFile(redirection, place);
    if (words.length > 0) this.takeWords(words, source, place);
  }

  takeWords(words: readonly ShellWord[], source: string, place: Place): void {
    const unwrapped = unwrap(words);
    const isTransparent = unwrapped?.isTransparent === true;
    const { folder, variables } = place;
    this.parts.push({ kind: "command", source, words, isTransparent, folder, variables });
    if (words[0]?.value === undefined) this.#report("state", "unknown program");
    if (unwrapped === undefined) return;
    if (unwrapped.unknown !== undefined) return this.#report("state", unwrapped.unknown);
    if (place.depth >= maxWrappers) return this.#report("state", "too many commands inside each other");
    for (const inner of unwrapped.inner) {
      const inside = { ...place, depth: place.depth + 1 };
      if (inner.kind === "script") {
        this.takeLine(inner.script, { ...inside, dialect: inner.dialect ?? place.dialect });
      } else {
        const text = inner.words.map((word) => word.source).join(" ");
        const effect = readBuiltin({ words: inner.words });
        if (effect?.problem !== undefined) this.#report("state", effect.problem);
        this.takeWords(inner.words, text, { ...inside, variables: [...place.variables, ...inner.variables] });
      }
    }
  }

  #takeFile({ direction, target }: Redirection, { folder }: Place): void {
    const path = target.value === undefined ? undefined : resolvePath(folder, target.value);
    if (path !== undefined && harmlessFiles.has(path)) return;
    this.parts.push({
      kind: direction,
      source: `${direction === "read" ? "<" : ">"} ${target.source}`,
      path: path === undefined ? { kind: "unknown" } : { kind: "path", path },
    });
  }

  #report(kind: ShellProblem["kind"], reason: string): void {
    this.problems.push({ kind, reason, at: 0 });
  }
}

function follow(folder: string | undefined, changes: readonly string[] | undefined): string | undefined {
  if (changes === undefined) return undefined;
  return changes.reduce<string | undefined>((from, change) => resolvePath(from, change), folder);
}

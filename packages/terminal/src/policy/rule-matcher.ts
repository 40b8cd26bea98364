// Decides whether a rule applies to a part of what an agent wants to do.
import type { CompiledRule } from "./compiled-rule.ts";
import { pathPattern } from "./glob.ts";
import {
  both,
  either,
  type Match,
  matchIf,
  matchWord,
  matchWords,
  MAYBE,
  NO,
  type WordPattern,
  YES,
} from "./match.ts";
import { type ReadArguments, readArguments } from "./options.ts";
import type { CommandPart, FilePart } from "./parts.ts";
import {
  compilePaths,
  matchPath,
  type PathPatterns,
  pathsOfWord,
  resolvePath,
  type TouchedPath,
} from "./paths.ts";
import { withoutGlobalOptions } from "./git-command.ts";
import type { ShellWord } from "./shell/shell-line.ts";
import type { Circumstances, ToolSubject } from "./subject.ts";

/** Something that a rule is matched against. */
export type Part = CommandPart | FilePart | ToolSubject;

/** Variables that change how output looks, or that only the line itself uses. */
const harmlessVariable =
  /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CI|TERM|COLORTERM|COLUMNS|LINES|GIT_TERMINAL_PROMPT|(?!path$|cdpath$|fpath$|prompt$|histchars$)[a-z][a-z0-9]*)$/;

/** Where a program that is named without a folder is found. */
const systemFolders = new Set(["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"]);

/** Matches rules for one agent in one place. */
export class RuleMatcher {
  readonly #where: Circumstances;
  readonly #patterns = new Map<string, PathPatterns>();

  constructor(where: Circumstances) {
    this.#where = where;
  }

  match(rule: CompiledRule, part: Part): Match {
    if (!rule.on.has(part.kind) || !this.#isFor(rule)) return NO;
    switch (part.kind) {
      case "tool": {
        const kind = part.toolKind;
        if (rule.tools.length > 0 && (kind === undefined || !rule.tools.some((each) => each.test(kind)))) {
          return NO;
        }
        return this.#matchFiles(
          rule,
          (part.paths ?? []).map((path) => ({ kind: "path", path })),
          part.cwd,
        );
      }
      case "read":
      case "write":
        return this.#matchFiles(rule, [part.path], this.#where.cwd);
      case "command": {
        const inner = withoutGlobalOptions(part);
        const match = this.#matchCommand(rule, part);
        return inner === undefined ? match : either(match, this.#matchCommand(rule, inner));
      }
    }
  }

  /** Whether the rule is about this agent and this app. */
  #isFor({ agent, app }: CompiledRule): boolean {
    const { agent: ownAgent, app: ownApp } = this.#where;
    if (agent.length > 0 && (ownAgent === undefined || !agent.some((each) => each.test(ownAgent)))) {
      return false;
    }
    return app.length === 0 || (ownApp !== undefined && app.some((each) => each.test(ownApp)));
  }

  #matchFiles(rule: CompiledRule, touched: readonly TouchedPath[], cwd: string): Match {
    return both(this.#matchFolder(rule, cwd), this.#matchPaths(rule, touched));
  }

  #matchFolder({ cwd }: CompiledRule, folder: string | undefined): Match {
    if (cwd.length === 0) return YES;
    return matchPath(
      this.#compile(cwd),
      folder === undefined ? { kind: "unknown" } : { kind: "path", path: folder },
    );
  }

  /** An allow rule needs every path to match, another rule any of them. */
  #matchPaths({ paths, effect }: CompiledRule, touched: readonly TouchedPath[]): Match {
    if (paths.length === 0) return YES;
    const patterns = this.#compile(paths);
    const matches = touched.flatMap((each) => this.#aliases(each)).map((each) => matchPath(patterns, each));
    if (effect === "allow") return matches.reduce<Match>(both, YES);
    return matches.reduce<Match>(either, NO);
  }

  /** The path as written, and where its links lead. */
  #aliases(touched: TouchedPath): TouchedPath[] {
    const { realPath } = this.#where;
    if (realPath === undefined || touched.kind === "unknown") return [touched];
    return touched.kind === "path"
      ? [touched, { kind: "path", path: realPath(touched.path) }]
      : [touched, { kind: "below", folder: realPath(touched.folder) }];
  }

  #matchCommand(rule: CompiledRule, part: CommandPart): Match {
    const { command, options, effect } = rule;
    let match: Match = YES;
    if (command !== undefined) {
      const count = options === undefined ? part.words.length : command.length;
      match = this.#matchProgram(rule, part, count);
      if (match === NO) return NO;
    }
    const args = part.words.slice(options === undefined ? 1 : (command?.length ?? 1));
    const read: ReadArguments =
      options === undefined ? { match: YES, operands: args, values: [] } : readArguments(options, args);
    match = [
      read.match,
      matchTexts(rule, read.operands),
      rule.with.length === 0 ? YES : matchAny(rule.with, part.words.slice(1)),
      this.#matchVariables(rule, part),
      this.#matchFolder(rule, part.folder),
    ].reduce<Match>(both, match);
    if (match === NO || rule.paths.length === 0) return match;
    if (effect === "allow" && part.folder === undefined) return both(match, MAYBE);
    const files = [...args.filter(isOption), ...read.values, ...read.operands.slice(rule.texts)];
    const touched = files.flatMap((word) => pathsOfWord(word, part.folder));
    return both(match, this.#matchPaths(rule, touched));
  }

  #matchProgram(
    { command = [], effect }: CompiledRule,
    { words, folder }: CommandPart,
    count: number,
  ): Match {
    const [pattern, ...rest] = command;
    const [program] = words;
    if (pattern === undefined || program === undefined) return NO;
    if (pattern.isGap) return matchWords(command, words.slice(0, count));
    const named = matchProgramName(pattern, program, effect !== "allow", folder);
    return named === NO ? NO : both(named, matchWords(rest, words.slice(1, count)));
  }

  /** An allow rule for a command accepts only the variables it names, and harmless ones. */
  #matchVariables({ env, effect, command }: CompiledRule, { variables }: CommandPart): Match {
    const isNamed = (name: string): boolean => env.some((each) => each.test(name));
    if (effect !== "allow") return matchIf(env.length === 0 || variables.some(isNamed));
    if (command === undefined && env.length === 0) return YES;
    return matchIf(variables.every((name) => harmlessVariable.test(name) || isNamed(name)));
  }

  /** Patterns with `~` and `$ROOT` filled in; one that cannot be filled in matches nothing. */
  #compile(texts: readonly string[]): PathPatterns {
    const key = texts.length === 1 ? (texts[0] ?? "") : texts.join("\0");
    const known = this.#patterns.get(key);
    if (known !== undefined) return known;
    const { home, roots, realPath } = this.#where;
    const allRoots =
      realPath === undefined ? roots : [...new Set([...roots, ...roots.map((root) => realPath(root))])];
    const compiled = compilePaths(
      texts.flatMap((text) => {
        if (text === "~" || text.startsWith("~/")) return home === undefined ? [] : [home + text.slice(1)];
        if (!text.startsWith("$ROOT")) return [text];
        return allRoots.map((root) => (root === "/" ? "" : root) + text.slice("$ROOT".length));
      }),
    );
    this.#patterns.set(key, compiled);
    return compiled;
  }
}

/** How many operands there are, and whether the texts among them are of the wanted kind. */
function matchTexts({ operands, texts, textLike }: CompiledRule, words: readonly ShellWord[]): Match {
  if (words.length > operands) return NO;
  let match: Match =
    operands < Number.POSITIVE_INFINITY && words.some(({ count }) => count !== "one") ? MAYBE : YES;
  if (texts === 0 || textLike === undefined) return match;
  if (words.length < texts) return NO;
  for (const { value } of words.slice(0, texts)) {
    match = both(match, value === undefined ? MAYBE : matchIf(textLike.test(value)));
  }
  return match;
}

/** An option may hold a path. */
function isOption({ value }: ShellWord): boolean {
  return value !== undefined && value.startsWith("-") && value !== "-";
}

function matchAny(patterns: readonly WordPattern[], words: readonly ShellWord[]): Match {
  let match: Match = NO;
  for (const word of words) for (const pattern of patterns) match = either(match, matchWord(pattern, word));
  return match;
}

/** A name matches a program in any folder where it forbids, and in the system's folders where it allows. */
function matchProgramName(
  pattern: WordPattern,
  program: ShellWord,
  isAnyFolder: boolean,
  cwd: string | undefined,
): Match {
  const { value } = program;
  if (value === undefined) return pattern.text === "*" && program.count === "one" ? YES : MAYBE;
  if (pattern.text === "*" || !value.includes("/")) return matchIf(pattern.expression.test(value));
  if (pattern.text.includes("/")) {
    const path = resolvePath(cwd, value);
    return path === undefined
      ? MAYBE
      : matchIf(pathPattern(pattern.text).test(path) || pattern.expression.test(value));
  }
  const slash = value.lastIndexOf("/");
  if (!isAnyFolder && !systemFolders.has(value.slice(0, slash))) return NO;
  return matchIf(pattern.expression.test(value.slice(slash + 1)));
}

// A slow evaluator of policies, written from docs/policy.md alone: concrete commands only, nothing unknown, nothing indexed.
import type { Effect, Rule } from "../policy/rule.ts";

/** A command with all its words known. */
export interface ConcreteCommand {
  readonly kind: "command";
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: readonly string[];
}

export interface ConcreteWrite {
  readonly kind: "write";
  readonly path: string;
  readonly cwd: string;
}

export type ConcretePart = ConcreteCommand | ConcreteWrite;

const many = (value: string | readonly string[] | undefined): string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : [...value];

/** Glob by trying everything; `deep` says whether a star crosses slashes. */
function globs(pattern: string, text: string, deep: boolean): boolean {
  if (pattern === "") return text === "";
  // No folder at all between two slashes is the same as one slash.
  if (pattern.startsWith("/**/") && !deep && globs(pattern.slice(3), text, deep)) return true;
  if (pattern.startsWith("**") && !deep) {
    return Array.from({ length: text.length + 1 }, (_, n) => n).some((n) =>
      globs(pattern.slice(2), text.slice(n), deep),
    );
  }
  if (pattern.startsWith("*")) {
    const stop = deep ? text.length : (text + "/").indexOf("/");
    return Array.from({ length: stop + 1 }, (_, n) => n).some((n) =>
      globs(pattern.slice(1), text.slice(n), deep),
    );
  }
  return text !== "" && pattern[0] === text[0] && globs(pattern.slice(1), text.slice(1), deep);
}

function wordsMatch(patterns: readonly string[], words: readonly string[]): boolean {
  const [pattern, ...rest] = patterns;
  if (pattern === undefined) return words.length === 0;
  if (pattern === "**") {
    return wordsMatch(rest, words) || (words.length > 0 && wordsMatch(patterns, words.slice(1)));
  }
  return words.length > 0 && globs(pattern, words[0] ?? "", true) && wordsMatch(rest, words.slice(1));
}

/** By Node's own rules, not by ours. */
function absolute(cwd: string, name: string): string {
  return new URL(encodeURI(name).replaceAll("?", "%3F").replaceAll("#", "%23"), `file://${cwd}/`).pathname
    .replace(/(?<=.)\/+$/, "")
    .replaceAll(/\/{2,}/g, "/");
}

function filesIn(words: readonly string[], cwd: string): string[] {
  return words.flatMap((word) => {
    const names = word.startsWith("-") && word !== "-" ? [] : [word];
    if (word.includes("=")) names.push(word.slice(word.indexOf("=") + 1));
    return names.map((name) => decodeURI(absolute(cwd, name)));
  });
}

const pathMatches = (pattern: string, path: string): boolean =>
  globs(pattern, path, false) || (pattern.endsWith("/**") && globs(pattern.slice(0, -3), path, false));

function applies(rule: Rule, command: string | undefined, part: ConcretePart, agent: string): boolean {
  if (rule.agent !== undefined && !many(rule.agent).some((each) => globs(each, agent, true))) return false;
  if (rule.cwd !== undefined && !many(rule.cwd).some((each) => pathMatches(each, part.cwd))) return false;
  const quantify = (paths: string[]): boolean => {
    const matches = paths.map((path) => many(rule.paths).some((each) => pathMatches(each, path)));
    return (
      rule.paths === undefined || (rule.effect === "allow" ? matches.every(Boolean) : matches.some(Boolean))
    );
  };
  if (part.kind === "write") {
    const isAboutCommands = command !== undefined || rule.with !== undefined || rule.env !== undefined;
    return !isAboutCommands && quantify([part.path]);
  }
  if (command !== undefined && !wordsMatch(command.split(" "), part.argv)) return false;
  const args = part.argv.slice(1);
  if (
    rule.with !== undefined &&
    !args.some((arg) => many(rule.with).some((each) => globs(each, arg, true)))
  ) {
    return false;
  }
  const named = (name: string): boolean => many(rule.env).some((each) => globs(each, name, true));
  if (rule.effect !== "allow" && rule.env !== undefined && !part.env.some(named)) return false;
  if (
    rule.effect === "allow" &&
    (command !== undefined || rule.env !== undefined) &&
    !part.env.every(named)
  ) {
    return false;
  }
  return quantify(filesIn(args, part.cwd));
}

const literals = (pattern: string): number => pattern.replaceAll("*", "").length;
const longest = (patterns: string | readonly string[] | undefined): number =>
  Math.max(0, ...many(patterns).map(literals));

/** The order of docs/policy.md, one comparison after the other. */
function isMoreSpecific(
  one: [Rule, string | undefined, number],
  other: [Rule, string | undefined, number],
): boolean {
  const strict = { allow: 0, ask: 1, deny: 2 };
  const measures: ((rule: Rule, command: string, index: number) => number)[] = [
    (_, command) => command.split(" ").filter((word) => word !== "" && !word.includes("*")).length,
    (_, command) => literals(command.replaceAll(" ", "")),
    (rule) => (rule.with === undefined ? 0 : 1),
    (rule) => longest(rule.paths),
    (rule) => longest(rule.cwd),
    (rule) => longest(rule.agent),
    (rule) => longest(rule.env),
    (rule) => strict[rule.effect],
    (_rule, _command, index) => index,
  ];
  for (const measure of measures) {
    const difference = measure(one[0], one[1] ?? "", one[2]) - measure(other[0], other[1] ?? "", other[2]);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** The decision about parts whose words are all known. */
export function referenceDecision(
  rules: readonly Rule[],
  parts: readonly ConcretePart[],
  agent: string,
): Effect {
  const effects = new Set(
    parts.map((part): Effect => {
      let best: [Rule, string | undefined, number] | undefined;
      for (const [index, rule] of rules.entries()) {
        for (const command of rule.command === undefined ? [undefined] : many(rule.command)) {
          if (!applies(rule, command, part, agent)) continue;
          if (rule.effect === "deny") return "deny";
          const candidate: [Rule, string | undefined, number] = [rule, command, index];
          if (best === undefined || isMoreSpecific(candidate, best)) best = candidate;
        }
      }
      return best?.[0].effect ?? "ask";
    }),
  );
  if (effects.has("deny")) return "deny";
  return effects.has("ask") ? "ask" : "allow";
}

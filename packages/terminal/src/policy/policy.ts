// The decision of a policy: deny wins, then the most specific rule; a line is as strict as its strictest part.
import { type CompiledRule, compareRank, compileRule, type RuleName } from "./compiled-rule.ts";
import { MAYBE, NO, YES } from "./match.ts";
import { takeApart } from "./parts.ts";
import type { Effect, RuleSet, SubjectKind } from "./rule.ts";
import { type Part, RuleMatcher } from "./rule-matcher.ts";
import type { ShellProblem } from "./shell/shell-line.ts";
import type { Subject } from "./subject.ts";

/** The decision about one part: a simple command, or a file that a redirection opens. */
export interface PartDecision {
  readonly kind: SubjectKind;
  /** As it stands in the line. */
  readonly source: string;
  /** Undefined: no rule matches, and the policy says nothing about the rest. */
  readonly effect: Effect | undefined;
  readonly rule?: RuleName | undefined;
  readonly why: string;
}

/** The decision about the whole. */
export interface Decision {
  readonly effect: Effect | undefined;
  /** The rule that decided, if one did. */
  readonly rule?: RuleName | undefined;
  readonly why: string;
  readonly parts: readonly PartDecision[];
  /** Why the line cannot be decided by its parts alone. */
  readonly problems: readonly ShellProblem[];
}

/** Sets of rules, ready to decide. */
export class Policy {
  readonly #otherwise: Effect | undefined;
  readonly #opaque: Effect | undefined;
  /** The rules that can match a program, most specific first; those for every program under an empty name. */
  readonly #byProgram = new Map<string, readonly CompiledRule[]>();
  readonly #all: readonly CompiledRule[];

  /** A rule of a later set is more specific than any of an earlier one; of what holds otherwise, the strictest does. */
  constructor(...sets: readonly RuleSet[]) {
    this.#otherwise = strictestEffect(sets.map(({ otherwise }) => otherwise));
    this.#opaque = strictestEffect(sets.map(({ opaque }) => opaque));
    this.#all = sets
      .flatMap(({ rules, source }, layer) =>
        rules.flatMap((rule, index) => compileRule(rule, source, index, layer)),
      )
      .toSorted(compareRank);
    const programs = new Set(this.#all.map(indexOf));
    for (const program of programs.add("")) {
      const rules = this.#all.filter((rule) => indexOf(rule) === program || indexOf(rule) === "");
      this.#byProgram.set(program, rules);
    }
  }

  decide(subject: Subject): Decision {
    const matcher = new RuleMatcher(subject);
    if (subject.kind === "tool") {
      const part = this.#decidePart(matcher, subject, subject.toolKind ?? "tool call");
      return { ...part, parts: [part], problems: [] };
    }
    if (subject.kind !== "command") {
      const file = {
        kind: subject.kind,
        source: subject.path,
        path: { kind: "path" as const, path: subject.path },
      };
      const part = this.#decidePart(matcher, file, subject.path);
      return { ...part, parts: [part], problems: [] };
    }
    const { parts, problems } = takeApart(subject);
    const decided = parts
      .map((part) => ({ part, decision: this.#decidePart(matcher, part, part.source) }))
      // A wrapper is decided by the command inside it, unless a rule is about the wrapper.
      .filter(
        ({ part, decision }) =>
          !(part.kind === "command" && part.isTransparent) || decision.rule !== undefined,
      )
      .map(({ decision }) => decision);
    return this.#combine(decided, problems);
  }

  #decidePart(matcher: RuleMatcher, part: Part, source: string): PartDecision {
    let uncertain: CompiledRule | undefined;
    let best: CompiledRule | undefined;
    for (const rule of this.#candidates(part)) {
      if (best !== undefined && rule.effect !== "deny") continue;
      const match = matcher.match(rule, part);
      if (match === NO || (match === MAYBE && rule.effect === "allow")) continue;
      if (rule.effect === "deny") {
        if (match === YES) {
          return { kind: part.kind, source, effect: "deny", rule: rule.name, why: "denied by a rule" };
        }
        uncertain ??= rule;
      } else best = rule;
    }
    const { kind } = part;
    if (uncertain !== undefined) {
      const why = "unknown words may match a rule that denies";
      return { kind, source, effect: "ask", rule: uncertain.name, why };
    }
    if (best !== undefined) {
      return {
        kind,
        source,
        effect: best.effect,
        rule: best.name,
        why: "the most specific rule that matches",
      };
    }
    return { kind, source, effect: this.#otherwise, why: "no rule matches" };
  }

  /** Rules that can match, most specific first. */
  #candidates(part: Part): readonly CompiledRule[] {
    if (part.kind !== "command") return this.#byProgram.get("") ?? [];
    const program = part.words[0]?.value;
    // An unknown program may be any.
    if (program === undefined) return this.#all;
    return this.#byProgram.get(program.replace(/^.*\//s, "")) ?? this.#byProgram.get("") ?? [];
  }

  #combine(parts: readonly PartDecision[], problems: readonly ShellProblem[]): Decision {
    const strictest = strictestOf(parts);
    const result = { parts, problems };
    const [problem] = problems;
    if (strictest?.effect === "deny" || (problem === undefined && strictest !== undefined)) {
      return { ...result, effect: strictest.effect, rule: strictest.rule, why: strictest.why };
    }
    if (problem === undefined) return { ...result, effect: this.#otherwise, why: "the line runs nothing" };
    const restricting = this.#all.find(({ effect, on }) => effect !== "allow" && on.has("command"));
    const opaque =
      this.#opaque ?? (this.#otherwise === undefined && restricting === undefined ? undefined : "ask");
    const effect = opaque === "allow" && restricting !== undefined ? "ask" : opaque;
    if (strictest?.effect === "ask" && effect !== "deny") return { ...result, ...strictest, ...result };
    return { ...result, effect, why: problem.reason };
  }
}

const order: readonly (Effect | undefined)[] = ["allow", undefined, "ask", "deny"];

function strictestEffect(effects: readonly (Effect | undefined)[]): Effect | undefined {
  return (["deny", "ask", "allow"] as const).find((effect) => effects.includes(effect));
}

/** Of equally strict parts the first. */
function strictestOf(parts: readonly PartDecision[]): PartDecision | undefined {
  let strictest: PartDecision | undefined;
  for (const part of parts) {
    if (strictest === undefined || order.indexOf(part.effect) > order.indexOf(strictest.effect)) {
      strictest = part;
    }
  }
  return strictest;
}

/** The program that a rule names; empty if it is a pattern or a path. */
function indexOf({ command }: CompiledRule): string {
  const program = command?.[0]?.text;
  return program === undefined || /[*?[/]/.test(program) ? "" : program;
}

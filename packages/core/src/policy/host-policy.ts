// The host's rules: those of the policy file, and how they and a session's approval policy decide together.
import type { PolicyFile, PolicyInForce } from "@holdfast/protocol";
import {
  type Decision,
  Policy,
  PRESETS,
  type Rule,
  type RuleName,
  type RuleSet,
  type Subject,
} from "@holdfast/terminal/policy";
import type { PolicyDecision } from "../approval/policy.ts";

/** Where the rules come from; `current` reads them again when they changed. */
export interface PolicySource {
  current(): CurrentPolicy;
}

/** The rules in force. */
export interface CurrentPolicy {
  /** Undefined: there are none, and approval policies decide alone. */
  readonly policy: Policy | undefined;
  /** The rules themselves, and the file that they come from, for people who ask. */
  readonly sets?: readonly RuleSet[] | undefined;
  readonly file?: string | undefined;
  /** Why the newest rules are not in force. */
  readonly problem?: string | undefined;
}

/** A decision, and the rule behind it if there is one. */
export interface RuledDecision {
  readonly decision: PolicyDecision;
  readonly rule?: RuleName | undefined;
  /** Everything that the rules said, for explanations. */
  readonly explanation?: Decision | undefined;
}

/** The rules of a policy file, ready to decide. */
export function policyOf(file: PolicyFile, source: string): Policy {
  return new Policy(...ruleSetsOf(file, source));
}

/** The preset first, so that the file's own rules come before its rules. */
export function ruleSetsOf(file: PolicyFile, source: string): RuleSet[] {
  const { preset, otherwise } = file;
  const own: RuleSet = { source, rules: [...shortRules(file), ...file.rules], otherwise };
  if (preset === undefined) return [own];
  // The file replaces what the preset says about the rest.
  const base = PRESETS[preset];
  return [otherwise === undefined ? base : { source: base.source, rules: base.rules }, own];
}

function shortRules(file: PolicyFile): Rule[] {
  return (["deny", "ask", "allow"] as const).flatMap((effect) =>
    file[effect].map((command): Rule => ({ id: `${effect} ${command}`, effect, command })),
  );
}

/** A denial by either wins; then a rule that matches; then the approval policy of the session. */
export function decideByRules(
  source: PolicySource | undefined,
  subject: Subject | undefined,
  session: PolicyDecision,
): RuledDecision {
  const policy = source?.current().policy;
  if (policy === undefined || subject === undefined) return { decision: session };
  const explanation = policy.decide(subject);
  const { effect, rule } = explanation;
  if (effect === undefined || (session === "deny" && effect !== "deny")) {
    return { decision: session, explanation };
  }
  return { decision: effect, rule, explanation };
}

/** The rules in force, as the API shows them. */
export function describePolicy(source: PolicySource | undefined): PolicyInForce {
  const { sets = [], file, problem } = source?.current() ?? {};
  return {
    ...(file !== undefined && { file }),
    sets: sets.map(({ source: name, rules, otherwise }) => ({
      source: name,
      rules: rules.map((rule) => ({ ...rule })),
      ...(otherwise !== undefined && { otherwise }),
    })),
    ...(problem !== undefined && { problem }),
  };
}

/** `rule "no force push" of policy.jsonc`, for the audit and for agents. */
export function describeRule({ id, source }: RuleName): string {
  return `rule ${JSON.stringify(id)} of ${source}`;
}

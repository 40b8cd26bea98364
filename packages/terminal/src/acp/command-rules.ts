// The rules of a client's policy, applied to the commands that agents ask for.
import { homedir } from "node:os";
import { type Decision, Policy, type RuleName, type RuleSet } from "../policy/index.ts";
import { needsShell } from "../process/command-line.ts";
import type { WantedTerminal } from "./create-params.ts";
import type { CommandDecision, CommandRequest } from "./terminal-event.ts";

/** A decision, and the rule behind it if there is one. */
export interface RuledCommand {
  readonly decision: CommandDecision;
  readonly rule: RuleName | undefined;
}

interface RuleOptions {
  readonly allowedRoots?: readonly string[] | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>> | "login" | undefined;
}

/** Decides about commands by rules. */
export class CommandRules {
  readonly #policy: Policy;
  readonly #options: RuleOptions;

  constructor(sets: readonly RuleSet[], options: RuleOptions) {
    this.#policy = new Policy(...sets);
    this.#options = options;
  }

  /** Asks where no rule decides. */
  decide({ command, args, cwd, env }: CommandRequest): RuledCommand {
    const { allowedRoots } = this.#options;
    const environment =
      typeof this.#options.environment === "object" ? this.#options.environment : process.env;
    const isLine = args.length === 0 && needsShell(command, cwd, env["PATH"] ?? environment["PATH"]);
    const decision = this.#policy.decide({
      kind: "command",
      run: isLine ? { line: command } : { argv: [command, ...args] },
      cwd,
      roots: allowedRoots ?? [cwd],
      home: env["HOME"] ?? environment["HOME"] ?? homedir(),
      env: Object.keys(env),
    });
    const { effect = "ask", rule } = decision;
    return {
      decision: effect === "deny" ? { decision: "deny", reason: reasonOf(decision) } : { decision: effect },
      rule,
    };
  }
}

/** One set or several as a list. */
export function listOf(sets: RuleSet | readonly RuleSet[]): readonly RuleSet[] {
  return "rules" in sets ? [sets] : sets;
}

/** The variables of a request as a map; the engine rejects those that are none. */
export function variablesOf(env: WantedTerminal["env"]): Readonly<Record<string, string>> {
  if (!Array.isArray(env)) return { ...(env as Readonly<Record<string, string>> | undefined) };
  const pairs: readonly ({ readonly name?: unknown; readonly value?: unknown } | null)[] = env;
  return Object.fromEntries(pairs.map((pair) => [String(pair?.name), String(pair?.value)]));
}

function reasonOf({ rule, why }: Decision): string {
  const reason = rule?.reason ?? (rule === undefined ? why : `rule ${JSON.stringify(rule.id)}`);
  return `The command is denied: ${reason}. Ask the user before trying it again, or continue without it`;
}

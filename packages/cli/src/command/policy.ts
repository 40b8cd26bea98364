// `holdfast policy`: checks and shows the rules, and explains what they decide about a command (C685).
import { homedir } from "node:os";
import path from "node:path";
import { APPROVAL_POLICIES } from "@holdfast/ahp";
import {
  decideByRules,
  decideUncovered,
  describeRule,
  followLinksNow,
  type PolicyDecision,
  policyOf,
  ruleSetsOf,
} from "@holdfast/core/policy";
import type { PolicyFile, PolicyInForce } from "@holdfast/protocol";
import { type CommandSubject, type Decision, parseShellLine, Policy } from "@holdfast/terminal/policy";
import { type Command, Option } from "commander";
import { CommandError } from "../command-error.ts";
import type { Console } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeText } from "../safe-text.ts";
import { loadConfig } from "../serve/config-file.ts";
import { findHome } from "../serve/home.ts";
import { policyPath, readPolicyFile } from "../serve/policy-file.ts";
import { type CommandContext, hostCommand, localCommand, type Runner } from "./command.ts";

interface TestOptions {
  readonly cwd?: string;
  readonly agent?: string;
  readonly app?: string;
  readonly env: readonly string[];
  readonly policy: (typeof approvalPolicies)[number];
  readonly file?: string;
}

/** `none` is a session without one. */
const approvalPolicies = [...APPROVAL_POLICIES, "none"] as const;

const exitCodes = { allow: EXIT_CODES.done, ask: EXIT_CODES.asks, deny: EXIT_CODES.denies } as const;

export function addPolicy(program: Command, run: Runner): void {
  const policy = program
    .command("policy")
    .description("check, show and try the rules about what agents may do");
  localCommand(policy, "test", "explain the decision about a command; exit 0 allow, 12 ask, 13 deny")
    .argument("<command...>", "one argument is a shell line, several are a program with its arguments")
    .option("--cwd <folder>", "the session's folder (default: this one)")
    .option("--agent <id>", "the agent that runs the command")
    .option("--app <id>", "the app that created the session")
    .option("--env <name>", "a variable that the command changes; repeatable", collect, [])
    .addOption(
      new Option("--policy <policy>", "the session's approval policy, for what no rule matches")
        .choices(approvalPolicies)
        .default("ask"),
    )
    .option("--file <file>", "another policy file")
    .action(
      run(async (context, words: readonly string[], options: TestOptions) => {
        const { file, rules } = load(context, options.file);
        const cwd = path.resolve(context.cwd, options.cwd ?? ".");
        const subject = subjectOf(words, cwd, options);
        const own = rules === undefined ? undefined : policyOf(rules, path.basename(file));
        const source = { current: () => ({ policy: own }) };
        const uncovered = decideWithoutRules(options.policy);
        const { decision, rule, explanation } = decideByRules(source, subject, uncovered);
        const decidedBy = rule === undefined ? `the approval policy ${options.policy}` : describeRule(rule);
        if (context.console.json) {
          await context.console.printJson({
            decision,
            rule,
            decidedBy,
            commands: commandsOf(subject),
            explanation,
          });
        } else {
          const read = explanation ?? new Policy().decide(subject);
          await explain(context.console, decision, decidedBy, read);
        }
        return exitCodes[decision];
      }),
    );
  localCommand(policy, "check", "list every mistake in a policy file with its place; exit 2 if there is one")
    .argument("[file]", "the file (default: the one that the host uses)")
    .action(
      run(async (context, named: string | undefined) => {
        const { file, rules } = load(context, named);
        if (context.console.json) return context.console.printJson({ file, policy: rules ?? null });
        return context.console.print(
          rules === undefined ? `There is no ${file}; approval policies decide alone.` : `${file} is valid.`,
        );
      }),
    );
  hostCommand(policy, "show", "print the rules in force on the host, those of the preset included").action(
    run(async (context) => {
      const { file, sets, problem } = (await rulesOfHost(context)) ?? rulesOfFile(context);
      if (problem !== undefined) context.console.warn(`${safeText(problem)}. The rules before the change:`);
      if (context.console.json) return context.console.printJson({ file, sets, problem });
      for (const { source, rules: listed, otherwise } of sets) {
        await context.console.print(
          `${source}: ${otherwise ?? "the session's policy"} where no rule matches`,
        );
        for (const [index, rule] of listed.entries()) {
          const { id = `rule ${index + 1}`, effect, ...conditions } = rule;
          await context.console.print(
            safeText(`  ${String(effect).padEnd(5)}  ${String(id)}  ${JSON.stringify(conditions)}`),
          );
        }
      }
      if (sets.length === 0) {
        await context.console.print(`There is no ${file}; approval policies decide alone.`);
      }
    }),
  );
}

/** The rules that a running host uses; undefined where none runs. It may have read them before the file was broken (C715). */
async function rulesOfHost({ console, host }: CommandContext): Promise<PolicyInForce | undefined> {
  try {
    return await (await host({ mayStart: false })).api.policy.get();
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== "HOST_NOT_RUNNING") throw error;
    console.note("No host is running: these are the rules in the file.");
    return undefined;
  }
}

function rulesOfFile(context: CommandContext): PolicyInForce {
  const { file, rules } = load(context, undefined);
  const sets = rules === undefined ? [] : ruleSetsOf(rules, path.basename(file));
  return {
    file,
    sets: sets.map(({ source, rules: listed, otherwise }) => ({
      source,
      rules: listed.map((rule) => ({ ...rule })),
      ...(otherwise !== undefined && { otherwise }),
    })),
  };
}

/** The decision of the host on a command in the session's folder, during a turn, for which no permission was asked. */
function decideWithoutRules(policy: TestOptions["policy"]): PolicyDecision {
  const action = { kind: "command", isInside: true, isInTurn: true } as const;
  return decideUncovered(policy === "none" ? undefined : policy, action);
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value.split("=", 1)[0] ?? value];
}

function subjectOf(words: readonly string[], cwd: string, { agent, app, env }: TestOptions): CommandSubject {
  const [line = ""] = words;
  const run = words.length === 1 ? { line } : { argv: words };
  return {
    kind: "command",
    run,
    cwd,
    roots: [cwd],
    home: homedir(),
    realPath: followLinksNow,
    agent,
    app,
    env,
  };
}

/** How the line was read. */
function commandsOf({ run, home }: CommandSubject): unknown {
  return "line" in run ? parseShellLine(run.line, { home }).commands : [{ words: run.argv }];
}

function load(
  { environment, home: option }: CommandContext,
  named: string | undefined,
): { file: string; rules: PolicyFile | undefined } {
  const home = findHome(option, environment);
  const file = named === undefined ? policyPath(home, loadConfig(home, undefined)) : path.resolve(named);
  const reading = readPolicyFile(file);
  if (reading.state === "read") return { file, rules: reading.file };
  if (reading.state === "absent" && named === undefined) return { file, rules: undefined };
  const problems = reading.state === "absent" ? ["it does not exist"] : reading.problems;
  throw new CommandError(
    "POLICY_INVALID",
    [`The policy ${file} cannot be used:`, ...problems.map((each) => `  ${each}`)].join("\n"),
    {
      exitCode: EXIT_CODES.setup,
      remedy: "docs/policy.md lists what a policy may contain.",
    },
  );
}

async function explain(
  console: Console,
  decision: PolicyDecision,
  decidedBy: string,
  { parts, problems, effect: byRules, why }: Decision,
): Promise<void> {
  const lines = parts.flatMap(({ source, effect, rule, why: reason }) => [
    `${(effect ?? "–").padEnd(5)}  ${source}`,
    `       ${rule === undefined ? reason : `${describeRule(rule)}: ${rule.reason ?? reason}`}`,
  ]);
  const isRestricted = byRules === "ask" || byRules === "deny";
  for (const { reason, at } of problems) {
    lines.push(`${(isRestricted ? "ask" : "–").padEnd(5)}  at ${at}: ${reason}`);
  }
  lines.push("", `${decision}, by ${decidedBy}${byRules === decision ? ` (${why})` : ""}`);
  for (const line of lines) await console.print(safeText(line));
}

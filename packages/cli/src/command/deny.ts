// `holdfast deny`: keeps an agent from doing what it asked for (C52).
import type { Command } from "commander";
import { answerApproval } from "./approval-answer.ts";
import { hostCommand, type Runner } from "./command.ts";

interface DenyOptions {
  readonly always?: boolean;
}

/** Adds `deny`. */
export function addDeny(program: Command, run: Runner): void {
  hostCommand(program, "deny", "keep an agent from doing what it asked for")
    .argument("<request>", "the question, by its id or the beginning of it, or its session")
    .argument("[option]", "one of the answers that the agent offers (default: the one that denies once)")
    .option("--always", "the answer that denies this and all that is like it")
    .action(
      run((context, request: string, option: string | undefined, { always }: DenyOptions) =>
        answerApproval(context, request, { verdict: "reject", option, always }),
      ),
    );
}

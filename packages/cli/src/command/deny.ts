// `holdfast deny`: keeps an agent from doing what it asked for (C52).
import type { Command } from "commander";
import { answerApproval } from "./approval.ts";
import { hostCommand, type Runner } from "./command.ts";

interface DenyOptions {
  readonly always?: boolean;
}

export function addDeny(program: Command, run: Runner): void {
  hostCommand(program, "deny", "deny a pending request")
    .argument("<request>", "id of the approval or a prefix of it, or its session")
    .argument("[option]", "one of the options that the agent offers (default: deny once)")
    .option("--always", "deny this and similar requests from now on")
    .action(
      run((context, request: string, option: string | undefined, { always }: DenyOptions) =>
        answerApproval(context, request, { decision: "reject", option, always }),
      ),
    );
}

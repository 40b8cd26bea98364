// `holdfast approve`: lets an agent do what it asked for (C52).
import type { Command } from "commander";
import { answerApproval } from "./approval-answer.ts";
import { hostCommand, type Runner } from "./command.ts";

interface ApproveOptions {
  readonly always?: boolean;
}

/** Adds `approve`. */
export function addApprove(program: Command, run: Runner): void {
  hostCommand(program, "approve", "let an agent do what it asked for")
    .argument("<request>", "the question, by its id or the beginning of it, or its session")
    .argument("[option]", "one of the answers that the agent offers (default: the one that allows once)")
    .option("--always", "the answer that allows this and all that is like it")
    .action(
      run((context, request: string, option: string | undefined, { always }: ApproveOptions) =>
        answerApproval(context, request, { verdict: "allow", option, always }),
      ),
    );
}

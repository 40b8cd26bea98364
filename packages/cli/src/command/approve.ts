// `holdfast approve`: lets an agent do what it asked for (C52).
import { type Command, Option } from "commander";
import { answerApproval } from "./approval.ts";
import { hostCommand, type Runner } from "./command.ts";

interface ApproveOptions {
  readonly always?: boolean;
  readonly scope?: "session" | "folder";
}

export function addApprove(program: Command, run: Runner): void {
  hostCommand(program, "approve", "approve a pending request")
    .argument("<request>", "id of the approval or a prefix of it, or its session")
    .argument("[option]", "one of the options that the agent offers (default: allow once)")
    .option("--always", "allow exactly this from now on, in this session")
    .addOption(
      new Option(
        "--scope <scope>",
        "allow exactly this from now on, in the session or in its folder",
      ).choices(["session", "folder"]),
    )
    .action(
      run((context, request: string, option: string | undefined, { always, scope }: ApproveOptions) =>
        answerApproval(context, request, {
          decision: "allow",
          option,
          always: always ?? scope !== undefined,
          scope,
        }),
      ),
    );
}

// Gives the answer to a waiting question, and shows what it was about (C52).
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { chooseOption, deedLines, findApproval, type AnswerWish } from "./approval-choice.ts";
import type { CommandContext } from "./command.ts";
import { safeText } from "../safe-text.ts";

/** Answers the question that a word means; the first answer counts, and a later one is told so. */
export async function answerApproval(
  { console, host }: CommandContext,
  word: string,
  wish: AnswerWish,
): Promise<void> {
  const { api } = await host();
  const approval = await findApproval(api, word);
  const option = chooseOption(approval, wish);
  const sessions = await api.acpAgent.listSessions();
  const session = sessions.find(({ session_key }) => session_key === approval.session_key);
  const { resolved, reason = "Somebody else was first." } = await api.approvals.resolve(
    approval,
    option.optionId,
  );
  if (!resolved) {
    throw new CommandError("APPROVAL_NOT_TAKEN", `The answer came too late: ${safeText(reason)}`, {
      exitCode: EXIT_CODES.declined,
      remedy: "`holdfast approvals` lists what still waits.",
    });
  }
  const { requestId, session_key, target } = approval;
  if (console.json) return console.printJson({ requestId, session_key, target, optionId: option.optionId });
  const { paint } = console;
  const heading = wish.verdict === "allow" ? paint.green("Allowed") : paint.red("Denied");
  await console.print(`${heading} with "${safeText(option.name)}":`);
  for (const line of deedLines(approval, session)) await console.print(line);
}

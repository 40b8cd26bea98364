// Asks before something that cannot be undone.
import { createInterface } from "node:readline";
import { CommandError } from "../command-error.ts";
import type { Console } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";

/** Whether a person says yes; where nobody can be asked, `--yes` must have said it. */
export async function confirm(console: Console, question: string, isConfirmed: boolean): Promise<boolean> {
  if (isConfirmed) return true;
  if (!console.canAsk) {
    throw new CommandError("CONFIRMATION_NEEDED", `Nobody is here to be asked: ${question}`, {
      exitCode: EXIT_CODES.setup,
      remedy: "Say so beforehand with --yes.",
    });
  }
  const answer = await ask(console, `${question} [y/N] `);
  if (answer !== undefined) return /^y(es)?$/i.test(answer.trim());
  throw new CommandError("CANCELLED", "Nothing was done.", { exitCode: EXIT_CODES.cancelled });
}

/** What is typed; undefined when it is broken off with Ctrl-C or Ctrl-D. */
function ask(console: Console, question: string): Promise<string | undefined> {
  const { stdin: input, stderr: output } = console.streams;
  const lines = createInterface({ input, output });
  return new Promise<string | undefined>((resolve) => {
    lines.once("SIGINT", () => lines.close());
    lines.once("close", () => resolve(undefined));
    lines.question(question, resolve);
  }).finally(() => lines.close());
}

// Runs the lines of a prompt one after the other.
import { inlineCode } from "./fenced-text.ts";
import { Plan } from "./plan.ts";
import { runLine } from "./run-line.ts";
import type { Turn } from "./turn.ts";

/** Runs lines in order; a rejected one ends the row, a failing one does not (S7). */
export async function runLines(turn: Turn, lines: readonly string[]): Promise<void> {
  if (turn.client.capabilities?.hasTerminals !== true) {
    await turn.say("This client offers no terminals to agents, so I cannot run commands here.");
    return;
  }
  const plan = new Plan(turn, lines);
  await plan.show();
  for (const [index, line] of lines.entries()) {
    turn.signal.throwIfAborted();
    await plan.mark(index, "in_progress");
    const outcome = await runLine(turn, line);
    if (outcome === "rejected") {
      await plan.mark(index, "pending");
      const skipped = lines.slice(index + 1).map((rest) => inlineCode(rest));
      if (skipped.length > 0) await turn.say(`Skipped: ${skipped.join(", ")}.`);
      return;
    }
    await plan.mark(index, "completed");
    turn.save();
  }
}

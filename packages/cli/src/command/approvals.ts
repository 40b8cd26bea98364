// `holdfast approvals`: what agents wait for an answer to (C51).
import type { Command } from "commander";
import { ageWord } from "../time.ts";
import { answerLines, actionLines } from "./approval.ts";
import { hostCommand, type Runner } from "./command.ts";
import { shortName } from "../short-name.ts";
import { safeText } from "../safe-text.ts";

export function addApprovals(program: Command, run: Runner): void {
  hostCommand(program, "approvals", "list pending approvals").action(
    run(async ({ console, host }) => {
      const { api } = await host({ mayMakeHome: false });
      const [waiting, sessions] = await Promise.all([api.approvals.list(), api.acpAgent.listSessions()]);
      if (console.json) return console.printJson(waiting);
      if (waiting.length === 0) return console.note("Nothing is pending.");
      const byKey = new Map(sessions.map((session) => [session.session_key, session]));
      const nowMs = Date.now();
      for (const approval of waiting) {
        const session = byKey.get(approval.session_key);
        const name = console.paint.bold(shortName(approval.requestId));
        const agent = safeText(session?.agent_id ?? "an agent");
        await console.print(`${name}  ${agent}, waiting for ${ageWord(approval.requestedAt, nowMs)}`);
        const lines = [...actionLines(approval, session), ...answerLines(approval, nowMs)];
        for (const line of lines) await console.print(line);
      }
      console.note("Decide with `holdfast approve REQUEST` or `holdfast deny REQUEST`.");
      return undefined;
    }),
  );
}

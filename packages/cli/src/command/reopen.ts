// `holdfast reopen`: opens a closed session again (C820).
import type { Command } from "commander";
import { hostCommand, type Runner } from "./command.ts";
import { resolveSession, shortSessionName } from "./session-name.ts";

export function addReopen(program: Command, run: Runner): void {
  hostCommand(program, "reopen", "open a closed session again")
    .argument("<session>", "key of the session, or a prefix of its name")
    .action(
      run(async ({ console, host }, word: string) => {
        const { api } = await host();
        const sessionKey = await resolveSession(api, word, { closed: true });
        const session = await api.acpAgent.reopenSession(sessionKey);
        if (console.json) return console.printJson(session);
        const name = shortSessionName(sessionKey);
        return console.note(`Reopened ${name}; \`holdfast chat ${name}\` continues it.`);
      }),
    );
}

// `holdfast delete`: removes a session with everything that is kept of it (C53).
import type { Command } from "commander";
import { hostCommand, type Runner } from "./command.ts";
import { confirm } from "./confirm.ts";
import { safeText } from "../safe-text.ts";
import { resolveSession, shortSessionName } from "./session-name.ts";

interface DeleteOptions {
  readonly yes?: boolean;
}

/** Adds `delete`. */
export function addDelete(program: Command, run: Runner): void {
  hostCommand(program, "delete", "remove a session with its whole history, open or closed")
    .argument("<session>", "the session, by its key or the beginning of its name")
    .option("-y, --yes", "do not ask")
    .action(
      run(async ({ console, host }, word: string, { yes = false }: DeleteOptions) => {
        const { api } = await host();
        const sessionKey = await resolveSession(api, word, { closed: true });
        const sessions = await api.acpAgent.listSessions({ closed: true });
        const session = sessions.find(({ session_key }) => session_key === sessionKey);
        const name = shortSessionName(sessionKey);
        const label = session?.label === undefined ? "" : ` "${safeText(session.label)}"`;
        const running = session?.state === "closed" ? "" : " It is not closed yet.";
        const question = `Delete the session ${name}${label} with its whole history?${running}`;
        if (!(await confirm(console, question, yes))) return console.note("Nothing was deleted.");
        await api.acpAgent.closeSession(sessionKey, undefined, { purge: true });
        if (console.json) return console.printJson({ session_key: sessionKey, deleted: true });
        return console.note(`Deleted ${name}.`);
      }),
    );
}

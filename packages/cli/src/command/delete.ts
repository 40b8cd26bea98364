// `holdfast delete`: removes a session with everything that is kept of it (C53).
import type { Command } from "commander";
import { hostCommand, type Runner } from "./command.ts";
import { confirm } from "../keyboard.ts";
import { safeText } from "../safe-text.ts";
import { resolveSession, sessionTitle, shortSessionName } from "./session-name.ts";

interface DeleteOptions {
  readonly yes?: boolean;
}

export function addDelete(program: Command, run: Runner): void {
  hostCommand(program, "delete", "delete a session and its history")
    .argument("<session>", "key of the session, or a prefix of its name")
    .option("-y, --yes", "do not ask for confirmation")
    .action(
      run(async ({ console, host }, word: string, { yes = false }: DeleteOptions) => {
        const { api } = await host();
        const sessionKey = await resolveSession(api, word, { closed: true });
        const sessions = await api.acpAgent.listSessions({ closed: true });
        const session = sessions.find(({ session_key }) => session_key === sessionKey);
        const name = shortSessionName(sessionKey);
        const title = session === undefined ? "" : ` “${safeText(sessionTitle(session))}”`;
        const running = session?.state === "closed" ? "" : " It is not closed yet.";
        const question = `Delete the session ${name}${title} with its whole history?${running}`;
        if (!(await confirm(console, question, yes))) return console.note("Nothing was deleted.");
        await api.acpAgent.closeSession(sessionKey, undefined, { purge: true });
        if (console.json) return console.printJson({ session_key: sessionKey, deleted: true });
        return console.note(`Deleted ${name}.`);
      }),
    );
}

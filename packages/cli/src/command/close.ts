// `holdfast close`: ends a session; what was said in it is kept.
import type { Command } from "commander";
import { hostCommand, type Runner } from "./command.ts";
import { resolveSession, shortSessionName } from "./session-name.ts";

interface CloseOptions {
  readonly reason?: string;
}

export function addClose(program: Command, run: Runner): void {
  hostCommand(program, "close", "close a session and keep its history")
    .argument("<session>", "key of the session, or a prefix of its name")
    .option("--reason <text>", "reason, kept in the history")
    .action(
      run(async ({ console, host }, word: string, { reason }: CloseOptions) => {
        const { api } = await host();
        const sessionKey = await resolveSession(api, word);
        await api.acpAgent.closeSession(sessionKey, reason);
        if (console.json) return console.printJson({ session_key: sessionKey, closed: true });
        const name = shortSessionName(sessionKey);
        return console.note(
          `Closed ${name}; \`holdfast export ${name}\` still reads it, and \`holdfast reopen ${name}\` continues it.`,
        );
      }),
    );
}

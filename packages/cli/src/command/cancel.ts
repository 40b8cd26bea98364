// `holdfast cancel`: cancels the turn that runs in a session (C33).
import { hostCommand, type AddCommand } from "./command.ts";
import { SessionChannel } from "./session-channel.ts";
import { resolveSession, shortSessionName } from "./session-name.ts";

export const addCancel: AddCommand = (program, run) => {
  hostCommand(program, "cancel <session>", "cancel the running turn of a session")
    .option("--reason <text>", "reason, kept in the history")
    .action(
      run(async (context, word: string, { reason }: { readonly reason?: string }) => {
        const { console } = context;
        const link = await context.host({ mayStart: false });
        const sessionKey = await resolveSession(link.api, word);
        const { phase } = await SessionChannel.open(link, sessionKey);
        const turnId = phase.status === "busy" ? phase.turnId : undefined;
        if (turnId !== undefined) await link.api.acpAgent.cancelTurn(sessionKey, reason);
        const cancelled = turnId !== undefined;
        if (console.json) return console.printJson({ session_key: sessionKey, cancelled, turnId });
        const name = shortSessionName(sessionKey);
        await console.print(cancelled ? `The turn in ${name} is cancelled.` : `No turn runs in ${name}.`);
      }),
    );
};

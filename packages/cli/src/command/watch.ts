// `holdfast watch`: what happens in a session, or on the whole host, as it happens (C31, C32).
import process from "node:process";
import { hostCommand, wholeNumber, type AddCommand, type CommandContext } from "./command.ts";
import { SessionChannel } from "./session-channel.ts";
import { resolveSession } from "./session-name.ts";
import { Screen } from "./turn/screen.ts";
import { TurnLines } from "./turn/turn-lines.ts";
import { TurnView } from "./turn/turn-view.ts";
import { changeLine } from "./watch/change-line.ts";
import { watchHost } from "./watch/host-watch.ts";
import { watchSession } from "./watch/session-watch.ts";

interface WatchOptions {
  readonly after?: number;
}

/** Adds the command. */
export const addWatch: AddCommand = (program, run) => {
  hostCommand(program, "watch [session]", "watch a session, or the whole host, until Ctrl-C")
    .option(
      "--after <cursor>",
      "also what happened in the session since this cursor of --json; 0 for all of it",
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .action(
      run(async (context, word: string | undefined, { after }: WatchOptions) => {
        const watching = new AbortController();
        const stop = (): void => watching.abort();
        // To watch has no other end, so this one is as it should be.
        process.once("SIGINT", stop);
        if (word === undefined) await watchAll(context, watching.signal);
        else await watchOne(context, word, after?.toString(), watching.signal);
      }),
    );
};

async function watchOne(
  context: CommandContext,
  word: string,
  after: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { console } = context;
  const link = await context.host({ mayStart: false });
  const { api } = link;
  const sessionKey = await resolveSession(api, word);
  const channel = await SessionChannel.open(link, sessionKey);
  const display = console.json
    ? new TurnLines(console)
    : new TurnView(new Screen(console, "result"), { isLive: after === undefined });
  await watchSession({ api, channel, display, sessionKey, after, signal });
  await display.finish();
  if (!signal.aborted) console.note("The session is closed.");
}

async function watchAll(context: CommandContext, signal: AbortSignal): Promise<void> {
  const { console } = context;
  const link = await context.host({ mayStart: false });
  await watchHost({
    link,
    signal,
    tell: async (change) => {
      const at = new Date();
      if (console.json) await console.printJson({ at: at.toISOString(), ...change });
      else await console.print(changeLine(change, at, console.paint));
    },
  });
}

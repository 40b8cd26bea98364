// `holdfast chat`: a conversation at the keyboard (C29, C30).
import { CommandError } from "../command-error.ts";
import type { Console } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { describeFailure, failureOf } from "../failure.ts";
import { type AddCommand, type CommandContext, hostCommand } from "./command.ts";
import { Conversation } from "./conversation.ts";
import { safeText } from "../safe-text.ts";
import type { SessionChannel } from "./session-channel.ts";
import { resolveSession } from "./session-name.ts";
import { offerSignIn } from "./sign-in.ts";
import { CONTINUATION_PROMPT, type Line, readLine } from "../line-editor.ts";
import { showPastTurns } from "./turn/past-turns.ts";
import { type TurnEnd, turnExitCode, turnFailure, turnRemedy } from "./turn/turn-end.ts";

/** Turns that are shown on entry. */
const turnsShown = 3;

export const addChat: AddCommand = (program, run) => {
  hostCommand(program, "chat <session>", "chat with an agent interactively")
    .option("--cancel-on-exit", "also cancel the turn when SIGTERM or SIGHUP ends this program")
    .action(
      run(async (context, word: string, { cancelOnExit }: { readonly cancelOnExit?: boolean }) => {
        const { console } = context;
        if (!console.canAsk) throw noKeyboard();
        const link = await context.host({ mayStart: false });
        const sessionKey = await resolveSession(link.api, word);
        return hold(context, new Conversation({ link, console, sessionKey, cancelOnExit }));
      }),
    );
};

/** Holds a conversation until its person leaves; gives the exit code. */
export async function hold(context: CommandContext, conversation: Conversation): Promise<number> {
  const { console } = context;
  const channel = await conversation.channel();
  const { turns } = channel.chat;
  const history = turns.map(({ message }) => message.text).toReversed();
  const { api } = await context.host();
  await showPastTurns(conversation.screen, api, turns.slice(-turnsShown));
  const { phase } = channel;
  if (phase.status === "busy") {
    await conversation.screen.line(
      console.notePaint.bold(`> ${safeText(channel.chat.activeTurn?.message.text ?? "")}`),
    );
    const end = await conversation.join(phase.turnId);
    if (end.kind === "left") return end.exitCode;
    reportEnd(console, end);
  } else console.note(console.notePaint.dim("Type a message, or /help for commands."));
  return talk(context, conversation, channel, history);
}

async function talk(
  context: CommandContext,
  conversation: Conversation,
  channel: SessionChannel,
  history: string[],
): Promise<number> {
  const { console } = context;
  for (;;) {
    if (channel.isOver) {
      console.note("The session is closed.");
      return EXIT_CODES.done;
    }
    const line = await readMessage(console, history);
    if (line.kind === "left") return EXIT_CODES.cancelled;
    if (line.kind === "end") return EXIT_CODES.done;
    const said = await obey(line.text.trim(), console, conversation);
    if (said === "quit") return EXIT_CODES.done;
    if (said === "done") continue;
    const end = await speak(console, conversation, said.message);
    if (end?.kind === "left") return end.exitCode;
    const remedy = end && turnRemedy(end);
    if (remedy !== undefined) await offerSignIn(context, await context.host(), remedy);
  }
}

/** A line that ends in a backslash continues in the next one. */
async function readMessage(console: Console, history: string[]): Promise<Line> {
  const { bold } = console.notePaint;
  let text = "";
  for (let prompt = "> "; ; prompt = CONTINUATION_PROMPT) {
    const line = await readLine(console, { prompt: bold(prompt), history });
    if (line.kind !== "line") return line;
    if (!line.text.endsWith("\\")) return { kind: "line", text: text + line.text };
    text += `${line.text.slice(0, -1)}\n`;
  }
}

/** Runs one of our slash commands; any other text is a message. */
async function obey(
  text: string,
  console: Console,
  conversation: Conversation,
): Promise<"quit" | "done" | { readonly message: string }> {
  switch (text) {
    case "":
      return "done";
    case "/quit":
    case "/exit":
      return "quit";
    case "/cancel":
      console.note((await conversation.cancel()) ? "The turn is cancelled." : "No turn runs.");
      return "done";
    case "/help":
      showHelp(console, await conversation.channel());
      return "done";
    default:
      return { message: text.startsWith("//") ? text.slice(1) : text };
  }
}

/** Reports what goes wrong in one turn; the conversation continues. */
async function speak(
  console: Console,
  conversation: Conversation,
  message: string,
): Promise<TurnEnd | undefined> {
  try {
    const isBusy = await conversation.isBusy();
    if (isBusy) console.note(console.notePaint.dim("Queued behind the running turn."));
    const end = await conversation.send(message, { queue: true });
    reportEnd(console, end);
    return end;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined || failure.exitCode === EXIT_CODES.missing) throw error;
    console.streams.stderr.write(describeFailure(failure));
    return undefined;
  }
}

function reportEnd(console: Console, end: TurnEnd): void {
  const { dim } = console.notePaint;
  const failure = failureOf(turnFailure(end));
  if (failure !== undefined) console.streams.stderr.write(describeFailure(failure));
  else if (end.kind === "left") console.note(dim("The turn continues in the host."));
  else if (turnExitCode(end) === EXIT_CODES.cancelled) console.note(dim("Cancelled."));
}

function showHelp({ streams: { stderr }, notePaint }: Console, { session }: SessionChannel): void {
  const lines = [
    "/help    show this help",
    "/cancel  cancel a turn that somebody else started; Ctrl-C cancels yours",
    "/quit    exit, like Ctrl-D; the session stays open",
    "//word   send /word to the agent, even if it is one of these commands",
    "End a line with \\ to continue it on the next one.",
    ...(session.commands.length > 0 ? ["", "Commands of the agent:"] : []),
    ...session.commands.map(({ name, description }) => `/${safeText(name)}  ${safeText(description)}`),
  ];
  stderr.write(`${notePaint.dim(lines.join("\n"))}\n`);
}

function noKeyboard(): CommandError {
  return new CommandError("NO_TERMINAL", "`chat` must run in an interactive terminal.", {
    exitCode: EXIT_CODES.setup,
    remedy:
      "Send one message with `holdfast run AGENT --session SESSION MESSAGE`, whose output a script can read.",
  });
}

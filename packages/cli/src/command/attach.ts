// `holdfast attach <terminal>`: a terminal of the host in one's own window, as with tmux.
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { attachTo, type AttachEnd } from "../terminal/attach-session.ts";
import { DEFAULT_DETACH_KEYS, DetachKeys } from "../terminal/detach-keys.ts";
import { exitCodeOf, exitWords, signalExitCode } from "../terminal/terminal-exit.ts";
import { type CommandContext, hostCommand, type Runner } from "./command.ts";
import { safeText } from "../safe-text.ts";
import { resolveTerminal, shortTerminalName, terminalUriOf } from "./terminal-name.ts";

interface AttachOptions {
  readonly readOnly?: boolean;
  readonly detachKeys: string;
}

/** Adds `attach`. */
export function addAttach(program: Command, run: Runner): void {
  hostCommand(program, "attach <terminal>", "show a terminal in this window and type into it")
    .option("--read-only", "only watch")
    .option("--detach-keys <keys>", "what leaves it, such as ctrl-p,ctrl-q", DEFAULT_DETACH_KEYS)
    .addHelpText(
      "after",
      "\nIt is taken over from the agent that uses it, and given back when you detach; what runs in it goes on." +
        "\nThe exit code is that of the command if it ends, and 0 when you detach.",
    )
    .action(run((context, word: string, options: AttachOptions) => attach(context, word, options)));
}

async function attach(
  { console, host }: CommandContext,
  word: string,
  { readOnly: isReadOnly = false, detachKeys }: AttachOptions,
): Promise<number> {
  const { streams } = console;
  const keys = new DetachKeys(detachKeys);
  if (console.json || !streams.stdout.isTTY) {
    throw new CommandError(
      "NO_TERMINAL",
      "`attach` shows a terminal to a person, and there is no window here.",
      {
        exitCode: EXIT_CODES.setup,
        remedy: "`holdfast logs --follow` prints what a terminal shows.",
      },
    );
  }
  const link = await host();
  const id = await resolveTerminal(link.api, word);
  const name = shortTerminalName(id);
  const client = await link.ahp();
  const { clientId } = link;
  const uri = terminalUriOf(id);
  const end = await attachTo({ client, clientId, uri, name, streams, keys, isReadOnly, isOwnCommand: false });
  console.note(console.notePaint.dim(endWords(end, name)));
  return attachExitCode(end);
}

/** What a person is told when it is over. */
export function endWords(end: AttachEnd, name: string): string {
  switch (end.kind) {
    case "exited":
      return `[${safeText(exitWords(end.exit))}]`;
    case "gone":
      return `[${name} is gone]`;
    case "detached":
    case "signal":
      return `[detached from ${name}]`;
  }
}

/** The exit code of a person's time at a terminal. */
export function attachExitCode(end: AttachEnd): number {
  switch (end.kind) {
    case "exited":
      return exitCodeOf(end.exit);
    case "detached":
      return EXIT_CODES.done;
    case "signal":
      return signalExitCode(end.signal);
    case "gone":
      return EXIT_CODES.missing;
  }
}

// `holdfast attach <terminal>`: a terminal of the host in one's own window, as with tmux.
import type { Holdfast } from "@holdfast/sdk";
import { type Command, Option } from "commander";
import { shortName } from "../short-name.ts";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { type AttachEnd, attachTo } from "../terminal/attach-session.ts";
import { DEFAULT_DETACH_KEYS, DetachKeys } from "../terminal/detach-keys.ts";
import { exitCodeOf, exitWords, signalExitCode } from "../terminal/terminal-exit.ts";
import { type CommandContext, hostCommand, type Runner } from "./command.ts";
import { safeText } from "../safe-text.ts";
import { onlyTerminal, resolveTerminal } from "../terminal/terminal-name.ts";
import { meansSession, shortSessionName } from "./session-name.ts";

interface AttachOptions {
  readonly readOnly?: boolean;
  readonly takeOver?: boolean;
  readonly detachKeys: string;
  readonly trustOutput?: boolean;
}

export function addAttach(program: Command, run: Runner): void {
  hostCommand(program, "attach", "attach this window to a terminal")
    .argument("<terminal>", "id of the terminal or a prefix of it, its title, or its session")
    .option("--read-only", "only watch")
    .addOption(
      new Option("--take-over", "take it from another client that holds it, which then watches").conflicts(
        "readOnly",
      ),
    )
    .option("--detach-keys <keys>", "keys that detach, such as ctrl-p,ctrl-q", DEFAULT_DETACH_KEYS)
    .addOption(trustOption())
    .addHelpText(
      "after",
      "\nAttaching takes the terminal over from the agent that uses it; detaching hands it back and ends nothing." +
        "\nThe exit code is that of the command if it ends, and 0 when you detach.",
    )
    .action(run((context, word: string, options: AttachOptions) => attach(context, word, options)));
}

async function attach(
  { console, host }: CommandContext,
  word: string,
  options: AttachOptions,
): Promise<number> {
  const { readOnly: isReadOnly = false, takeOver: takesOver = false, detachKeys } = options;
  const { trustOutput: trustsOutput = false } = options;
  const { streams } = console;
  const keys = new DetachKeys(detachKeys);
  if (console.json || !streams.stdout.isTTY) {
    throw new CommandError("NO_TERMINAL", "`attach` must run in an interactive terminal.", {
      exitCode: EXIT_CODES.setup,
      remedy: "`holdfast logs --follow` prints a terminal's output.",
    });
  }
  const link = await host();
  const id = await findRunning(link.api, word);
  const isOwnCommand = false;
  const end = await attachTo({ link, id, streams, keys, isReadOnly, takesOver, isOwnCommand, trustsOutput });
  console.note(console.notePaint.dim(endWords(end, shortName(id))));
  return attachExitCode(end);
}

/** The id of the terminal that a word means, or of the only one that runs in the session that it means (C872). */
async function findRunning(api: Holdfast, word: string): Promise<string> {
  try {
    return await resolveTerminal(api, word);
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== "TERMINAL_NOT_FOUND") throw error;
    const sessions = await api.acpAgent.listSessions();
    const session = sessions.find(({ session_key }) => meansSession(word, session_key));
    if (session === undefined) throw error;
    const terminals = await api.terminals.list();
    const found = terminals.filter(
      ({ lifecycle, session_key, made_by }) =>
        lifecycle.status === "running" && meansSession(word, session_key ?? made_by ?? ""),
    );
    const id = onlyTerminal(found, word)?.id;
    if (id !== undefined) return id;
    const name = shortSessionName(session.session_key);
    throw new CommandError("TERMINAL_NOT_FOUND", `Session ${name} has no running terminal.`, {
      exitCode: EXIT_CODES.missing,
      remedy: "`holdfast terminals --all` lists the terminals.",
    });
  }
}

/** The option of commands that show a program's output in this window. */
export function trustOption(): Option {
  return new Option(
    "--trust-output",
    "while you hold it, let its output set the window's title, links and clipboard",
  );
}

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

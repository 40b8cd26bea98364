// The command line: all commands, and what is said to words that are none.
import { Command, CommanderError } from "commander";
import { CommandError } from "./command-error.ts";
import { addAgentsDoctor } from "./command/agents-doctor.ts";
import { addAgents } from "./command/agents.ts";
import type { AddCommand, Runner } from "./command/command.ts";
import { addApprovals } from "./command/approvals.ts";
import { addApprove } from "./command/approve.ts";
import { addAttach } from "./command/attach.ts";
import { addApps } from "./command/apps.ts";
import { addAudit } from "./command/audit.ts";
import { addCancel } from "./command/cancel.ts";
import { addChat } from "./command/chat.ts";
import { addClose } from "./command/close.ts";
import { addCompletion } from "./command/completion.ts";
import { addConfig } from "./command/config.ts";
import { addDelete } from "./command/delete.ts";
import { addDeny } from "./command/deny.ts";
import { addDoctor } from "./command/doctor.ts";
import { addExec } from "./command/exec.ts";
import { addExport } from "./command/export.ts";
import { addKeys } from "./command/keys.ts";
import { addLogs } from "./command/logs.ts";
import { addLs } from "./command/ls.ts";
import { addPrune } from "./command/prune.ts";
import { addRun } from "./command/run.ts";
import { addStop } from "./command/stop.ts";
import { addTerminals } from "./command/terminals.ts";
import { addVersion } from "./command/version.ts";
import { addWatch } from "./command/watch.ts";
import { addService } from "./command/service.ts";
import { addServe } from "./command/serve.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { ServeOptions } from "./serve/serve.ts";

/** Every command but `serve`, in the order in which the help lists them. */
const commands: readonly AddCommand[] = [
  addRun,
  addChat,
  addLs,
  addWatch,
  addCancel,
  addApprovals,
  addApprove,
  addDeny,
  addClose,
  addDelete,
  addPrune,
  addExport,
  addExec,
  addAttach,
  addTerminals,
  addLogs,
  addAgents,
  addAgentsDoctor,
  addApps,
  addKeys,
  addAudit,
  addStop,
  addDoctor,
  addConfig,
  addService,
  addCompletion,
  addVersion,
];

/** What the words after the program's name ask for. */
export type Request =
  | { readonly kind: "serve"; readonly options: ServeOptions }
  /** The command ran, and the runner was told how it ended. */
  | { readonly kind: "done" }
  | { readonly kind: "help"; readonly text: string };

/** Reads the words and does what they say; all but serving, which is up to the caller. */
export async function runCommand(words: readonly string[], run: Runner): Promise<Request> {
  let help = "";
  let request: Request = { kind: "done" };
  const program = createProgram(run, (options) => (request = { kind: "serve", options })).configureOutput({
    writeOut: (text) => (help += text),
    writeErr: () => undefined,
  });
  for (const command of allCommands(program)) command.exitOverride().copyInheritedSettings(program);
  try {
    await program.parseAsync(withCommand(words, program), { from: "user" });
    return request;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "help", text: help };
    throw new CommandError("WRONG_ARGUMENTS", sentence(error.message), {
      exitCode: EXIT_CODES.setup,
      remedy: "`holdfast --help` lists the commands, `holdfast COMMAND --help` its options.",
      cause: error,
    });
  }
}

/** The whole command line, for whoever reads it: to parse, to complete, to document. */
export function createProgram(run: Runner, onServe: (options: ServeOptions) => void): Command {
  const program = new Command("holdfast")
    .description("An agent host that lets go of nothing.")
    .exitOverride()
    .showSuggestionAfterError(true);
  addServe(program, onServe);
  for (const add of commands) add(program, run);
  return program;
}

function allCommands(program: Command): Command[] {
  return program.commands.flatMap((command) => [command, ...allCommands(command)]);
}

/** What is asked of the program itself, not of a command. */
const programWords = new Set(["help", "--help", "-h", "--version", "-V"]);

/** Without a command, or with options alone, the host is meant. */
function withCommand(words: readonly string[], program: Command): string[] {
  const [first] = words;
  const isForProgram = first !== undefined && programWords.has(first);
  if (first !== undefined && (isForProgram || !first.startsWith("-"))) return [...words];
  return [program.commands[0]?.name() ?? "", ...words];
}

/** Commander's own words begin with `error:` and may have a suggestion on a second line. */
function sentence(message: string): string {
  // What it says when a command that only has further commands stands alone.
  if (message === "(outputHelp)") return "A further word is needed.";
  const text = message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// The command line: all commands, and what is said to words that are none.
import { Command, CommanderError } from "commander";
import { CommandError } from "./command-error.ts";
import { addAcp } from "./command/acp.ts";
import { addAgents } from "./command/agents.ts";
import type { AddCommand, Runner } from "./command/command.ts";
import { addApprovals } from "./command/approvals.ts";
import { addApprove } from "./command/approve.ts";
import { addAttach } from "./command/attach.ts";
import { addApps } from "./command/apps.ts";
import { addAudit } from "./command/audit.ts";
import { addCancel } from "./command/cancel.ts";
import { addChanges } from "./command/changes.ts";
import { addChat } from "./command/chat.ts";
import { addClose } from "./command/close.ts";
import { addReopen } from "./command/reopen.ts";
import { addCompletion } from "./command/completion.ts";
import { addConfig } from "./command/config.ts";
import { addDelete } from "./command/delete.ts";
import { addDeny } from "./command/deny.ts";
import { addDoctor } from "./command/doctor.ts";
import { addExec } from "./command/exec.ts";
import { addExport } from "./command/export.ts";
import { addKeeper } from "./command/keeper.ts";
import { addKeys } from "./command/keys.ts";
import { addKill } from "./command/kill.ts";
import { addLogs } from "./command/logs.ts";
import { addLs } from "./command/ls.ts";
import { addOpen } from "./command/open.ts";
import { addPermissions } from "./command/permissions.ts";
import { addPolicy } from "./command/policy.ts";
import { addPrune } from "./command/prune.ts";
import { addPs } from "./command/ps.ts";
import { addRestart } from "./command/restart.ts";
import { addRevert } from "./command/revert.ts";
import { addRun } from "./command/run.ts";
import { addSearch } from "./command/search.ts";
import { addSignIns } from "./command/sign-ins.ts";
import { addStop } from "./command/stop.ts";
import { addTerminals } from "./command/terminals.ts";
import { addVersion } from "./command/version.ts";
import { addWatch } from "./command/watch.ts";
import { addService } from "./command/service.ts";
import { addServe } from "./command/serve.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { ServeOptions } from "./serve/serve.ts";

/** Every command but `serve`, in the order in which the help lists them, by what they are for. */
const groups: readonly { readonly heading: string; readonly commands: readonly AddCommand[] }[] = [
  {
    heading: "Agents and sessions:",
    commands: [addRun, addChat, addLs, addWatch, addCancel, addClose, addReopen, addDelete, addAcp],
  },
  { heading: "Changes:", commands: [addChanges, addRevert] },
  { heading: "Approvals:", commands: [addApprovals, addApprove, addDeny, addPermissions, addPolicy] },
  { heading: "Terminals:", commands: [addExec, addAttach, addTerminals, addLogs, addKill] },
  { heading: "History:", commands: [addSearch, addExport, addPrune, addAudit] },
  { heading: "Access:", commands: [addOpen, addSignIns, addKeys, addApps] },
  {
    heading: "Host and machine:",
    commands: [
      addStop,
      addRestart,
      addPs,
      addAgents,
      addDoctor,
      addConfig,
      addService,
      addKeeper,
      addCompletion,
      addVersion,
    ],
  },
];

const examples = `
Examples:
  holdfast                                     serve: prints a link to the page
  holdfast run claude "fix the failing tests"  run an agent here; approve its actions in place
  holdfast ls                                  sessions, those that need you first
  holdfast exec --detach --name dev npm start  a command that outlives this window
  holdfast attach dev                          show it, type into it; Ctrl-] leaves

Each command has its own help: holdfast run --help`;

export type Request =
  | { readonly kind: "serve"; readonly options: ServeOptions }
  /** The command ran, and the runner has its exit code. */
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

/** The whole command line: to parse, to complete, to document. */
export function createProgram(run: Runner, onServe: (options: ServeOptions) => void): Command {
  const program = new Command("holdfast")
    .description("Runs coding agents and their terminals, and shares them with any number of clients.")
    .exitOverride()
    .showSuggestionAfterError(true)
    .enablePositionalOptions()
    .addHelpText("after", examples);
  program.commandsGroup("Host:");
  addServe(program, onServe);
  for (const { heading, commands } of groups) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, run);
  }
  return program;
}

function allCommands(program: Command): Command[] {
  return program.commands.flatMap((command) => [command, ...allCommands(command)]);
}

/** What is asked of the program itself, not of a command. */
const programWords = new Set(["help", "--help", "-h", "--version", "-V"]);

/** Options of every command, as they may precede its name. */
const sharedFlags = new Set(["--json"]);
const sharedSettings = new Set(["--home", "--url"]);

/** Without a command, or with options alone, the host is meant. Shared options go behind the command's name (C513). */
function withCommand(words: readonly string[], program: Command): string[] {
  const optionCount = countSharedOptions(words);
  const rest = words.slice(optionCount);
  const [first] = rest;
  if (first === undefined || (first.startsWith("-") && !programWords.has(first))) {
    return [program.commands[0]?.name() ?? "", ...words];
  }
  const nameCount = countNames(rest, program);
  if (nameCount === 0) return rest;
  return [...rest.slice(0, nameCount), ...words.slice(0, optionCount), ...rest.slice(nameCount)];
}

function countSharedOptions(words: readonly string[]): number {
  let count = 0;
  for (;;) {
    const word = words[count] ?? "";
    const [name = ""] = word.split("=", 1);
    if (sharedSettings.has(name)) count += word === name ? 2 : 1;
    else if (sharedFlags.has(word)) count += 1;
    else return Math.min(count, words.length);
  }
}

/** The words that name a command and its subcommand. */
function countNames(words: readonly string[], program: Command): number {
  let command = program;
  let count = 0;
  for (; count < words.length; count += 1) {
    const found = command.commands.find((each) => each.name() === words[count]);
    if (found === undefined) break;
    command = found;
  }
  return count;
}

/** Commander's own words begin with `error:` and may have a suggestion on a second line. */
function sentence(message: string): string {
  // The message for a command group without a subcommand.
  if (message === "(outputHelp)") return "A subcommand is missing.";
  const text = message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

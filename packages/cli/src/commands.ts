// The command line: all commands, and what is said to words that are none.
import { Command, CommanderError } from "commander";
import { CommandError } from "./command-error.ts";
import type { AddCommand, Runner } from "./command/command.ts";
import { addServe } from "./command/serve.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { ServeOptions } from "./serve/serve.ts";

/** Brings in the code that adds a command. */
type LoadCommand = () => Promise<AddCommand>;

/**
 * Every command but `serve`, by name, in the order in which the help lists them, by what they are for. Each is loaded
 * only when it is meant: all of them together would be most of the program's start.
 */
const groups: readonly {
  readonly heading: string;
  readonly commands: Readonly<Record<string, LoadCommand>>;
}[] = [
  {
    heading: "Agents and sessions:",
    commands: {
      run: async () => (await import("./command/run.ts")).addRun,
      chat: async () => (await import("./command/chat.ts")).addChat,
      ls: async () => (await import("./command/ls.ts")).addLs,
      watch: async () => (await import("./command/watch.ts")).addWatch,
      cancel: async () => (await import("./command/cancel.ts")).addCancel,
      close: async () => (await import("./command/close.ts")).addClose,
      reopen: async () => (await import("./command/reopen.ts")).addReopen,
      delete: async () => (await import("./command/delete.ts")).addDelete,
      acp: async () => (await import("./command/acp.ts")).addAcp,
    },
  },
  {
    heading: "Changes:",
    commands: {
      changes: async () => (await import("./command/changes.ts")).addChanges,
      revert: async () => (await import("./command/revert.ts")).addRevert,
    },
  },
  {
    heading: "Approvals:",
    commands: {
      approvals: async () => (await import("./command/approvals.ts")).addApprovals,
      approve: async () => (await import("./command/approve.ts")).addApprove,
      deny: async () => (await import("./command/deny.ts")).addDeny,
      permissions: async () => (await import("./command/permissions.ts")).addPermissions,
      policy: async () => (await import("./command/policy.ts")).addPolicy,
    },
  },
  {
    heading: "Terminals:",
    commands: {
      exec: async () => (await import("./command/exec.ts")).addExec,
      attach: async () => (await import("./command/attach.ts")).addAttach,
      terminals: async () => (await import("./command/terminals.ts")).addTerminals,
      logs: async () => (await import("./command/logs.ts")).addLogs,
      kill: async () => (await import("./command/kill.ts")).addKill,
    },
  },
  {
    heading: "History:",
    commands: {
      search: async () => (await import("./command/search.ts")).addSearch,
      export: async () => (await import("./command/export.ts")).addExport,
      prune: async () => (await import("./command/prune.ts")).addPrune,
      audit: async () => (await import("./command/audit.ts")).addAudit,
    },
  },
  {
    heading: "Access:",
    commands: {
      open: async () => (await import("./command/open.ts")).addOpen,
      "sign-ins": async () => (await import("./command/sign-ins.ts")).addSignIns,
      keys: async () => (await import("./command/keys.ts")).addKeys,
      apps: async () => (await import("./command/apps.ts")).addApps,
    },
  },
  {
    heading: "Host and machine:",
    commands: {
      stop: async () => (await import("./command/stop.ts")).addStop,
      restart: async () => (await import("./command/restart.ts")).addRestart,
      ps: async () => (await import("./command/ps.ts")).addPs,
      agents: async () => (await import("./command/agents.ts")).addAgents,
      doctor: async () => (await import("./command/doctor.ts")).addDoctor,
      config: async () => (await import("./command/config.ts")).addConfig,
      service: async () => (await import("./command/service.ts")).addService,
      keeper: async () => (await import("./command/keeper.ts")).addKeeper,
      completion: async () => (await import("./command/completion.ts")).addCompletion,
      version: async () => (await import("./command/version.ts")).addVersion,
    },
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
  const onServe = (options: ServeOptions): void => void (request = { kind: "serve", options });
  const program = (await createProgram(run, onServe, meantCommand(words))).configureOutput({
    writeOut: (text) => (help += text),
    writeErr: () => undefined,
  });
  for (const command of allCommands(program)) command.exitOverride().copyInheritedSettings(program);
  const given = withCommand(words, program);
  try {
    await program.parseAsync(given, { from: "user" });
    return request;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "help", text: help };
    throw new CommandError("WRONG_ARGUMENTS", sentence(error.message), {
      exitCode: EXIT_CODES.setup,
      remedy: helpHint(given.slice(0, countNames(given, program))),
      cause: error,
    });
  }
}

/** The command line, to parse, to complete, to document: the whole of it, or `serve` and one other command. */
export async function createProgram(
  run: Runner,
  onServe: (options: ServeOptions) => void,
  only?: string,
): Promise<Command> {
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
    const wanted = Object.entries(commands).filter(([name]) => only === undefined || only === name);
    for (const add of await Promise.all(wanted.map(([, load]) => load()))) add(program, run);
  }
  return program;
}

/** The command that the words name, which is all that has to be loaded; undefined where they concern all commands. */
function meantCommand(words: readonly string[]): string | undefined {
  const [first = serveName] = words.slice(countSharedOptions(words));
  if (first === completeName) return "completion";
  if (versionWords.has(first)) return "version";
  if (first.startsWith("-") && !programWords.has(first)) return serveName;
  // Its script lists every command.
  if (first === "completion") return undefined;
  return first === serveName || groups.some(({ commands }) => Object.hasOwn(commands, first))
    ? first
    : undefined;
}

function allCommands(program: Command): Command[] {
  return program.commands.flatMap((command) => [command, ...allCommands(command)]);
}

/** The command that is meant where none is named. */
const serveName = "serve";

/** The hidden command by which completion scripts ask for names. */
const completeName = "__complete";

const versionWords: ReadonlySet<string> = new Set(["--version", "-V"]);

/** What is asked of the program itself, not of a command. */
const programWords = new Set(["help", "--help", "-h", ...versionWords]);

/** Options of every command, as they may precede its name. */
const sharedFlags = new Set(["--json"]);
const sharedSettings = new Set(["--home", "--url"]);

/** Without a command, or with options alone, the host is meant. Shared options go behind the command's name (C513). */
function withCommand(words: readonly string[], program: Command): string[] {
  const optionCount = countSharedOptions(words);
  const rest = words.slice(optionCount);
  const [first] = rest;
  if (first === undefined || (first.startsWith("-") && !programWords.has(first))) {
    return [serveName, ...words];
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

/** The help that concerns the command that was named (C846). */
function helpHint(names: readonly string[]): string {
  if (names.length === 0) return "`holdfast --help` lists the commands.";
  return `\`holdfast ${names.join(" ")} --help\` lists its arguments and options.`;
}

/** Commander's own words begin with `error:` and may have a suggestion on a second line. */
function sentence(message: string): string {
  // The message for a command group without a subcommand.
  if (message === "(outputHelp)") return "A subcommand is missing.";
  const text = message
    .replace(/^error: /, "")
    .replace(/\s*\n\s*/g, " ")
    .replace(/^command-argument value ('.*?') is invalid for argument '(.*?)'\./, "$1 is not a valid $2.")
    .replace(/^option '(?:.*, )?(--[\w-]+).*?' argument ('.*?') is invalid\./, "$2 is not valid for $1.");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

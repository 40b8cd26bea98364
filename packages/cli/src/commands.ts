// The command line: all commands, and what is said to words that are none.
import { Command, CommanderError } from "commander";
import { CommandError } from "./command-error.ts";
import type { AddCommand, Runner } from "./command/command.ts";
import { addServe } from "./command/serve.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { ServeOptions } from "./serve/serve.ts";

/** Every command but `serve`, in the order in which the help lists them. */
const commands: readonly AddCommand[] = [];

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

/** Without a command, or with options alone, the host is meant. */
function withCommand(words: readonly string[], program: Command): string[] {
  const [first] = words;
  const isForProgram = first === "--help" || first === "-h" || first === "help";
  if (first !== undefined && (isForProgram || !first.startsWith("-"))) return [...words];
  return [program.commands[0]?.name() ?? "", ...words];
}

/** Commander's own words begin with `error:` and may have a suggestion on a second line. */
function sentence(message: string): string {
  const text = message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

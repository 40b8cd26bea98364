// A command that a person runs in a terminal of its own: with a screen, or byte for byte on pipes.
import { type Keeper, KeeperError } from "@holdfast/keeper/port";
import { HostError } from "@holdfast/protocol";
import { readFolder, readSize } from "./person-shell.ts";
import type { NewCommand } from "./terminal-desk.ts";
import type { TerminalPlan } from "./host-terminals.ts";

/** What of a terminal's plan the command itself says. */
export type CommandPlan = Pick<
  TerminalPlan,
  "title" | "titleSource" | "kind" | "command" | "args" | "cwd" | "env" | "size" | "hasInput" | "isPaced"
>;

/** The command as one line, for people. */
export function commandLineOf({ command, args = [] }: Pick<NewCommand, "command" | "args">): string {
  return [command, ...args].join(" ");
}

/** Makes a command ready to be run in the person's own environment. */
export async function planCommand(keeper: Keeper, request: NewCommand): Promise<CommandPlan> {
  const { command, args = [], kind, name, hasInput = false, isPaced = false } = request;
  const env = await keeper.buildEnvironment({
    audience: "person",
    hasScreen: kind === "tty",
    variables: request.env,
  });
  return {
    title: name ?? commandLineOf(request),
    titleSource: name === undefined ? "program" : "person",
    kind,
    command,
    args,
    cwd: readFolder(request.cwd),
    env,
    size: readSize(request.size),
    hasInput: kind === "text" && hasInput,
    isPaced: kind === "text" && isPaced,
  };
}

/** What a caller is told of a command that could not be started. */
export function startFailure(error: unknown): unknown {
  if (!(error instanceof KeeperError)) return error;
  const sentence = `${error.message}.`;
  switch (error.code) {
    case "program_not_found":
      return new HostError("COMMAND_NOT_FOUND", sentence, { cause: error });
    case "program_not_executable":
      return new HostError("COMMAND_NOT_EXECUTABLE", sentence, { cause: error });
    default:
      return new HostError("INVALID_REQUEST", sentence, { cause: error });
  }
}

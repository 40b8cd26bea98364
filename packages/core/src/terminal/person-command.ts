// A command that a person runs in a separate terminal: with a screen, or byte for byte on pipes.
import { type ProcessPort, TerminalError } from "@holdfast/terminal/port";
import { toRunLimits } from "@holdfast/terminal/terminal";
import { HostError } from "@holdfast/protocol";
import { quoteWords } from "../approval/command-line.ts";
import { readFolder, readSize } from "./person-shell.ts";
import type { NewCommand } from "../submit/submission.ts";
import type { TerminalPlan } from "./terminal-plan.ts";

/** The part of a terminal's plan that comes from the command. */
export type CommandPlan = Pick<
  TerminalPlan,
  | "title"
  | "titleSource"
  | "kind"
  | "command"
  | "args"
  | "cwd"
  | "env"
  | "size"
  | "hasInput"
  | "separateError"
  | "isPaced"
  | "limits"
>;

/** The command as one line, for people: a program with arguments as a shell would read it. */
export function commandLineOf({ command, args = [] }: Pick<NewCommand, "command" | "args">): string {
  return args.length === 0 ? command : quoteWords([command, ...args]);
}

/** Makes a command ready to be run in the person's own environment. */
export async function planCommand(processPort: ProcessPort, request: NewCommand): Promise<CommandPlan> {
  const { command, args = [], kind, name } = request;
  const { hasInput = false, separateError = false, isPaced = false } = request;
  const env = await processPort.buildEnvironment({
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
    separateError: kind === "text" && separateError,
    isPaced: kind === "text" && isPaced,
    limits: request.limits && toRunLimits(request.limits),
  };
}

/** The error for a command that could not be started. */
export function startFailure(error: unknown): unknown {
  if (!(error instanceof TerminalError)) return error;
  const sentence = error.message.replace(/\.?$/, ".");
  switch (error.code) {
    case "program_not_found":
      return new HostError("COMMAND_NOT_FOUND", sentence, { cause: error });
    case "program_not_executable":
      return new HostError("COMMAND_NOT_EXECUTABLE", sentence, { cause: error });
    default:
      return new HostError("INVALID_REQUEST", sentence, { cause: error });
  }
}

// The commands that a shell ran, as a viewer hears of them.
import type { CommandId, TerminalAction } from "@holdfast/ahp";
import type { TerminalPart } from "@holdfast/ahp/client";

/** A command; without `end` it runs. */
export interface ShellCommand {
  readonly commandId: CommandId;
  readonly commandLine: string;
  readonly end?: { readonly exitCode?: number | undefined; readonly durationMs?: number | undefined };
}

const kept = 50;

/** The commands in what a terminal showed when it was opened. */
export function commandsOf(parts: readonly TerminalPart[]): readonly ShellCommand[] {
  return parts
    .flatMap((part) => {
      if (part.kind !== "command") return [];
      const { commandId, commandLine, end } = part;
      return [{ commandId, commandLine, ...(end !== undefined && { end }) }];
    })
    .slice(-kept);
}

/** The commands worth listing: a terminal that runs a single command has it as its title. */
export function listedCommands(commands: readonly ShellCommand[], title: string): readonly ShellCommand[] {
  return commands.length === 1 && commands[0]?.commandLine === title ? [] : commands;
}

/** The commands after an action; the same list when it is about none. */
export function withAction(
  commands: readonly ShellCommand[],
  action: TerminalAction,
): readonly ShellCommand[] {
  switch (action.type) {
    case "terminal/commandExecuted": {
      const { commandId, commandLine } = action;
      const others = commands.filter((command) => command.commandId !== commandId);
      return [...others.map(cutOff), { commandId, commandLine }].slice(-kept);
    }
    case "terminal/commandFinished": {
      const { commandId, exitCode, durationMs } = action;
      return commands.map((command) =>
        command.commandId === commandId ? { ...command, end: { exitCode, durationMs } } : command,
      );
    }
    case "terminal/exited":
      return commands.map(cutOff);
    case "terminal/cleared":
      return [];
    default:
      return commands;
  }
}

/** A shell runs one command at a time: what still ran has ended without a word. */
function cutOff(command: ShellCommand): ShellCommand {
  return command.end === undefined ? { ...command, end: {} } : command;
}

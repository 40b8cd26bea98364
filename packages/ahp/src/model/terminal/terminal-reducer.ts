// The reducer of a terminal's channel: metadata only, each action in constant time.
import { ignoreUnknown, patch } from "../immutable.ts";
import type { FinishedCommand, TerminalAction, TerminalOutput, TerminalState } from "./terminal.ts";

type ActionOf<Type extends TerminalAction["type"]> = Extract<TerminalAction, { type: Type }>;

/** The terminal after an action; the same object when the action does not fit it (M2). */
export function reduceTerminal(terminal: TerminalState, action: TerminalAction): TerminalState {
  switch (action.type) {
    case "terminal/data":
      return moveOutput(terminal, { endOffset: Math.max(terminal.output.endOffset, action.endOffset) });
    case "terminal/trimmed":
      return moveOutput(terminal, {
        skippedBytes: Math.max(terminal.output.skippedBytes, action.skippedBytes),
      });
    case "terminal/cleared":
      return moveOutput(terminal, {
        clearedAtOffset: Math.max(terminal.output.clearedAtOffset, action.offset),
      });
    case "terminal/input":
      return terminal;
    case "terminal/resized":
      return resize(terminal, action);
    case "terminal/claimed":
      return claimBy(terminal, action);
    case "terminal/titleChanged":
      return retitle(terminal, action);
    case "terminal/cwdChanged":
      return patch(terminal, { cwd: action.cwd });
    case "terminal/commandDetectionAvailable":
      return patch(terminal, { supportsCommandDetection: true });
    case "terminal/commandExecuted":
      return openCommand(terminal, action);
    case "terminal/commandFinished":
      return finishCommand(terminal, action);
    case "terminal/exited":
      return exit(terminal, action);
    case "terminal/leftoversChanged":
      return { ...terminal, leftovers: action.leftovers };
    default:
      return ignoreUnknown(terminal, action);
  }
}

/** Offsets only grow, so that output which is sent again changes nothing (M22). */
function moveOutput(terminal: TerminalState, moved: Partial<TerminalOutput>): TerminalState {
  return patch(terminal, { output: patch(terminal.output, moved) });
}

function claimBy(terminal: TerminalState, { claim }: ActionOf<"terminal/claimed">): TerminalState {
  return { ...terminal, claim, ...(claim.kind === "session" && { session: claim.session }) };
}

/** A screen has at least one whole row and column (M25). */
function resize(terminal: TerminalState, { cols, rows }: ActionOf<"terminal/resized">): TerminalState {
  const isPossible = Number.isInteger(cols) && Number.isInteger(rows) && cols > 0 && rows > 0;
  const isSame = terminal.size?.cols === cols && terminal.size.rows === rows;
  return isPossible && !isSame ? { ...terminal, size: { cols, rows } } : terminal;
}

/** A title that a person chose stays until a person changes it, and a program changes no agent's (M24). */
function retitle(
  terminal: TerminalState,
  { title, source }: ActionOf<"terminal/titleChanged">,
): TerminalState {
  const { titleSource } = terminal;
  if (titleSource === "person" && source !== "person") return terminal;
  if (titleSource === "agent" && source === "program") return terminal;
  return patch(terminal, { title, titleSource: source });
}

/** A shell runs one command at a time: a new one ends the one before it, without a code. */
function openCommand(terminal: TerminalState, action: ActionOf<"terminal/commandExecuted">): TerminalState {
  if (terminal.lifecycle.status === "exited") return terminal;
  const { commandId, commandLine, startedAt, offset } = action;
  return {
    ...terminal,
    supportsCommandDetection: true,
    openCommand: { commandId, commandLine, startedAt, offset },
    lastCommand: cutOff(terminal),
  };
}

function finishCommand(terminal: TerminalState, action: ActionOf<"terminal/commandFinished">): TerminalState {
  const open = terminal.openCommand;
  if (open?.commandId !== action.commandId) return terminal;
  const { exitCode, durationMs } = action;
  const lastCommand: FinishedCommand = {
    commandId: open.commandId,
    commandLine: open.commandLine,
    exitCode,
    durationMs,
  };
  return { ...terminal, openCommand: undefined, lastCommand };
}

/** A program ends once, and with it the command that was open (M23). */
function exit(terminal: TerminalState, action: ActionOf<"terminal/exited">): TerminalState {
  if (terminal.lifecycle.status === "exited") return terminal;
  const { exitedAt, exit: ended, endOffset = 0 } = action;
  return {
    ...moveOutput(terminal, { endOffset: Math.max(terminal.output.endOffset, endOffset) }),
    lifecycle: { status: "exited", exitedAt, exit: ended },
    openCommand: undefined,
    lastCommand: cutOff(terminal),
  };
}

function cutOff({ openCommand: open, lastCommand }: TerminalState): FinishedCommand | undefined {
  return open ? { commandId: open.commandId, commandLine: open.commandLine } : lastCommand;
}

/** One action in place of two adjacent ones, or `undefined` when they must stay apart: output joins where no byte is missing (M6). */
export function mergeTerminalActions(
  earlier: TerminalAction,
  later: TerminalAction,
): TerminalAction | undefined {
  if (
    earlier.type !== "terminal/data" ||
    later.type !== "terminal/data" ||
    earlier.endOffset !== later.offset
  ) {
    return undefined;
  }
  return { ...earlier, data: earlier.data + later.data, endOffset: later.endOffset };
}

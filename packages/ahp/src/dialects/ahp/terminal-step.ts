// How AHP is told what happened to a terminal: the same eleven actions in every version.
import type { TerminalClaim } from "../../model/terminal/terminal.ts";
import type { StepOf } from "../dialect.ts";
import { fileUri } from "./file-uri.ts";
import type { TerminalStyle } from "./terminal-style.ts";
import { SILENCE, type WireAction, type WireStep } from "./wire-step.ts";

/** The actions for one step. Output is passed on as it is: whole characters are the business of whoever made it. */
export function stepTerminal({ action, before }: StepOf<"terminal">, style: TerminalStyle): WireStep {
  const { type } = action;
  switch (type) {
    case "terminal/data":
    case "terminal/input":
      return { main: { type, data: action.data } };
    case "terminal/resized":
      return { main: { type, cols: action.cols, rows: action.rows } };
    case "terminal/claimed":
      return { main: { type, claim: showClaim(action.claim, style) } };
    case "terminal/titleChanged":
      return { main: { type, title: action.title } };
    case "terminal/cwdChanged":
      return { main: { type, cwd: fileUri(action.cwd) } };
    case "terminal/cleared":
    case "terminal/commandDetectionAvailable":
      return { main: { type } };
    case "terminal/commandExecuted": {
      const { commandId, commandLine, startedAt } = action;
      const main = { type, commandId, commandLine, timestamp: Date.parse(startedAt) };
      return { lead: closeCommand(before.openCommand), main };
    }
    case "terminal/commandFinished": {
      const { commandId, exitCode, durationMs } = action;
      return { main: { type, commandId, exitCode, durationMs } };
    }
    case "terminal/exited":
      return {
        lead: closeCommand(before.openCommand),
        main: { type, exitCode: style.exitCode(action.exit) },
      };
    // The host forgets old output silently; clients may hold more.
    case "terminal/trimmed":
      return SILENCE;
  }
}

/** Who holds a terminal. */
export function showClaim(claim: TerminalClaim, { hasChatInClaim }: TerminalStyle): object {
  if (claim.kind === "client") return { kind: claim.kind, clientId: claim.clientId };
  const { kind, session, chat, turnId, toolCallId } = claim;
  return { kind, session, ...(hasChatInClaim && { chat }), turnId, toolCallId };
}

/** A command that is cut off, by the next one or by the end, is over in the model without a word (E7). */
function closeCommand(open: { readonly commandId: string } | undefined): readonly WireAction[] {
  return open ? [{ type: "terminal/commandFinished", commandId: open.commandId }] : [];
}

// What happened on a host, in a line for people (C32).
import type { TerminalExit } from "@holdfast/ahp";
import type { Paint } from "../../paint.ts";
import { safeText } from "../../safe-text.ts";
import { shortSessionName } from "../session-name.ts";
import type { HostChange } from "./host-changes.ts";

/** One line: the time, what it is about, and what happened. */
export function changeLine(change: HostChange, at: Date, paint: Paint): string {
  return `${paint.dim(at.toTimeString().slice(0, 8))} ${describe(change, paint)}`;
}

function describe(change: HostChange, { bold, green, yellow, red, dim }: Paint): string {
  switch (change.event) {
    case "session_added":
      return `${session(change)} ${green("is there")}: ${change.agent}, ${change.state} ${bold(safeText(change.title))}`;
    case "session_changed":
      return `${session(change)} ${change.state} ${bold(safeText(change.title))}`;
    case "session_removed":
      return `${session(change)} ${dim("is closed")} ${safeText(change.title)}`;
    case "approval_waiting":
      return (
        `${session(change)} ${yellow("asks")} to ${safeText(change.action)} ${bold(safeText(change.target))}: ` +
        `holdfast approve ${change.requestId}`
      );
    case "approval_settled":
      return `${session(change)} ${dim("is answered:")} ${safeText(change.target)}`;
    case "terminal_started":
      return `${terminal(change)} ${green("runs")} ${bold(safeText(change.title))}`;
    case "terminal_ended": {
      const isGood = change.exit.kind === "code" && change.exit.exitCode === 0;
      return `${terminal(change)} ${(isGood ? dim : red)(describeExit(change.exit))} ${safeText(change.title)}`;
    }
  }
}

function session({ session_key }: { readonly session_key: string }): string {
  return `session ${shortSessionName(session_key)}`;
}

function terminal({ terminalId }: { readonly terminalId: string }): string {
  return `terminal ${safeText(terminalId.slice(0, 8))}`;
}

function describeExit(exit: TerminalExit): string {
  switch (exit.kind) {
    case "code":
      return `exit ${exit.exitCode}`;
    case "signal":
      return `ended by ${safeText(exit.signal)}`;
    case "unknown":
      return `ended, nobody saw how: ${safeText(exit.reason)}`;
  }
}

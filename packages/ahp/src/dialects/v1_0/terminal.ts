// Terminals in AHP 1.0.
import type { TerminalInfo, TerminalLifecycle, TerminalState } from "../../model/terminal/terminal.ts";
import { exitCodeOf } from "../ahp/exit.ts";
import { fileUri } from "../ahp/file-uri.ts";
import { showTerminalParts, type TerminalPart } from "../ahp/terminal-part.ts";
import { showClaim } from "../ahp/terminal-step.ts";
import type { TerminalStyle } from "../ahp/terminal-style.ts";
import type { WireTerminalInfo, WireTerminalLifecycle, WireTerminalState } from "./wire.ts";

/** Since 0.9 a program that was ended by a signal has no exit code. */
export const terminalStyle: TerminalStyle = { hasChatInClaim: true, exitCode: exitCodeOf };

/** A terminal's state with what it shows. */
export function showTerminal(terminal: TerminalState, content: readonly TerminalPart[]): WireTerminalState {
  const { title, cwd, size, lifecycle, claim, run, supportsCommandDetection } = terminal;
  return {
    title,
    cwd: cwd === undefined ? undefined : fileUri(cwd),
    cols: size?.cols,
    rows: size?.rows,
    content: showTerminalParts(content),
    lifecycle: showLifecycle(lifecycle),
    claim: showClaim(claim, terminalStyle),
    supportsCommandDetection: supportsCommandDetection || undefined,
    isPty: run === "tty",
  };
}

/** A terminal in the root's list. */
export function showTerminalInfo({ resource, title, claim, lifecycle }: TerminalInfo): WireTerminalInfo {
  return { resource, title, claim: showClaim(claim, terminalStyle), lifecycle: showLifecycle(lifecycle) };
}

function showLifecycle(lifecycle: TerminalLifecycle): WireTerminalLifecycle {
  if (lifecycle.status === "running") return lifecycle;
  return { status: "exited", exitCode: exitCodeOf(lifecycle.exit) };
}

// Terminals in AHP 1.0.
import type { TerminalInfo, TerminalLifecycle, TerminalState } from "../../model/terminal/terminal.ts";
import {
  exitCodeOf,
  showClaim,
  showTerminalParts,
  type TerminalPart,
  type TerminalStyle,
  type WireTerminalPart,
} from "../ahp/terminal.ts";
import { fileUri } from "../ahp/uri.ts";

export interface WireTerminalInfo {
  readonly resource: string;
  readonly title: string;
  readonly claim: object;
  readonly lifecycle: WireTerminalLifecycle;
}

/** Whether a terminal's program runs; a signal leaves no code. */
type WireTerminalLifecycle =
  | { readonly status: "running" }
  | { readonly status: "exited"; readonly exitCode?: number };

interface WireTerminalState {
  readonly title: string;
  readonly cwd?: string;
  readonly cols?: number;
  readonly rows?: number;
  readonly content: readonly WireTerminalPart[];
  readonly lifecycle: WireTerminalLifecycle;
  readonly claim: object;
  readonly supportsCommandDetection?: true;
  readonly isPty: boolean;
}

/** Since 0.9 a program that was ended by a signal has no exit code. */
export const terminalStyle: TerminalStyle = { hasIsPty: true, hasChatInClaim: true, exitCode: exitCodeOf };

export function showTerminal(terminal: TerminalState, content: readonly TerminalPart[]): WireTerminalState {
  const { title, cwd, size, lifecycle, claim, run, supportsCommandDetection } = terminal;
  return {
    title,
    cwd: cwd === undefined ? undefined : fileUri(cwd),
    cols: size?.cols,
    rows: size?.rows,
    content: showTerminalParts(content, run, terminalStyle),
    lifecycle: showLifecycle(lifecycle),
    claim: showClaim(claim, terminalStyle),
    supportsCommandDetection: supportsCommandDetection || undefined,
    isPty: run === "tty",
  };
}

export function showTerminalInfo({ resource, title, claim, lifecycle }: TerminalInfo): WireTerminalInfo {
  return { resource, title, claim: showClaim(claim, terminalStyle), lifecycle: showLifecycle(lifecycle) };
}

function showLifecycle(lifecycle: TerminalLifecycle): WireTerminalLifecycle {
  if (lifecycle.status === "running") return lifecycle;
  return { status: "exited", exitCode: exitCodeOf(lifecycle.exit) };
}

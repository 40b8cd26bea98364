// Terminals in the seed.
import type { TerminalInfo, TerminalLifecycle, TerminalState } from "../../model/terminal/terminal.ts";
import { exitNumberOf } from "../ahp/exit.ts";
import { fileUri } from "../ahp/file-uri.ts";
import { showTerminalParts, type TerminalPart } from "../ahp/terminal-part.ts";
import { showClaim } from "../ahp/terminal-step.ts";
import type { TerminalStyle } from "../ahp/terminal-style.ts";
import { showSeedUri } from "./uri.ts";
import type { SeedTerminalInfo, SeedTerminalState } from "./wire.ts";

/** In the seed a terminal without an exit code still runs, so every end needs a number. */
export const seedTerminalStyle: TerminalStyle = { hasChatInClaim: false, exitCode: exitNumberOf };

/** A terminal's state with what it shows. */
export function showSeedTerminal(
  terminal: TerminalState,
  content: readonly TerminalPart[],
): SeedTerminalState {
  const { title, cwd, size, lifecycle, claim, supportsCommandDetection } = terminal;
  return {
    title,
    cwd: cwd === undefined ? undefined : fileUri(cwd),
    cols: size?.cols,
    rows: size?.rows,
    content: showTerminalParts(content),
    exitCode: exitCode(lifecycle),
    claim: showClaim(claim, seedTerminalStyle),
    supportsCommandDetection: supportsCommandDetection || undefined,
  };
}

/** A terminal in the root's list. */
export function showSeedTerminalInfo({ resource, title, claim, lifecycle }: TerminalInfo): SeedTerminalInfo {
  return {
    resource: showSeedUri(resource),
    title,
    claim: showClaim(claim, seedTerminalStyle),
    exitCode: exitCode(lifecycle),
  };
}

function exitCode(lifecycle: TerminalLifecycle): number | undefined {
  return lifecycle.status === "exited" ? exitNumberOf(lifecycle.exit) : undefined;
}

// Terminals in the seed.
import type { TerminalInfo, TerminalLifecycle, TerminalState } from "../../model/terminal/terminal.ts";
import {
  exitNumberOf,
  showClaim,
  showTerminalParts,
  type TerminalPart,
  type TerminalStyle,
  type WireTerminalPart,
} from "../ahp/terminal.ts";
import { fileUri } from "../ahp/uri.ts";
import { showSeedUri } from "./uri.ts";

/** A terminal in the root's list; an exit code means that it is over. */
export interface SeedTerminalInfo {
  readonly resource: string;
  readonly title: string;
  readonly claim: object;
  readonly exitCode?: number;
}

interface SeedTerminalState {
  readonly title: string;
  readonly cwd?: string;
  readonly cols?: number;
  readonly rows?: number;
  readonly content: readonly WireTerminalPart[];
  readonly exitCode?: number;
  readonly claim: object;
  readonly supportsCommandDetection?: true;
}

/** In the seed a terminal without an exit code still runs, so every end needs a number. */
export const seedTerminalStyle: TerminalStyle = {
  hasIsPty: false,
  hasChatInClaim: false,
  exitCode: exitNumberOf,
};

export function showSeedTerminal(
  terminal: TerminalState,
  content: readonly TerminalPart[],
): SeedTerminalState {
  const { title, cwd, size, lifecycle, claim, run, supportsCommandDetection } = terminal;
  return {
    title,
    cwd: cwd === undefined ? undefined : fileUri(cwd),
    cols: size?.cols,
    rows: size?.rows,
    content: showTerminalParts(content, run, seedTerminalStyle),
    exitCode: exitCode(lifecycle),
    claim: showClaim(claim, seedTerminalStyle),
    supportsCommandDetection: supportsCommandDetection || undefined,
  };
}

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

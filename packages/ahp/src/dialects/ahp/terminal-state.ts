// A terminal's state, and its entry in the root's list, as AHP writes them.
import type { TerminalInfo, TerminalLifecycle, TerminalState } from "../../model/terminal/terminal.ts";
import {
  showClaim,
  showTerminalParts,
  type TerminalPart,
  type TerminalStyle,
  type WireTerminalPart,
} from "./terminal.ts";
import { fileUri } from "./uri.ts";

/** How a version writes whether a terminal's program runs: since 0.9 as `lifecycle`, before by its exit code. */
type WireExit =
  | { readonly lifecycle: { readonly status: "running" } }
  | { readonly lifecycle: { readonly status: "exited"; readonly exitCode?: number | undefined } }
  | { readonly exitCode?: number | undefined };

export type WireTerminalInfo = WireExit & {
  readonly resource: string;
  readonly title: string;
  readonly claim: object;
};

type WireTerminalState = WireExit & {
  readonly title: string;
  readonly cwd?: string | undefined;
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
  readonly content: readonly WireTerminalPart[];
  readonly claim: object;
  readonly supportsCommandDetection?: true | undefined;
  readonly isPty?: boolean;
};

export function showTerminal(
  terminal: TerminalState,
  content: readonly TerminalPart[],
  style: TerminalStyle,
): WireTerminalState {
  const { title, cwd, size, lifecycle, claim, run, supportsCommandDetection } = terminal;
  return {
    title,
    cwd: cwd === undefined ? undefined : fileUri(cwd),
    cols: size?.cols,
    rows: size?.rows,
    content: showTerminalParts(content, run, style),
    ...showExit(lifecycle, style),
    claim: showClaim(claim, style),
    supportsCommandDetection: supportsCommandDetection || undefined,
    ...(style.hasIsPty && { isPty: run === "tty" }),
  };
}

export function showTerminalInfo(info: TerminalInfo, style: TerminalStyle): WireTerminalInfo {
  const { resource, title, claim, lifecycle } = info;
  return { resource, title, claim: showClaim(claim, style), ...showExit(lifecycle, style) };
}

function showExit(lifecycle: TerminalLifecycle, { exit, exitCode }: TerminalStyle): WireExit {
  if (lifecycle.status === "running") return exit === "lifecycle" ? { lifecycle } : {};
  const code = exitCode(lifecycle.exit);
  return exit === "lifecycle" ? { lifecycle: { status: "exited", exitCode: code } } : { exitCode: code };
}

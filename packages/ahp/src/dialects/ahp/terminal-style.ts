// In what versions of AHP differ when they write a terminal.
import type { TerminalExit } from "../../model/terminal/terminal.ts";

/** How a version writes terminals. */
export interface TerminalStyle {
  /** Whether the claim of a session names the chat. */
  readonly hasChatInClaim: boolean;
  /** The number that tells how a program ended, where there is one. */
  readonly exitCode: (exit: TerminalExit) => number | undefined;
}

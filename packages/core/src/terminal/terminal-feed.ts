// What one follower of a terminal is told, piece by piece, at its own pace.
import type { TerminalExit } from "@holdfast/ahp";

/** The next piece. */
export type TerminalReading =
  /** Consecutive bytes; `offset` is that of the first. */
  | { readonly kind: "output"; readonly offset: number; readonly bytes: Uint8Array }
  /** Bytes that are no longer kept; what follows begins at `offset`. */
  | { readonly kind: "skipped"; readonly offset: number; readonly skippedBytes: number }
  | { readonly kind: "resized"; readonly cols: number; readonly rows: number }
  | { readonly kind: "exited"; readonly exit: TerminalExit; readonly endOffset: number }
  /** Nothing now; the follower is told when there is. */
  | { readonly kind: "nothing" }
  /** Nothing more will come. */
  | { readonly kind: "end" };

/** Follows one terminal. Whoever asked for it closes it. */
export interface TerminalFeed {
  next(): Promise<TerminalReading>;
  close(): void;
}

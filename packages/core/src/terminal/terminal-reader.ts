// The output of a terminal for one follower, piece by piece, at the follower's pace.
import type { TerminalExit } from "@holdfast/ahp";

/** The next piece. */
export type TerminalReading =
  /** Consecutive bytes; `offset` is that of the first. `stream` is there for bytes that are known to be of stderr. */
  | {
      readonly kind: "output";
      readonly offset: number;
      readonly bytes: Uint8Array;
      readonly stream?: "error";
    }
  /** Bytes that are no longer kept; what follows begins at `offset`. */
  | { readonly kind: "skipped"; readonly offset: number; readonly skippedBytes: number }
  | { readonly kind: "resized"; readonly cols: number; readonly rows: number }
  | { readonly kind: "exited"; readonly exit: TerminalExit; readonly endOffset: number }
  /** Nothing now; the follower is notified when there is. */
  | { readonly kind: "nothing" }
  /** Nothing more will come. */
  | { readonly kind: "end" };

/** Follows one terminal. The caller that opened it closes it. */
export interface TerminalReader {
  next(): Promise<TerminalReading>;
  close(): void;
}

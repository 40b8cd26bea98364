// Common part of the two kinds of run: output made from the bytes in a ring.
import type { OutputTail, JsonOutputTail } from "./text-tail.ts";

/** Makes the text of one run from the bytes pushed to its ring. */
export interface OutputText {
  /** Memory that this holds besides the ring. */
  readonly allocatedBytes: number;
  /** Called before bytes go to the ring, while older ones are still there. */
  willPush(bytes: Uint8Array, start: number, end: number): void;
  /** The command has exited: half a character at the end is shown from now on. */
  exited(): void;
  resize(columns: number, rows: number): void;
  /** The newest text within a limit: by default, that of the run. */
  text(limitBytes?: number): OutputTail;
  json(): JsonOutputTail;
  /** Frees what only makes the next JSON cheaper. */
  dropImage(): void;
  close(): void;
}

// The writer of an answer, which each API implements in its own events.
import type { NamedCall } from "./script.ts";

/** Writes one answer: `start`, then text and calls, then `end`. */
export interface ReplyWriter {
  start(): void;
  text(text: string): void;
  call(call: NamedCall): void;
  end(hasCalls: boolean): void;
}

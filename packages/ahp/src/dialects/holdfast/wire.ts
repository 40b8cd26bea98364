// The frames of our own dialect, as the host sends them and the client reads them.
import type { Action } from "../../model/channel.ts";
import type { TerminalPart } from "../ahp/terminal-part.ts";
import type { WireOrigin, WireSnapshot } from "../dialect.ts";

/** An action of the model on its way to its viewers, or back to its author. */
export interface HoldfastEnvelope {
  readonly channel: string;
  readonly action: Action;
  readonly serverSeq: number;
  readonly origin?: WireOrigin;
  readonly rejectionReason?: string;
  /** Set when the author alone is told that its action changed nothing: there is no entry of that number. */
  readonly isUnchanged?: true;
}

/** A state of the model; for a terminal, with what it shows. */
export interface HoldfastSnapshot extends WireSnapshot {
  readonly content?: readonly TerminalPart[];
}

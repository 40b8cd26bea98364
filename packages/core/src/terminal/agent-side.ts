// The session side of a terminal made for an agent: it is notified when people claim the terminal.
import type { SessionClaim, SessionUri } from "@holdfast/ahp";
import type { Holder } from "@holdfast/terminal/acp-parts";
import type { HostTerminal } from "./host-terminal.ts";

/** A session as its terminals see it. */
export interface AgentSide {
  readonly session: SessionUri;
  /** The channel of a terminal is opened in this tick, and what the agent learns of it belongs into the same commit. */
  opening?(): void;
  /** The session's claim on one of its terminals: with turn and tool call if the turn that used it still runs. */
  claimOf(terminal: HostTerminal): SessionClaim;
  /** A person took a terminal over, gave it back, or detached it. */
  moved(terminal: HostTerminal, to: Holder): void;
  /** It is being disposed of: the agent cannot name it any more. */
  forget(terminal: HostTerminal): void;
}

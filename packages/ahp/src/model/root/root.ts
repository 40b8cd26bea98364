// The root: what the host offers and what is open on it.
import type { JsonObject } from "../json.ts";
import type { SessionSummary } from "../session/session-summary.ts";
import type { TerminalInfo } from "../terminal/terminal.ts";
import type { AgentInfo } from "./agent.ts";

/** The state of the root channel. */
export interface RootState {
  readonly agents: readonly AgentInfo[];
  /** The sessions that are not closed, oldest first. */
  readonly sessions: readonly SessionSummary[];
  readonly terminals: readonly TerminalInfo[];
  /** Settings of the host that clients may see and change. */
  readonly config?: RootConfig;
}

/** Settings and the JSON Schema that describes them. */
export interface RootConfig {
  readonly schema: JsonObject;
  readonly values: JsonObject;
}

/** The state of a host that has just started. */
export function newRootState(config?: RootConfig): RootState {
  return { agents: [], sessions: [], terminals: [], config };
}

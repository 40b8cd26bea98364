// Everything that can happen on the root.
import type { Changes } from "../immutable.ts";
import type { SessionUri } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import type { SessionSummary } from "../session/session-summary.ts";
import type { TerminalInfo } from "../terminal/terminal.ts";
import type { AgentInfo } from "./agent.ts";

/** What may change in a session's summary. */
export type SessionSummaryChanges = Changes<
  Omit<SessionSummary, "resource" | "key" | "provider" | "owner" | "createdAt">
>;

/** Any action of the root channel. */
export type RootAction =
  /** The catalogue, as a whole. */
  | { readonly type: "root/agentsChanged"; readonly agents: readonly AgentInfo[] }
  | { readonly type: "root/sessionAdded"; readonly summary: SessionSummary }
  | {
      readonly type: "root/sessionSummaryChanged";
      readonly session: SessionUri;
      readonly changes: SessionSummaryChanges;
    }
  | { readonly type: "root/sessionRemoved"; readonly session: SessionUri }
  /** The list of terminals, as a whole. */
  | { readonly type: "root/terminalsChanged"; readonly terminals: readonly TerminalInfo[] }
  /** New values; with `replace` they are all there is. */
  | { readonly type: "root/configChanged"; readonly config: JsonObject; readonly replace?: boolean };

// The parts of a session and of its host that the session's agent works with.
import type { ProcessDeps } from "./agent-launch.ts";
import type { SessionContext } from "./session-context.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionSandbox } from "./session-sandbox.ts";

/** Parts of the host that the agent needs. */
export type AgentDeps = ProcessDeps &
  Pick<SessionDeps, "now" | "mcpServers" | "clientTools" | "models" | "defaultModel">;

/** Parts of the session's context that the agent needs. */
export type AgentContext = Pick<
  SessionContext,
  | "entry"
  | "state"
  | "cwd"
  | "hasHistory"
  | "hasCompletedTurn"
  | "pinRoot"
  | "publish"
  | "warn"
  | "uri"
  | "ledger"
  | "turn"
  | "queue"
> & {
  readonly deps: AgentDeps;
  readonly sandbox: Pick<SessionSandbox, "enter" | "isOutdated">;
};

// Fork of a session: what a new session takes over from the one whose context it begins with.
import type { SessionUri } from "@holdfast/ahp";
import { HostError, type SessionOptions } from "@holdfast/protocol";
import { type Caller, maySee } from "../caller.ts";
import type { Sessions } from "./sessions.ts";

/** The session that is forked. */
export interface Fork {
  /** The agent's own id of it. */
  readonly backendId: string;
  readonly options: Partial<SessionOptions>;
}

/** Reads the session that is to be forked; throws where its agent cannot, or there is nothing to fork yet. */
export function readFork(sessions: Sessions, uri: SessionUri, caller: Caller): Fork {
  const session = sessions.ofChannel(uri);
  if (session === undefined || !maySee(caller, session.state.owner)) {
    throw new HostError("ACP_SESSION_NOT_FOUND");
  }
  const { state, turns } = session;
  const { agent, provider, backendId, runtimeOptions, forwardedProvider, mcpServers, isolation } = state;
  if (agent?.forks !== true) {
    throw new HostError(
      "METHOD_NOT_ALLOWED",
      `Sessions of ${provider} cannot be forked: the agent does not offer session/fork. Create a new session instead.`,
    );
  }
  if (turns.isBusy) throw new HostError("ACP_TURN_ACTIVE");
  if (backendId === undefined) {
    throw new HostError(
      "INVALID_REQUEST",
      "The agent of this session has not started yet. Create a new session instead.",
    );
  }
  const options = {
    ...runtimeOptions,
    agent_id: provider,
    forwardedProvider,
    mcpServers,
    isolation: isolation?.wanted,
  };
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  return { backendId, options: Object.fromEntries(set) };
}

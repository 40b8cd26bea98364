// The sessions that are over and still kept, asked over HTTP: AHP lists only those that are open.
import { makeId, type SessionUri } from "@holdfast/ahp";
import type { HostConnection } from "../host/host-connection.ts";
import { hostFetch } from "../host/host-fetch.ts";

export interface ClosedSession {
  readonly key: string;
  readonly uri: SessionUri;
  readonly name: string;
  readonly agent: string;
  readonly folder: string;
  readonly lastActivityAt: string;
  /** Whether its agent ever started: else there is nothing to continue. */
  readonly hasStarted: boolean;
}

/** A session, as the app API lists it; only the fields that the page shows. */
export interface ListedSession {
  readonly session_key: string;
  readonly uri: string;
  readonly agent_id: string;
  readonly state: string;
  /** The agent's session; empty where the agent never started. */
  readonly backend_id: string;
  readonly created_at: string;
  readonly last_activity_at: string | null;
  readonly runtime_options: { readonly cwd?: string };
  readonly label?: string;
  readonly title?: string;
}

/** Asks for the sessions that are over; rejects with a sentence for people. */
export async function fetchClosedSessions(signal: AbortSignal): Promise<ClosedSession[]> {
  const answer = await hostFetch("/sdk/acp/sessions?closed=true", signal);
  const { sessions } = (await answer.json()) as { readonly sessions: readonly ListedSession[] };
  return closedAmong(sessions);
}

/** Opens a closed session again; rejects with a sentence for people. */
export async function reopenSession({ client }: HostConnection, session: SessionUri): Promise<void> {
  await client.request("reopenSession", { channel: session });
}

/** Deletes a session with its history; rejects with a sentence for people. */
export async function deleteSession(key: string): Promise<void> {
  await hostFetch(`/sdk/acp/session/${encodeURIComponent(key)}?purge=true`, undefined, "DELETE");
}

/** Those that are over, the last one used first. */
export function closedAmong(sessions: readonly ListedSession[]): ClosedSession[] {
  return sessions
    .filter(({ state }) => state === "closed")
    .map((session) => ({
      key: session.session_key,
      uri: makeId("session URI", session.uri),
      name: session.label ?? session.title ?? session.agent_id,
      agent: session.agent_id,
      folder: session.runtime_options.cwd ?? "",
      hasStarted: session.backend_id !== "",
      lastActivityAt: session.last_activity_at ?? session.created_at,
    }))
    .toSorted((one, other) => other.lastActivityAt.localeCompare(one.lastActivityAt));
}

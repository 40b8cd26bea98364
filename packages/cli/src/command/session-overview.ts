// What a list of sessions says of each: what it is doing, in one word, and where; what needs a person comes first.
import { fileURLToPath } from "node:url";
import { ROOT_URI, type SessionPhase, type SessionSummary } from "@holdfast/ahp";
import { ClientError, type AhpClient } from "@holdfast/ahp/client";
import type { AcpSessionStatus } from "@holdfast/sdk";
import type { HostLink } from "../link/host-link.ts";
import { shortSessionName } from "./session-name.ts";

/** What a session is doing; those that need a person are the first ones. */
const states = [
  "needs-approval",
  "needs-answer",
  "failed",
  "agent-gone",
  "working",
  "starting",
  "ready",
  "asleep",
  "closed",
] as const;

/** What a session is doing, in one word. */
export type SessionWord = (typeof states)[number];

/** A session in a list. */
export interface SessionOverview {
  readonly session_key: string;
  readonly name: string;
  readonly agent_id: string;
  readonly state: SessionWord;
  readonly title: string;
  readonly cwd: string | null;
  readonly created_at: string;
  readonly last_activity_at: string;
}

const pageSessions = 200;

/** The sessions that the caller may see, in the order in which they need a person. */
export async function listOverviews(
  link: HostLink,
  { closed }: { readonly closed: boolean },
): Promise<SessionOverview[]> {
  const { acpAgent, approvals } = link.api;
  const [sessions, waiting, summaries] = await Promise.all([
    acpAgent.listSessions({ closed }),
    approvals.list(),
    listSummaries(link),
  ]);
  const asking = new Set(waiting.map(({ session_key }) => session_key));
  return sessions
    .map((session) => describe(session, summaries.get(session.session_key), asking))
    .toSorted(
      (one, other) =>
        states.indexOf(one.state) - states.indexOf(other.state) ||
        other.last_activity_at.localeCompare(one.last_activity_at),
    );
}

/** What the host says of its open sessions over AHP, to whoever may see all of it; nothing to anyone else. */
async function listSummaries(link: HostLink): Promise<ReadonlyMap<string, SessionSummary>> {
  const summaries = new Map<string, SessionSummary>();
  const client = await clientFor(link);
  if (client === undefined) return summaries;
  let cursor: string | undefined;
  do {
    const page = await client.request("listSessions", {
      channel: ROOT_URI,
      limit: pageSessions,
      ...(cursor !== undefined && { cursor }),
    });
    for (const summary of page.items) summaries.set(summary.key, summary);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return summaries;
}

/** The client of those who may see all of the host; undefined for anyone else. */
async function clientFor(link: HostLink): Promise<AhpClient | undefined> {
  try {
    return await link.ahp();
  } catch (error) {
    if (error instanceof ClientError && error.kind === "refused") return undefined;
    throw error;
  }
}

function describe(
  session: AcpSessionStatus,
  summary: SessionSummary | undefined,
  asking: ReadonlySet<string>,
): SessionOverview {
  const { session_key, agent_id, created_at, label, runtime_options } = session;
  const [folder] = summary?.workingDirectories ?? [];
  return {
    session_key,
    name: shortSessionName(session_key),
    agent_id,
    state: asking.has(session_key)
      ? "needs-approval"
      : summary === undefined
        ? wordOfState(session)
        : wordOfPhase(summary.phase),
    title: label ?? summary?.title ?? "",
    cwd: runtime_options.cwd ?? (folder?.startsWith("file:") === true ? fileURLToPath(folder) : null),
    created_at,
    last_activity_at: session.last_activity_at ?? created_at,
  };
}

function wordOfState({ state }: AcpSessionStatus): SessionWord {
  switch (state) {
    case "initializing":
      return "starting";
    case "stale":
      return "asleep";
    case "ready":
    case "closed":
      return state;
  }
}

function wordOfPhase(phase: SessionPhase): SessionWord {
  switch (phase.status) {
    case "busy":
      if (phase.waitingFor === "permission") return "needs-approval";
      return phase.waitingFor === "input" ? "needs-answer" : "working";
    case "creating":
    case "resuming":
      return "starting";
    case "stale":
      return phase.cause === "agent-exited" || phase.cause === "resume-failed" ? "agent-gone" : "asleep";
    case "ready":
    case "failed":
    case "closed":
      return phase.status;
  }
}

// What a session shows of itself in the root's list.
import type { WaitingFor } from "../chat/turn.ts";
import type { AgentId, ChatUri, SessionKey, SessionUri, TurnId } from "../ids.ts";
import type { Timestamp, Uri } from "../json.ts";
import type { SessionLifecycle, SessionOwner, SessionState } from "./session.ts";

/** What a session is doing, seen from outside. */
export type SessionPhase =
  | SessionLifecycle
  | {
      readonly status: "busy";
      readonly chat: ChatUri;
      readonly turnId: TurnId;
      readonly waitingFor: WaitingFor | "agent";
    };

/** What the root's list says of a session. */
export interface SessionSummary {
  readonly resource: SessionUri;
  readonly key: SessionKey;
  readonly provider: AgentId;
  readonly owner: SessionOwner;
  readonly label?: string;
  readonly title: string;
  readonly createdAt: Timestamp;
  readonly lastActivityAt: Timestamp;
  readonly isRead: boolean;
  readonly isArchived: boolean;
  readonly activity?: string;
  readonly workingDirectories: readonly Uri[];
  readonly phase: SessionPhase;
  /** How many questions wait for a person. */
  readonly inputNeededCount: number;
}

/** What a session is doing: a turn that is going on counts for more than the state of the process. */
export function sessionPhase({ lifecycle, chats }: SessionState): SessionPhase {
  if (lifecycle.status === "failed" || lifecycle.status === "closed") return lifecycle;
  for (const { resource, phase } of chats) {
    if (phase.status === "idle") continue;
    return {
      status: "busy",
      chat: resource,
      turnId: phase.turnId,
      waitingFor: lifecycle.status === "ready" ? phase.waitingFor : "agent",
    };
  }
  return lifecycle;
}

/** What the root's list says of a session. */
export function summarizeSession(session: SessionState): SessionSummary {
  const {
    resource,
    key,
    provider,
    owner,
    label,
    title,
    createdAt,
    lastActivityAt,
    isRead,
    isArchived,
    activity,
  } = session;
  return {
    resource,
    key,
    provider,
    owner,
    label,
    title,
    createdAt,
    lastActivityAt,
    isRead,
    isArchived,
    activity,
    workingDirectories: session.workingDirectories,
    phase: sessionPhase(session),
    inputNeededCount: session.inputNeeded.length,
  };
}

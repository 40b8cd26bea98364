// Summary of a session in the root's list.
import type { WaitingFor } from "../chat/turn.ts";
import type { ChatUri, TurnId } from "../ids.ts";
import { countAnnotations, type AnnotationCounts } from "./annotation.ts";
import type { SessionLifecycle, SessionState } from "./session.ts";

type IdleLifecycle = Extract<SessionLifecycle, { readonly status: "ready" | "stale" }>;

/** The activity of a session, seen from outside. */
export type SessionPhase =
  | Exclude<SessionLifecycle, IdleLifecycle>
  /** `lastTurnFailed` is absent unless the last turn failed or was interrupted. */
  | (IdleLifecycle & { readonly lastTurnFailed?: true })
  | {
      readonly status: "busy";
      readonly chat: ChatUri;
      readonly turnId: TurnId;
      readonly waitingFor: WaitingFor | "agent";
    };

/** A session in the root's list. */
export interface SessionSummary extends Pick<
  SessionState,
  | "resource"
  | "key"
  | "provider"
  | "owner"
  | "label"
  | "title"
  | "createdAt"
  | "lastActivityAt"
  | "isRead"
  | "isArchived"
  | "activity"
  | "workingDirectories"
  | "changes"
> {
  readonly phase: SessionPhase;
  /** How many questions wait for a person. */
  readonly inputNeededCount: number;
  /** Absent without comments. */
  readonly annotationCounts?: AnnotationCounts;
}

/** The phase of a session: a running turn outranks the state of the process. */
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
  const hasFailed = chats.some(
    ({ phase }) => phase.status === "idle" && ["failed", "interrupted"].includes(phase.lastTurn ?? ""),
  );
  const isIdle = lifecycle.status === "ready" || lifecycle.status === "stale";
  return isIdle && hasFailed ? { ...lifecycle, lastTurnFailed: true } : lifecycle;
}

/** Whether a stale session is so because its agent failed. */
export function hasLostAgent({ cause }: Extract<SessionPhase, { readonly status: "stale" }>): boolean {
  return cause === "agent-exited" || cause === "resume-failed";
}

/** A phase in the words that people read, in the page and on the command line. */
export function phaseLabel(phase: SessionPhase): string {
  switch (phase.status) {
    case "busy":
      return busyLabels[phase.waitingFor];
    case "creating":
      return "starting";
    case "resuming":
    case "closed":
      return phase.status;
    case "failed":
      return "failed to start";
    case "stale":
      return hasLostAgent(phase) ? "agent stopped" : "idle";
    case "ready":
      return "idle";
  }
}

const busyLabels: Readonly<Record<WaitingFor | "agent", string>> = {
  permission: "needs approval",
  input: "needs an answer",
  tool: "running",
  model: "running",
  agent: "starting",
};

/** The session's entry in the root's list. */
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
  const counts = countAnnotations(session.annotations);
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
    changes: session.changes,
    phase: sessionPhase(session),
    inputNeededCount: session.inputNeeded.length,
    ...(counts !== undefined && { annotationCounts: counts }),
  };
}

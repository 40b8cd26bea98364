// What happens on a whole host, found by comparing what was with what is (C32).
import type { RootState, SessionPhase, SessionSummary, TerminalExit, TerminalInfo } from "@holdfast/ahp";
import { parseChannelUri } from "@holdfast/ahp";
import type { PendingApproval } from "@holdfast/sdk";

/** What is compared. */
export interface HostPicture {
  readonly root: Pick<RootState, "sessions" | "terminals">;
  readonly approvals: readonly PendingApproval[];
}

/** Something that happened. Each names its session or terminal as other commands take it. */
export type HostChange =
  | {
      readonly event: "session_added";
      readonly session_key: string;
      readonly agent: string;
      readonly title: string;
      readonly state: string;
    }
  | {
      readonly event: "session_changed";
      readonly session_key: string;
      readonly title: string;
      readonly state: string;
    }
  | { readonly event: "session_removed"; readonly session_key: string; readonly title: string }
  | {
      readonly event: "approval_waiting";
      readonly session_key: string;
      readonly requestId: string;
      readonly action: string;
      readonly target: string;
    }
  | {
      readonly event: "approval_settled";
      readonly session_key: string;
      readonly requestId: string;
      readonly target: string;
    }
  | { readonly event: "terminal_started"; readonly terminalId: string; readonly title: string }
  | {
      readonly event: "terminal_ended";
      readonly terminalId: string;
      readonly title: string;
      readonly exit: TerminalExit;
    };

/** An empty host, before which there was nothing. */
export const NOTHING: HostPicture = { root: { sessions: [], terminals: [] }, approvals: [] };

/** What happened between two pictures: sessions first, then what waits in them, then terminals. */
export function hostChanges(before: HostPicture, after: HostPicture): HostChange[] {
  return [
    ...sessionChanges(before.root.sessions, after.root.sessions),
    ...approvalChanges(before.approvals, after.approvals),
    ...terminalChanges(before.root.terminals, after.root.terminals),
  ];
}

/** What a session does, in a word or two. */
function describePhase(phase: SessionPhase): string {
  if (phase.status !== "busy" || phase.waitingFor === "model") return phase.status;
  return `busy, waits for ${phase.waitingFor}`;
}

function sessionChanges(before: readonly SessionSummary[], after: readonly SessionSummary[]): HostChange[] {
  const known = new Map(before.map((session) => [session.key, session]));
  const left = new Set(after.map(({ key }) => key));
  const changes = after.flatMap((session): HostChange[] => {
    const { key: session_key, provider: agent, title } = session;
    const state = describePhase(session.phase);
    const old = known.get(session.key);
    if (old === undefined) return [{ event: "session_added", session_key, agent, title, state }];
    const isSame = old.title === title && describePhase(old.phase) === state;
    return isSame ? [] : [{ event: "session_changed", session_key, title, state }];
  });
  const gone = before.filter(({ key }) => !left.has(key));
  return [
    ...changes,
    ...gone.map(({ key, title }) => ({ event: "session_removed", session_key: key, title }) as const),
  ];
}

function approvalChanges(
  before: readonly PendingApproval[],
  after: readonly PendingApproval[],
): HostChange[] {
  const known = new Set(before.map(({ requestId }) => requestId));
  const left = new Set(after.map(({ requestId }) => requestId));
  const asked = after.filter(({ requestId }) => !known.has(requestId));
  const settled = before.filter(({ requestId }) => !left.has(requestId));
  return [
    ...asked.map(({ session_key, requestId, action, target }) => {
      return { event: "approval_waiting", session_key, requestId, action, target } as const;
    }),
    ...settled.map(({ session_key, requestId, target }) => {
      return { event: "approval_settled", session_key, requestId, target } as const;
    }),
  ];
}

function terminalChanges(before: readonly TerminalInfo[], after: readonly TerminalInfo[]): HostChange[] {
  const known = new Map(before.map((terminal) => [terminal.resource, terminal]));
  return after.flatMap(({ resource, title, lifecycle }): HostChange[] => {
    const terminalId = terminalName(resource);
    const old = known.get(resource);
    const changes: HostChange[] = [];
    if (old === undefined) changes.push({ event: "terminal_started", terminalId, title });
    if (lifecycle.status === "exited" && old?.lifecycle.status !== "exited") {
      changes.push({ event: "terminal_ended", terminalId, title, exit: lifecycle.exit });
    }
    return changes;
  });
}

function terminalName(uri: TerminalInfo["resource"]): string {
  const address = parseChannelUri(uri);
  return address?.kind === "terminal" ? address.terminalId : uri;
}

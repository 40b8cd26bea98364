// Host events that a test makes, for observers of a host.
import { makeId, type PendingToolCall, type SessionOwner } from "@holdfast/ahp";
import type { HostEvent, HostStats, HostWatcher } from "@holdfast/core";

/** The stats of a host in which nothing has happened. */
export const noStats: HostStats = {
  sessions: {},
  turnsRunning: 0,
  approvalsOpen: 0,
  agentsRunning: 0,
  terminalsRunning: 0,
  terminalBytes: 0,
  terminalSkippedBytes: 0,
  subscribers: 0,
  lagEntries: 0,
  survivorsEnded: 0,
};

const person: SessionOwner = { kind: "person" };

/** A host that only reports events. */
export class WatchedHost {
  statsNow: HostStats = noStats;
  readonly #watchers = new Set<HostWatcher>();

  get watcherCount(): number {
    return this.#watchers.size;
  }

  watch(watcher: HostWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  stats(): HostStats {
    return this.statsNow;
  }

  notify(event: HostEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }
}

const common = {
  at: "2026-01-02T03:04:05.000Z",
  sessionKey: makeId("session key", "agent:shell:acp:s1"),
  agentId: makeId("agent", "shell"),
};

/** A turn began. */
export function turnStarted(agentId = "shell"): HostEvent {
  return {
    ...common,
    owner: person,
    agentId: makeId("agent", agentId),
    type: "turn_started",
    turnId: makeId("turn", "turn-1"),
  };
}

/** A turn came to its end. */
export function turnDone(turnId = "turn-1", owner = person): HostEvent {
  return {
    ...common,
    owner,
    type: "turn_done",
    turnId: makeId("turn", turnId),
    durationMs: 1500,
    end: { state: "complete", stopReason: "end_turn" },
  };
}

/** An agent died in mid-turn. */
export function turnFailed(stderrTail: readonly string[] = []): HostEvent {
  return {
    ...common,
    owner: person,
    type: "turn_done",
    turnId: makeId("turn", "turn-1"),
    durationMs: 10,
    end: {
      state: "failed",
      error: { code: "ACP_AGENT_EXITED", message: "It ended.", stderrTail },
      resumable: true,
    },
  };
}

/** A session is broken. */
export function sessionError(owner = person): HostEvent {
  return { ...common, owner, type: "session_error", error: { code: "resume_failed", message: "Lost." } };
}

/** Somebody has to decide. */
export function approvalNeeded(rawInput: PendingToolCall["rawInput"] = { command: "make" }): HostEvent {
  const toolCall: PendingToolCall = {
    status: "pending-confirmation",
    toolCallId: makeId("tool call", "call-1"),
    toolName: "execute",
    displayName: "Run make",
    toolKind: "execute",
    locations: [],
    contributor: { kind: "agent" },
    ...(rawInput !== undefined && { rawInput }),
    content: [],
    decisions: [],
    approval: {
      id: makeId("approval", "approval-1"),
      action: "execute",
      target: "make",
      options: [{ id: "yes", label: "Yes", kind: "allow_once" }],
      requestedAt: common.at,
    },
  };
  return { ...common, owner: person, type: "approval_needed", turnId: makeId("turn", "turn-1"), toolCall };
}

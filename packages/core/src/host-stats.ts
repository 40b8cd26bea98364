// Counts what a host has and does, for its metrics.
import type { HostParts } from "./compose.ts";
import type { HostStats } from "./host-event.ts";

export function readStats(
  { hub, sessions, terminals, approvals }: HostParts,
  terminalSkippedBytes: number,
): HostStats {
  const { running, writtenBytes, survivorsEnded } = terminals.stats;
  const { count: subscribers, lagEntries } = hub.readers();
  const byStatus: Record<string, number> = {};
  for (const { state } of sessions.all) {
    byStatus[state.lifecycle.status] = (byStatus[state.lifecycle.status] ?? 0) + 1;
  }
  return {
    sessions: byStatus,
    turnsRunning: sessions.all.filter(({ turns }) => turns.isBusy).length,
    approvalsOpen: approvals.list().length,
    agentsRunning: sessions.all.filter(({ hasAgent }) => hasAgent).length,
    terminalsRunning: running,
    terminalBytes: writtenBytes,
    terminalSkippedBytes,
    subscribers,
    lagEntries,
    survivorsEnded,
  };
}

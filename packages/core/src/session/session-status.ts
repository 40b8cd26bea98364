// A session as the app API describes it.
import type { SessionState } from "@holdfast/ahp";
import type { SessionStatus } from "@holdfast/protocol";

const appStates = {
  creating: "initializing",
  resuming: "ready",
  ready: "ready",
  stale: "stale",
  failed: "closed",
  closed: "closed",
} as const;

/** The status of a session, open or over. */
export function describeSession(state: SessionState): SessionStatus {
  const { key, provider, lifecycle, backendId, createdAt, runtimeOptions } = state;
  const { lastActivityAt, lastError, label, title } = state;
  return {
    session_key: key,
    agent_id: provider,
    state: appStates[lifecycle.status],
    backend_id: backendId ?? "",
    created_at: createdAt,
    runtime_options: {
      ...runtimeOptions,
      ...(runtimeOptions.extras !== undefined && { extras: { ...runtimeOptions.extras } }),
    },
    last_activity_at: lastActivityAt,
    ...(lastError !== undefined && { last_error: lastError.message }),
    ...(label !== undefined && { label }),
    ...(title !== "" && { title }),
  };
}

// States of sessions in `ls` and `watch`: one vocabulary for people and, with hyphens, for programs (C840, C861).
import type { SessionPhase } from "@holdfast/ahp";
import type { AcpSessionStatus } from "@holdfast/sdk";

/** States as `--json` has them, those that need a person first. */
export const SESSION_STATES = [
  "needs-approval",
  "needs-an-answer",
  "failed-to-start",
  "agent-stopped",
  "running",
  "starting",
  "idle",
  "closed",
] as const;

export type SessionStateName = (typeof SESSION_STATES)[number];

/** A state as a person reads it, here and in the page. */
export function stateLabel(state: SessionStateName): string {
  return state.replaceAll("-", " ");
}

export function stateOfPhase(phase: SessionPhase): SessionStateName {
  switch (phase.status) {
    case "busy":
      return busyStates[phase.waitingFor];
    case "creating":
    case "resuming":
      return "starting";
    case "stale":
      return phase.cause === "agent-exited" || phase.cause === "resume-failed" ? "agent-stopped" : "idle";
    case "ready":
      return "idle";
    case "failed":
      return "failed-to-start";
    case "closed":
      return "closed";
  }
}

const busyStates = {
  permission: "needs-approval",
  input: "needs-an-answer",
  agent: "starting",
  model: "running",
  tool: "running",
} as const satisfies Record<Extract<SessionPhase, { status: "busy" }>["waitingFor"], SessionStateName>;

/** The same from the app API, for callers that may not see the whole host: it knows less. */
export function stateOfStatus({ state }: Pick<AcpSessionStatus, "state">): SessionStateName {
  switch (state) {
    case "initializing":
      return "starting";
    case "ready":
    case "stale":
      return "idle";
    case "closed":
      return "closed";
  }
}

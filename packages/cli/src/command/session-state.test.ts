// States of sessions, as `ls` and `watch` name them.
import type { SessionPhase } from "@holdfast/ahp";
import { expect, it } from "vitest";
import { SESSION_STATES, stateLabel, stateOfPhase } from "./session-state.ts";

const busy = { status: "busy", turnId: "turn-1" } as const;

it.each([
  [{ status: "stale", cause: "evicted" }, "idle"],
  [{ status: "stale", cause: "agent-exited" }, "agent stopped"],
  [{ status: "ready" }, "idle"],
  [{ status: "creating" }, "starting"],
  [{ ...busy, waitingFor: "model" }, "running"],
  [{ ...busy, waitingFor: "tool" }, "running"],
  [{ ...busy, waitingFor: "agent" }, "starting"],
  [{ ...busy, waitingFor: "permission" }, "needs approval"],
  [{ ...busy, waitingFor: "input" }, "needs an answer"],
])("[C517, C840] %j is read as %j", (phase, label) => {
  expect(stateLabel(stateOfPhase(phase as SessionPhase))).toBe(label);
});

it("[C861] a program reads the words of people, with hyphens", () => {
  expect(SESSION_STATES.map((state) => stateLabel(state).replaceAll(" ", "-"))).toEqual([...SESSION_STATES]);
});

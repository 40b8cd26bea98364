// Questions are counted, finished sessions are listed.
import { makeId, newSessionState, sessionUri, summarizeSession, type SessionSummary } from "@holdfast/ahp";
import { expect, it } from "vitest";
import { needsOf } from "./attention-signs.ts";

function session(name: string, more: Partial<SessionSummary>): SessionSummary {
  const state = newSessionState({
    resource: sessionUri(makeId("session", name)),
    key: makeId("session key", `agent:shell:acp:${name}`),
    provider: makeId("agent", "shell"),
    owner: { kind: "person" },
    title: name,
    at: "2026-01-01T00:00:00.000Z",
    workingDirectories: ["file:///tmp"],
  });
  return { ...summarizeSession({ ...state, lifecycle: { status: "ready" } }), isRead: true, ...more };
}

it("[Z870, Z971] counts every question, and lists each finished session that nobody has looked at", () => {
  const busy = {
    status: "busy",
    chat: makeId("chat URI", "c"),
    turnId: makeId("turn", "t"),
    waitingFor: "model",
  } as const;
  const { asking, finished, count } = needsOf([
    session("two questions", { inputNeededCount: 2, isRead: false }),
    session("finished", { isRead: false }),
    session("failed", {
      isRead: false,
      phase: { status: "failed", error: { code: "x", message: "y" } } as never,
    }),
    session("read", {}),
    session("running", { isRead: false, phase: busy }),
    session("archived", { isRead: false, isArchived: true }),
  ]);
  expect(asking.map(({ title }) => title)).toEqual(["two questions"]);
  expect(finished.map(({ title }) => title)).toEqual(["finished", "failed"]);
  expect(count).toBe(2);
});

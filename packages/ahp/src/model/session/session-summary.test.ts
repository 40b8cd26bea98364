// Summary of a session, as the root's list has it.
import { expect, test } from "vitest";
import { newStates } from "../../testing/states.ts";
import { summarizeChat, type ChatSummary } from "../chat/chat.ts";
import { makeId } from "../ids.ts";
import { KEPT_NOTICES, reduceSession } from "./session-reducer.ts";
import { sessionPhase, summarizeSession } from "./session-summary.ts";
import type { SessionLifecycle, SessionState } from "./session.ts";

const turnId = makeId("turn", "t1");
const idle = summarizeChat(newStates.chat);
const busy: ChatSummary = {
  ...idle,
  resource: makeId("chat URI", "ahp-chat:/c2"),
  phase: { status: "busy", turnId, waitingFor: "permission" },
};
const error = { code: "x", message: "x" };
const closed: SessionLifecycle = {
  status: "closed",
  closedAt: "2026-01-01T00:00:09.000Z",
  by: { kind: "host" },
};

test("[M29] a session with a running turn is busy with what that turn waits for", () => {
  expect(sessionPhase(session({ status: "ready" }, [idle, busy]))).toEqual({
    status: "busy",
    chat: busy.resource,
    turnId,
    waitingFor: "permission",
  });
});

test.each<SessionLifecycle>([
  { status: "creating" },
  { status: "resuming" },
  { status: "stale", since: "", cause: "evicted" },
])("[M29] a turn of a session that is $status waits for the agent", (lifecycle) => {
  expect(sessionPhase(session(lifecycle, [busy]))).toMatchObject({ status: "busy", waitingFor: "agent" });
});

test.each<SessionLifecycle>([closed, { status: "failed", error }])(
  "[M29] a session that is $status is not busy whatever its chats say",
  (lifecycle) => {
    expect(sessionPhase(session(lifecycle, [busy]))).toBe(lifecycle);
  },
);

test("[M29] a session without a running turn is what its process is", () => {
  expect(sessionPhase(session({ status: "ready" }, [idle]))).toEqual({ status: "ready" });
  expect(summarizeSession(session({ status: "ready" }, [idle]))).toMatchObject({
    phase: { status: "ready" },
    inputNeededCount: 0,
  });
});

test.each(["failed", "interrupted"] as const)(
  "[Z954] a session whose last turn was %s says so",
  (lastTurn) => {
    const chat: ChatSummary = { ...idle, phase: { status: "idle", lastTurn } };
    expect(sessionPhase(session({ status: "ready" }, [chat]))).toEqual({
      status: "ready",
      lastTurnFailed: true,
    });
    expect(sessionPhase(session({ status: "creating" }, [chat]))).toEqual({ status: "creating" });
  },
);

test("[M32] a session keeps its newest notices and no more", () => {
  let state = newStates.session;
  for (let number = 1; number <= KEPT_NOTICES + 2; number += 1) {
    const notice = {
      id: makeId("notice", `n${number}`),
      at: "2026-01-01T00:00:00.000Z",
      severity: "info",
      title: "x",
    };
    state = reduceSession(state, { type: "session/noticeAdded", notice });
  }
  expect(state.notices).toHaveLength(KEPT_NOTICES);
  expect(state.notices[0]?.id).toBe("n3");
});

function session(lifecycle: SessionLifecycle, chats: readonly ChatSummary[]): SessionState {
  return { ...newStates.session, lifecycle, chats };
}

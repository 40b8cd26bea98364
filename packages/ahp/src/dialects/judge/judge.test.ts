// Shows what a client may do in which state, whatever its dialect.
import { expect, test } from "vitest";
import type { Action } from "../../model/channel.ts";
import type { ChatState } from "../../model/chat/chat.ts";
import { makeId } from "../../model/ids.ts";
import { newStates } from "../../testing/states.ts";
import { askingActions, failingActions, storyAfter, storyChat } from "../../testing/turn-story.ts";
import type { ReadContext, Verdict } from "../dialect.ts";
import { holdfast } from "../holdfast/holdfast.ts";
import type { KindedState } from "../projection.ts";
import { judge } from "./judge.ts";

const at = "2026-02-02T00:00:00.000Z";
const clientId = makeId("client", "ada");
const turnId = makeId("turn", "t1");
const busy = storyAfter(...askingActions);
const failed = storyAfter(...askingActions, ...failingActions);
const finished = storyAfter(...askingActions, {
  type: "chat/error",
  turnId,
  endedAt: at,
  durationMs: 1,
  error: { code: "x", message: "x" },
  resumable: false,
});
const user = { text: "Hi", origin: { kind: "user" } };
const inTurn = { turnId, toolCallId: makeId("tool call", "edit") };

const start = (id: string, origin = "user"): Action => ({
  type: "chat/turnStarted",
  turnId: makeId("turn", id),
  startedAt: "",
  message: { text: "Hi", origin: { kind: origin } },
});
const form: ChatState = {
  ...busy,
  activeTurn: busy.activeTurn && {
    ...busy.activeTurn,
    responseParts: [
      {
        kind: "inputRequest",
        request: {
          id: makeId("input request", "f"),
          requestedAt: at,
          questions: [
            { kind: "text", id: "name", message: "Name?", required: true },
            { kind: "boolean", id: "sure", message: "Sure?" },
          ],
        },
      },
    ],
  },
};
const complete = (response: "accept" | "decline", answers?: object): Action =>
  ({ type: "chat/inputCompleted", requestId: "f", response, answers, by: { kind: "host" } }) as Action;
const text = (value: string): object => ({ state: "submitted", value: { kind: "text", value } });

test.each<[string, ChatState, Action]>([
  ["a turn where none runs", storyChat, start("t9")],
  ["a turn that runs already, again", busy, start("t1")],
  ["a turn that has ended, again", failed, start("t1")],
  ["the last turn, which failed and can go on", failed, { type: "chat/turnResume", turnId }],
  [
    "a message to wait while a turn runs",
    busy,
    {
      type: "chat/pendingMessageSet",
      kind: "queued",
      pending: { id: makeId("pending message", "m"), message: user },
    },
  ],
  ["an accepted form with all that is required", form, complete("accept", { name: text("Ada") })],
  ["a declined form without answers", form, complete("decline")],
])("[E21] a client may send %s", (_what, state, action) => {
  expect(judged({ kind: "chat", state }, action)).toMatchObject({ ok: true });
});

test.each<[string, ChatState, Action]>([
  ["a second turn beside the one that runs", busy, start("t9")],
  ["a turn in an agent's name", storyChat, start("t9", "agent")],
  [
    "a cancellation of a turn that does not run",
    failed,
    { type: "chat/turnCancelled", turnId, endedAt: at, durationMs: 0, by: { kind: "host" } },
  ],
  ["a resumption of a turn that cannot go on", finished, { type: "chat/turnResume", turnId }],
  ["a resumption while a turn runs", busy, { type: "chat/turnResume", turnId }],
  ["a cut while a turn runs", busy, { type: "chat/truncated" }],
  [
    "a decision about another question",
    busy,
    {
      type: "chat/toolCallConfirmed",
      ...inTurn,
      decision: { approvalId: makeId("approval", "other"), outcome: "approved", by: { kind: "host" }, at },
    },
  ],
  [
    "a decision for an option that is not offered",
    busy,
    {
      type: "chat/toolCallConfirmed",
      ...inTurn,
      decision: {
        approvalId: makeId("approval", "a1"),
        outcome: "approved",
        optionId: "x",
        by: { kind: "host" },
        at,
      },
    },
  ],
  [
    "the result of a tool of the agent",
    busy,
    { type: "chat/toolCallComplete", ...inTurn, result: { success: true } },
  ],
  [
    "an answer to a question nobody asked",
    busy,
    {
      type: "chat/inputCompleted",
      requestId: makeId("input request", "x"),
      response: "decline",
      by: { kind: "host" },
    },
  ],
  ["an accepted form without what is required", form, complete("accept")],
  ["an answer of the wrong kind", form, complete("accept", { name: text("Ada"), sure: text("yes") })],
  [
    "the removal of a message that does not wait",
    busy,
    { type: "chat/pendingMessageRemoved", kind: "queued", id: makeId("pending message", "m") },
  ],
  [
    "the end of a turn",
    busy,
    { type: "chat/turnComplete", turnId, endedAt: at, durationMs: 0, stopReason: "end_turn" },
  ],
])("[E20] a client may not send %s", (_what, state, action) => {
  expect(judged({ kind: "chat", state }, action)).toEqual({
    ok: false,
    reason: expect.stringMatching(/\.$/),
  });
});

test("[E20] the result of a tool is taken from the client that lent it", () => {
  const contributor = { kind: "client", clientId } as const;
  const own: ChatState = {
    ...busy,
    activeTurn: busy.activeTurn && {
      ...busy.activeTurn,
      responseParts: busy.activeTurn.responseParts.map((part) =>
        part.kind === "toolCall" ? { ...part, toolCall: { ...part.toolCall, contributor } } : part,
      ),
    },
  };
  const action: Action = { type: "chat/toolCallComplete", ...inTurn, result: { success: true } };
  expect(judged({ kind: "chat", state: own }, action)).toMatchObject({ ok: true });
});

const exited: KindedState = {
  kind: "terminal",
  state: {
    ...newStates.terminal,
    lifecycle: { status: "exited", exitedAt: at, exit: { kind: "code", exitCode: 0 } },
  },
};
const piped: KindedState = { kind: "terminal", state: { ...newStates.terminal, run: "text" } };
const shell: KindedState = { kind: "terminal", state: newStates.terminal };
const shown: KindedState = { kind: "terminal", state: { ...newStates.terminal, run: "display" } };
const session: KindedState = { kind: "session", state: newStates.session };

test.each<[string, KindedState, Action]>([
  ["input for a program that has ended", exited, { type: "terminal/input", data: "x" }],
  ["a size for a program that has ended", exited, { type: "terminal/resized", cols: 1, rows: 1 }],
  ["input where nobody reads it", piped, { type: "terminal/input", data: "x" }],
  ["input for what is only shown", shown, { type: "terminal/input", data: "x" }],
  ["a size for what is only shown", shown, { type: "terminal/resized", cols: 1, rows: 1 }],
  ["a size without columns", shell, { type: "terminal/resized", cols: 0, rows: 1 }],
  ["a size with half a row", shell, { type: "terminal/resized", cols: 1, rows: 1.5 }],
  ["output", shell, { type: "terminal/data", data: "x", offset: 0, endOffset: 1 }],
  [
    "another client's presence",
    session,
    { type: "session/activeClientSet", client: { clientId: makeId("client", "eve"), tools: [] } },
  ],
  [
    "another client's leave",
    session,
    { type: "session/activeClientRemoved", clientId: makeId("client", "eve") },
  ],
  ["a mode that is not offered", session, { type: "session/modeChanged", modeId: "fly" }],
  ["an option that is not offered", session, { type: "session/configChanged", config: { x: 1 } }],
  ["a state of the agent", session, { type: "session/ready", at }],
  ["the list of agents", { kind: "root", state: newStates.root }, { type: "root/agentsChanged", agents: [] }],
])("[E20] a client may not send %s", (_what, on, action) => {
  expect(judged(on, action)).toEqual({ ok: false, reason: expect.stringMatching(/\.$/) });
});

test("[E24] our own clients are judged like all others, and what they say of times and authors is not believed", () => {
  const written = { type: "terminal/titleChanged", title: "x", source: "program" };
  expect(holdfast.readAction(written, { ...shell, clientId, at })).toEqual({
    ok: true,
    action: { type: "terminal/titleChanged", title: "x", source: "person" },
  });
  const gone = { type: "terminal/claimed", claim: { kind: "client", clientId: "ada", goneSince: at } };
  expect(holdfast.readAction(gone, { ...shell, clientId, at })).toEqual({
    ok: true,
    action: { type: "terminal/claimed", claim: { kind: "client", clientId } },
  });
  const misshapen = holdfast.readAction({ type: "terminal/titleChanged" }, { ...shell, clientId, at });
  expect(misshapen).toMatchObject({ ok: false });
});

function judged(on: KindedState, action: Action): Verdict {
  const context: ReadContext = { clientId, at, ...on };
  return judge(action, context);
}

// Rules: what a client may submit in which state, whatever its transport.
import type { Action, ChannelStates, ChatState } from "@holdfast/ahp";
import { makeId, turnParts } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { newStates } from "../../packages/ahp/src/testing/states.ts";
import {
  askingActions,
  failingActions,
  storyAfter,
  storyChat,
} from "../../packages/ahp/src/testing/turn-story.ts";
import { checkChatAction } from "../../packages/core/src/rules/chat-rules.ts";
import type { Author, Ruling } from "../../packages/core/src/rules/rule.ts";
import { checkSessionAction } from "../../packages/core/src/rules/session-rules.ts";
import { refuseSize, refuseUse } from "../../packages/core/src/rules/terminal-rules.ts";

const at = "2026-02-02T00:00:00.000Z";
const clientId = makeId("client", "ada");
const ada: Author = { actor: { kind: "client", clientId }, at };
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
  ["the last turn, which failed and can be resumed", failed, { type: "chat/turnResume", turnId }],
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
  expect(checkChatAction(action, state, ada)).toMatchObject({ allowed: true });
});

test.each<[string, ChatState, Action]>([
  ["a second turn beside the one that runs", busy, start("t9")],
  ["a turn in an agent's name", storyChat, start("t9", "agent")],
  [
    "a cancellation of a turn that does not run",
    failed,
    { type: "chat/turnCancelled", turnId, endedAt: at, durationMs: 0, by: { kind: "host" } },
  ],
  ["a resumption of a turn that cannot be resumed", finished, { type: "chat/turnResume", turnId }],
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
  expect(checkChatAction(action, state, ada)).toMatchObject({
    allowed: false,
    reason: expect.stringMatching(/\.$/),
  });
});

const inTurnCall = { type: "chat/toolCallConfirmed", ...inTurn } as const;
const undecided = { approvalId: makeId("approval", "a1"), by: { kind: "host" }, at: "" } as const;

test("[E20] the result of a tool is taken from the client that lent it, once the call was approved", () => {
  const lent = (chat: ChatState): ChatState => ({
    ...chat,
    activeTurn: chat.activeTurn && {
      ...chat.activeTurn,
      responseParts: turnParts(chat.activeTurn).map((part) =>
        part.kind === "toolCall"
          ? { ...part, toolCall: { ...part.toolCall, contributor: { kind: "client", clientId } } }
          : part,
      ),
    },
  });
  const running = storyAfter(...askingActions, {
    ...inTurnCall,
    decision: { outcome: "approved", ...undecided },
  });
  const action: Action = { type: "chat/toolCallComplete", ...inTurn, result: { success: true } };
  expect(checkChatAction(action, lent(busy), ada)).toMatchObject({ allowed: false });
  expect(checkChatAction(action, lent(running), ada)).toMatchObject({ allowed: true });
});

test("[E22] without an option the mildest that fits is chosen; one that says the opposite is rejected", () => {
  const decided = (decision: object): Ruling =>
    checkChatAction(
      { ...inTurnCall, decision: { outcome: "approved", ...undecided, ...decision } },
      busy,
      ada,
    );
  expect(decided({})).toMatchObject({
    action: { decision: { outcome: "approved", optionId: "once", by: ada.actor, at } },
  });
  expect(decided({ outcome: "denied" })).toMatchObject({ action: { decision: { optionId: "no" } } });
  expect(decided({ outcome: "cancelled" })).toMatchObject({ action: { decision: { outcome: "cancelled" } } });
  expect(decided({ optionId: "no" })).toMatchObject({ allowed: false });
});

test("[E24] times and authors are the host's, not what a client says of them", () => {
  const written = {
    type: "chat/turnCancelled",
    turnId,
    endedAt: "",
    durationMs: -5,
    by: { kind: "host" },
  } as const;
  expect(checkChatAction(written, busy, ada)).toEqual({
    allowed: true,
    action: {
      type: "chat/turnCancelled",
      turnId,
      reason: undefined,
      endedAt: at,
      durationMs: Date.parse(at) - Date.parse("2026-01-01T00:00:00.000Z"),
      by: ada.actor,
    },
  });
});

const terminal = newStates.terminal;
const exited: ChannelStates["terminal"] = {
  ...terminal,
  lifecycle: { status: "exited", exitedAt: at, exit: { kind: "code", exitCode: 0 } },
};

test.each([
  ["input for a program that has ended", refuseUse(exited, clientId, "input")],
  ["a size for a program that has ended", refuseUse(exited, clientId, "resize")],
  ["input where nobody reads it", refuseUse({ ...terminal, run: "text" }, clientId, "input")],
  ["input for what is only shown", refuseUse({ ...terminal, run: "display" }, clientId, "input")],
  ["a size for what is only shown", refuseUse({ ...terminal, run: "display" }, clientId, "resize")],
  ["a size without columns", refuseSize({ cols: 0, rows: 1 })],
  ["a size with half a row", refuseSize({ cols: 1, rows: 1.5 })],
])("[E20] a client may not send %s", (_what, rejection) => {
  expect(rejection).toMatchObject({ allowed: false, reason: expect.stringMatching(/\.$/) });
});

test.each<[string, Action]>([
  [
    "another client's presence",
    { type: "session/activeClientSet", client: { clientId: makeId("client", "eve"), tools: [] } },
  ],
  ["another client's leave", { type: "session/activeClientRemoved", clientId: makeId("client", "eve") }],
  ["a mode that is not offered", { type: "session/modeChanged", modeId: "fly" }],
  ["an option that is not offered", { type: "session/configChanged", config: { x: 1 } }],
  ["a state of the agent", { type: "session/ready", at }],
])("[E20] a client may not send %s", (_what, action) => {
  expect(checkSessionAction(action, newStates.session, ada)).toMatchObject({
    allowed: false,
    reason: expect.stringMatching(/\.$/),
  });
});

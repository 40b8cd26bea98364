// Values from outside are checked, and what is wrong is said.
import { describe, expect, test } from "vitest";
import { newStates } from "../testing/states.ts";
import { channelModels } from "./channel.ts";

const started = {
  type: "chat/turnStarted",
  turnId: "t1",
  startedAt: "2026-01-01T00:00:01.000Z",
  message: { text: "hello", origin: { kind: "user" } },
};

describe("[M34] a wrong value is refused with the place where it is wrong", () => {
  test.each([
    [null, "value: expected an object"],
    [[started], "value: expected an object"],
    [{ ...started, turnId: "" }, "turnId: expected the name of a turn"],
    [{ ...started, turnId: undefined }, "turnId: expected the name of a turn"],
    [{ ...started, message: { text: 1, origin: { kind: "user" } } }, "message.text: expected a string"],
    [
      {
        ...started,
        message: {
          ...started.message,
          attachments: [
            { type: "simple", label: "a" },
            { type: "resource", label: "b" },
          ],
        },
      },
      "message.attachments.1.uri: expected a string",
    ],
    [
      { type: "chat/turnComplete", turnId: "t1", endedAt: "", durationMs: Number.NaN },
      "durationMs: expected a finite number",
    ],
    [
      { type: "chat/contextUsageChanged", contextUsage: { usedTokens: -1, sizeTokens: 1 } },
      "contextUsage.usedTokens: expected a whole number from 0 up",
    ],
    [{ type: "chat/isReadChanged", isRead: "yes" }, "isRead: expected true or false"],
    [
      { type: "chat/pendingMessageRemoved", kind: "other", id: "x" },
      "kind: expected one of steering, queued",
    ],
    [{ type: "chat/turnsLoaded", turns: {} }, "turns: expected a list"],
    [
      { type: "chat/toolCallComplete", turnId: "t1", toolCallId: "c", result: { success: "no" } },
      "result.success: expected true or false",
    ],
  ])("%j", (action, problem) => {
    expect(channelModels.chat.checkAction(action)).toEqual({ ok: false, problem });
  });

  test("an action of another channel", () => {
    const checked = channelModels.root.checkAction(started);
    expect(checked.ok ? "" : checked.problem).toMatch(/^type: expected one of root\/agentsChanged, /);
  });
});

test("[M34] fields that the model does not know are kept", () => {
  const action = { ...started, fromTheFuture: { deep: true } };
  expect(channelModels.chat.checkAction(action)).toEqual({ ok: true, value: action });
});

test("[M1] a new state of each kind has the shape of the model", () => {
  expect(channelModels.root.checkState(newStates.root).ok).toBe(true);
  expect(channelModels.session.checkState(newStates.session).ok).toBe(true);
  expect(channelModels.chat.checkState(newStates.chat).ok).toBe(true);
  expect(channelModels.terminal.checkState(newStates.terminal).ok).toBe(true);
});

test("[M34] null takes an optional field away and nothing else", () => {
  const change = { type: "session/chatUpdated", chat: "ahp-chat:/c1" };
  expect(channelModels.session.checkAction({ ...change, changes: { activity: null } }).ok).toBe(true);
  expect(channelModels.session.checkAction({ ...change, changes: { title: null } }).ok).toBe(false);
});

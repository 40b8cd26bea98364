// Shows how sessions and their lists look: settings, fields without a slot, notifications, echoes.
import { expect, test } from "vitest";
import { makeId } from "../model/ids.ts";
import type { RootAction } from "../model/root/root.ts";
import { summarizeSession } from "../model/session/session-summary.ts";
import type { SessionAction, SessionState } from "../model/session/session.ts";
import { showAll, showState, wireActions } from "../testing/wire/viewer.ts";
import { newStates } from "../testing/states.ts";
import { fieldsOf, overTheWire } from "../testing/wire/reference.ts";
import type { Dialect } from "./dialect.ts";
import { holdfast } from "./holdfast.ts";
import { v0_1 } from "./v0_1/v0-1.ts";
import { v1_0 } from "./v1_0/v1-0.ts";

const session: SessionState = {
  ...newStates.session,
  modes: {
    available: [
      { id: "ask", name: "Ask" },
      { id: "code", name: "Code" },
    ],
    currentModeId: "ask",
  },
  configOptions: [
    {
      type: "select",
      id: "model",
      name: "Model",
      currentValue: "big",
      choices: [
        { value: "big", name: "Big" },
        { value: "small", name: "Small" },
      ],
    },
  ],
};
const summary = summarizeSession(session);

test("[E15] options and modes are the settings of a session, and a new value is sent", () => {
  const { config } = showState(v1_0, { kind: "session", state: session });
  expect(config).toMatchObject({
    schema: {
      type: "object",
      properties: {
        model: { type: "string", title: "Model", enum: ["big", "small"], sessionMutable: true },
        mode: { type: "string", enum: ["ask", "code"], enumLabels: ["Ask", "Code"], sessionMutable: true },
      },
    },
    values: { model: "big", mode: "ask" },
  });
  for (const dialect of [v1_0, v0_1]) {
    expect(wireActionsOf(dialect, { type: "session/modeChanged", modeId: "code" })).toMatchObject([
      { type: "session/configChanged", config: { model: "big", mode: "code" }, replace: true },
    ]);
  }
});

test("[E16] what has no slot stands in the meta and is sent again when it changes, and only then", () => {
  const notice = {
    id: makeId("notice", "n"),
    at: "2026-01-01T00:00:00.000Z",
    severity: "info",
    title: "Hello",
  };
  for (const dialect of [v1_0, v0_1]) {
    expect(showState(dialect, { kind: "session", state: session })["_meta"]).toMatchObject({
      holdfast: { key: "agent:shell:acp:s1", owner: { kind: "person" } },
    });
    expect(wireActionsOf(dialect, { type: "session/noticeAdded", notice })).toMatchObject([
      { type: "session/metaChanged", _meta: { holdfast: { notices: [{ title: "Hello" }] } } },
    ]);
    const renamed = wireActionsOf(dialect, { type: "session/titleChanged", title: "New" });
    expect(renamed).toHaveLength(1);
    expect(renamed).toMatchObject([{ type: "session/titleChanged", title: "New" }]);
  }
});

test("[E17] sessions in the list are sent by notifications, in the seed inside of one", () => {
  const added: RootAction = { type: "root/sessionAdded", summary };
  const changed: RootAction = {
    type: "root/sessionSummaryChanged",
    session: summary.resource,
    changes: { title: "New", isArchived: true },
  };
  const removed: RootAction = { type: "root/sessionRemoved", session: summary.resource };
  const messages = (dialect: Dialect): readonly { method: string; params: unknown }[] =>
    showAll(dialect, "ahp-root://", { kind: "root", state: newStates.root }, [added, changed, removed]);

  expect(messages(v1_0)).toMatchObject([
    { method: "root/sessionAdded", params: { channel: "ahp-root://", summary: { status: 33 } } },
    { method: "action", params: { action: { type: "root/activeSessionsChanged", activeSessions: 1 } } },
    {
      method: "root/sessionSummaryChanged",
      params: { session: "ahp-session:/s1", changes: { title: "New", status: 97 } },
    },
    { method: "root/sessionRemoved", params: { session: "ahp-session:/s1" } },
    { method: "action", params: { action: { activeSessions: 0 } } },
  ]);
  expect(messages(v0_1)).toMatchObject([
    { method: "notification", params: { notification: { type: "notify/sessionAdded" } } },
    { method: "action" },
    {
      method: "notification",
      params: {
        notification: { type: "notify/sessionSummaryChanged", changes: { title: "New", status: 97 } },
      },
    },
    { method: "notification", params: { notification: { type: "notify/sessionRemoved" } } },
    { method: "action" },
  ]);
});

test("[E17] a listed session has its times as text, in the seed as numbers, and in the holdfast dialect is the model's", () => {
  expect(v1_0.showSummary(summary)).toMatchObject({
    createdAt: summary.createdAt,
    workingDirectories: ["file:///w"],
  });
  expect(v0_1.showSummary(summary)).toMatchObject({
    createdAt: Date.parse(summary.createdAt),
    workingDirectory: "file:///w",
  });
  expect(holdfast.showSummary(summary)).toBe(summary);
});

test("[E3] of all that one action becomes, the author's echo alone has an origin, and no other has the key", () => {
  const origin = { clientId: "ada", clientSeq: 4 };
  const before = { ...newStates.root, sessions: [summary] };
  const entry = { channel: "ahp-root://", serverSeq: 7, origin };
  const action = { type: "root/configChanged", config: {} } as const;
  const step = { kind: "root", action, before, after: newStates.root } as const;
  const [echo, other] = v1_0.showAction(entry, step);
  expect(overTheWire(echo)).toMatchObject({ params: { origin, action: { type: "root/configChanged" } } });
  expect(fieldsOf(fieldsOf(other)["params"])).not.toHaveProperty("origin");
  const [unasked] = v1_0.showAction({ channel: "ahp-root://", serverSeq: 7 }, step);
  expect(fieldsOf(fieldsOf(unasked)["params"])).not.toHaveProperty("origin");
});

test("[E28] the holdfast dialect is the model itself, one message for each action, with its number", () => {
  const action = { type: "session/titleChanged", title: "New" } as const;
  const entry = { channel: session.resource, serverSeq: 9 };
  const step = { kind: "session", action, before: session, after: { ...session, title: "New" } } as const;
  expect(holdfast.showAction(entry, step)).toEqual([
    { method: "action", params: { channel: session.resource, action, serverSeq: 9 } },
  ]);
  expect(holdfast.showSnapshot(session.resource, 9, { kind: "session", state: session })).toEqual({
    resource: session.resource,
    state: session,
    fromSeq: 9,
  });
  const content = [{ kind: "output", text: "$ " }] as const;
  const shown = { kind: "terminal", state: newStates.terminal, content } as const;
  expect(holdfast.showSnapshot("t", 9, shown)).toMatchObject({ state: newStates.terminal, content });
});

function wireActionsOf(dialect: Dialect, action: SessionAction): readonly unknown[] {
  return wireActions(showAll(dialect, session.resource, { kind: "session", state: session }, [action]));
}

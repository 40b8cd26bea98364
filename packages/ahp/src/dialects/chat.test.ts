// Shows how a turn looks in 1.0 and in the seed: permission, edits, plans, tokens, questions, failures, resuming.
import { expect, test } from "vitest";
import type { ChatAction } from "../model/chat/chat.ts";
import { makeId } from "../model/ids.ts";
import { showAll, showState, wireActions } from "../testing/wire/viewer.ts";
import { newStates } from "../testing/states.ts";
import { askingActions, failingActions, storyAfter, storyChat } from "../testing/turn-story.ts";
import { fieldsOf, listOf, type WireFields } from "../testing/wire/reference.ts";
import { parseEditUri } from "./ahp/uri.ts";
import type { Dialect } from "./dialect.ts";
import { holdfast } from "./holdfast.ts";
import { v0_1 } from "./v0_1/v0-1.ts";
import { v0_9, v1_0 } from "./v1_0/v1-0.ts";

const story = [...askingActions, ...failingActions];

test("[E10] what a person needs to decide is in the action, in the chat and in the session alike", () => {
  const ready = wireActionsOf(v1_0, askingActions).at(-1);
  expect(ready).toMatchObject({
    type: "chat/toolCallReady",
    invocationMessage: "Edit a.ts",
    toolInput: '{"path":"/w/a.ts"}',
    options: [
      { id: "always", label: "Always", kind: "approve", group: 1 },
      { id: "once", label: "Once", kind: "approve", group: 1 },
      { id: "no", label: "No", kind: "deny", group: 2 },
    ],
    _meta: { holdfast: { toolKind: "edit", approval: { id: "a1", action: "write", target: "/w/a.ts" } } },
  });
  expect(ready).not.toHaveProperty("confirmed");
  const call = lastToolCall(chatState(v1_0, askingActions));
  for (const field of ["invocationMessage", "toolInput", "options", "edits", "_meta"]) {
    expect(call[field]).toEqual(ready?.[field]);
  }
  expect(call).toMatchObject({
    status: "pending-confirmation",
    toolCallId: "edit",
    displayName: "Edit a.ts",
  });
});

test("[E600] the message and the title of a question are what would be done; the agent's title stands in the meta", () => {
  const subject = { kind: "command", line: "rm -rf x", cwd: "/w", environment: [] };
  const about = { target: "rm -rf x", subject, source: "agent", agentTitle: "List the files" };
  const actions = askingActions.map((action) =>
    action.type === "chat/toolCallReady" && action.confirmation.kind === "needed"
      ? ({
          ...action,
          invocationMessage: "rm -rf x",
          confirmation: { kind: "needed", approval: { ...action.confirmation.approval, ...about } },
        } as typeof action)
      : action,
  );
  const shown = {
    invocationMessage: "rm -rf x",
    confirmationTitle: "rm -rf x",
    _meta: { holdfast: { approval: about } },
  };
  expect(wireActionsOf(v1_0, actions).at(-1)).toMatchObject(shown);
  expect(lastToolCall(chatState(v1_0, actions))).toMatchObject(shown);
});

test("[E600] a call that a policy denied is refused in the same step, without options", () => {
  const by = { kind: "policy", policy: "deny-all" } as const;
  const at = "2026-01-01T00:00:02.000Z";
  const actions = askingActions.map((action) => {
    if (action.type !== "chat/toolCallReady" || action.confirmation.kind !== "needed") return action;
    const decision = { approvalId: action.confirmation.approval.id, outcome: "denied", by, at } as const;
    return { ...action, confirmation: { kind: "denied", decision } } as const;
  });
  expect(wireActionsOf(v1_0, actions).slice(-2)).toMatchObject([
    { type: "chat/toolCallReady", options: [] },
    { type: "chat/toolCallConfirmed", approved: false, reason: "denied" },
  ]);
});

test("[E12] both texts of an edit are read from their URIs", () => {
  const edits = fieldsOf(lastToolCall(chatState(v1_0, askingActions))["edits"]);
  const [item] = listOf(edits["items"]);
  const { before, after } = item ?? {};
  expect(before).toMatchObject({ uri: "file:///w/a.ts" });
  const uri = String(fieldsOf(fieldsOf(before)["content"])["uri"]);
  expect(parseEditUri(uri)).toEqual({
    chat: storyChat.resource,
    turnId: "t1",
    toolCallId: "edit",
    index: 0,
    side: "before",
  });
  expect(after).toEqual({ uri: "file:///w/a.ts", content: { uri: "file:///spool/1", sizeHint: 9 } });
});

test("[E13] the step of a plan is the activity, all tokens are sent each time, and the context stands in the meta", () => {
  const actions = wireActionsOf(v1_0, story);
  expect(actions.filter(({ type }) => type === "chat/activityChanged")).toEqual([
    { type: "chat/activityChanged", activity: "Fix the file" },
    { type: "chat/activityChanged" },
  ]);
  expect(actions.filter(({ type }) => type === "chat/usage").map(({ usage }) => usage)).toEqual([
    { inputTokens: 5 },
    { inputTokens: 5, outputTokens: 7 },
    { inputTokens: 5, outputTokens: 7, _meta: { holdfast: { context: { used: 10, size: 100 } } } },
  ]);
  expect(chatState(v1_0, askingActions)["_meta"]).toMatchObject({ holdfast: { plans: [{ id: "p" }] } });
});

test("[E11] a turn that fails closes its question first and carries the error as its last part", () => {
  const actions = wireActionsOf(v1_0, story);
  expect(actions.slice(-3)).toEqual([
    { type: "chat/inputCompleted", requestId: "q1", response: "cancel" },
    {
      type: "chat/error",
      turnId: "t1",
      duration: 12,
      part: {
        kind: "error",
        error: { errorType: "agent_exited", message: "The agent has ended." },
        resumable: true,
      },
    },
    { type: "chat/activityChanged" },
  ]);
  const [turn] = listOf(chatState(v1_0, story)["turns"]);
  expect(turn).toMatchObject({ state: "error", duration: 12 });
  expect(listOf(turn?.["responseParts"]).at(-1)).toMatchObject({ kind: "error", resumable: true });
});

test("[E5] the seed gets the same on the session's channel, with its own names", () => {
  const actions = wireActionsOf(v0_1, story);
  expect(actions.every(({ session }) => session === newStates.session.resource)).toBe(true);
  expect(actions[0]).toEqual({
    type: "session/turnStarted",
    session: "ahp-session:/s1",
    turnId: "t1",
    userMessage: { text: "Fix it" },
  });
  expect(actions.at(-2)).toEqual({
    type: "session/error",
    session: "ahp-session:/s1",
    turnId: "t1",
    error: { errorType: "agent_exited", message: "The agent has ended." },
  });
  const state = seedState(story);
  expect(state["turns"]).toMatchObject([{ state: "error", error: { errorType: "agent_exited" } }]);
  expect(state["inputRequests"]).toBeUndefined();
  expect(seedState(story.slice(0, -1))["inputRequests"]).toEqual([{ id: "q1", message: "Which?" }]);
});

test("[E5] a chat that is not the session's first does not exist for the seed", () => {
  const state = { ...storyChat, resource: makeId("chat URI", "ahp-chat:/other") };
  expect(showAll(v0_1, state.resource, { kind: "chat", state }, story)).toEqual([]);
  expect(v0_1.showSnapshot(state.resource, 1, { kind: "chat", state })).toBeUndefined();
  expect(v0_1.channelsOf(state.resource, "chat")).toEqual([]);
  expect(v0_1.channelsOf(newStates.session.resource, "session")).toEqual([
    newStates.session.resource,
    storyChat.resource,
  ]);
});

test("[E14] a resumed turn is one action in 1.0, and sent again in the seed", () => {
  const resume: ChatAction = { type: "chat/turnResume", turnId: makeId("turn", "t1") };
  expect(wireActionsOf(v1_0, [...story, resume]).slice(-2)).toEqual([
    { type: "chat/turnResume", turnId: "t1" },
    { type: "chat/activityChanged", activity: "Fix the file" },
  ]);
  const again = wireActionsOf(v0_1, [...story, resume]).slice(wireActionsOf(v0_1, story).length);
  expect(again.map(({ type }) => type)).toEqual([
    "session/truncated",
    "session/turnStarted",
    "session/responsePart",
    "session/responsePart",
    "session/usage",
    "session/activityChanged",
  ]);
  expect(again[3]).toMatchObject({ part: { toolCall: { status: "completed", toolCallId: "edit" } } });
});

test("[E26] a version gets nothing that it does not know yet", () => {
  const later: readonly ChatAction[] = [
    { type: "chat/isArchivedChanged", isArchived: true },
    {
      type: "chat/backgroundWorkSet",
      work: {
        kind: "shell",
        id: makeId("background work", "w"),
        label: "dev",
        startedAt: "2026-01-01T00:00:00.000Z",
        command: "npm run dev",
      },
    },
  ];
  expect(wireActionsOf(v1_0, later).map(({ type }) => type)).toEqual([
    "chat/isArchivedChanged",
    "chat/backgroundWorkSet",
  ]);
  expect(wireActionsOf(v0_9, later)).toEqual([]);
  expect(wireActionsOf(v0_1, later)).toEqual([]);
  expect(chatState(v1_0, later)).toHaveProperty("backgroundWork");
  expect(chatState(v0_9, later)).not.toHaveProperty("backgroundWork");
});

test("[E241] text that left the state is announced in snapshots and not sent to clients that have it", () => {
  const turnId = makeId("turn", "long");
  const partId = makeId("part", "p");
  const part = { kind: "markdown", id: partId, content: "0123456789" } as const;
  const message = { text: "Go", origin: { kind: "user" } } as const;
  const actions: ChatAction[] = [
    { type: "chat/turnStarted", turnId, startedAt: "2026-01-01T00:00:00.000Z", message },
    { type: "chat/responsePart", turnId, part },
    { type: "chat/textOmitted", turnId, partId, charCount: 7 },
  ];
  for (const dialect of [v1_0, v0_9]) {
    expect(wireActionsOf(dialect, actions).map(({ type }) => type)).not.toContain("chat/textOmitted");
    const shown = listOf(fieldsOf(chatState(dialect, actions)["activeTurn"])["responseParts"]);
    expect(shown).toEqual([
      { kind: "systemNotification", content: expect.stringMatching(/^7 earlier characters/) },
      { kind: "markdown", id: "p", content: "789" },
    ]);
  }
  const own = showState(holdfast, { kind: "chat", state: storyAfter(...actions) });
  expect(fieldsOf(own["activeTurn"])["openPart"]).toEqual({ ...part, content: "789", omittedChars: 7 });
});

function wireActionsOf(dialect: Dialect, actions: readonly ChatAction[]): readonly WireFields[] {
  const messages = showAll(dialect, storyChat.resource, { kind: "chat", state: storyChat }, actions);
  return wireActions(messages).map(fieldsOf);
}

function chatState(dialect: Dialect, actions: readonly ChatAction[]): WireFields {
  return showState(dialect, { kind: "chat", state: storyAfter(...actions) });
}

function seedState(actions: readonly ChatAction[]): WireFields {
  return showState(v0_1, { kind: "session", state: newStates.session, chat: storyAfter(...actions) });
}

function lastToolCall(chat: WireFields): WireFields {
  const parts = listOf(fieldsOf(chat["activeTurn"])["responseParts"]);
  return fieldsOf(parts.findLast(({ kind }) => kind === "toolCall")?.["toolCall"]);
}

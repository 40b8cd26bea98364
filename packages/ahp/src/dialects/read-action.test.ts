// Shows that client dispatches become the model's actions, are echoed as they were written, or are refused with a reason.
import type { WireAction } from "./ahp/wire-action.ts";
import { describe, expect, test } from "vitest";
import type { ChatState } from "../model/chat/chat.ts";
import { makeId } from "../model/ids.ts";
import type { SessionState } from "../model/session/session.ts";
import { newStates } from "../testing/states.ts";
import { askingActions, failingActions, storyAfter, storyChat } from "../testing/turn-story.ts";
import { fieldsOf, overTheWire } from "../testing/wire/reference.ts";
import type { Dialect, ReadAction, ReadContext } from "./dialect.ts";
import { advance, type StateByKind } from "./projection.ts";
import { v0_1 } from "./v0_1/v0-1.ts";
import { v0_6, v0_9, v1_0 } from "./v1_0/v1-0.ts";

const at = "2026-02-02T00:00:00.000Z";
const clientId = makeId("client", "ada");
const busy = storyAfter(...askingActions);
const asked = storyAfter(...askingActions, ...failingActions.slice(0, -1));
const failed = storyAfter(...askingActions, ...failingActions);
const queued: ChatState = {
  ...storyChat,
  queuedMessages: [{ id: makeId("pending message", "m"), message: { text: "x", origin: { kind: "user" } } }],
};
const session: SessionState = {
  ...newStates.session,
  modes: { available: [{ id: "code", name: "Code" }], currentModeId: "ask" },
  activeClients: [{ clientId, tools: [] }],
};
const message = {
  text: "Hi",
  origin: { kind: "user" },
  attachments: [{ type: "resource", label: "a", uri: "file:///a" }],
};

interface Case {
  readonly on: StateByKind;
  readonly action: WireAction;
}

const chat = (state: ChatState): StateByKind => ({ kind: "chat", state });
const onSession: StateByKind = { kind: "session", state: session };
const onTerminal: StateByKind = { kind: "terminal", state: newStates.terminal };

const current: readonly Case[] = [
  { on: chat(storyChat), action: { type: "chat/turnStarted", turnId: "t9", startedAt: at, message } },
  { on: chat(failed), action: { type: "chat/turnResume", turnId: "t1" } },
  { on: chat(failed), action: { type: "chat/truncated", turnId: "t1" } },
  {
    on: chat(busy),
    action: confirmation("chat/", { approved: true, confirmed: "user-action", selectedOptionId: "always" }),
  },
  {
    on: chat(busy),
    action: confirmation("chat/", { approved: false, reason: "denied", selectedOptionId: "no" }),
  },
  { on: chat(asked), action: { type: "chat/inputCompleted", requestId: "q1", response: "decline" } },
  { on: chat(storyChat), action: { type: "chat/pendingMessageSet", kind: "queued", id: "m", message } },
  { on: chat(queued), action: { type: "chat/pendingMessageRemoved", kind: "queued", id: "m" } },
  { on: chat(storyChat), action: { type: "chat/draftChanged", draft: message } },
  { on: chat(storyChat), action: { type: "chat/isReadChanged", isRead: false } },
  { on: onSession, action: { type: "session/titleChanged", title: "New" } },
  { on: onSession, action: { type: "session/isArchivedChanged", isArchived: true } },
  { on: onSession, action: { type: "session/activeClientRemoved", clientId: "ada" } },
  { on: onTerminal, action: { type: "terminal/resized", cols: 100, rows: 30 } },
  { on: onTerminal, action: { type: "terminal/titleChanged", title: "dev server" } },
  { on: onTerminal, action: { type: "terminal/claimed", claim: { kind: "client", clientId: "grace" } } },
  { on: onTerminal, action: { type: "terminal/input", data: "ls\r" } },
];
/** Members and kinds that no version has yet (E763). */
const withUnknown: readonly Case[] = [
  {
    on: onSession,
    action: {
      type: "session/activeClientSet",
      activeClient: {
        clientId: "ada",
        tools: [{ name: "open" }],
        customizations: [{ type: "future", extra: 7 }],
      },
    },
  },
  {
    on: chat(storyChat),
    action: {
      type: "chat/turnStarted",
      turnId: "t9",
      startedAt: at,
      message: {
        text: "Hi",
        origin: { kind: "user" },
        agent: { uri: "file:///agent.md" },
        _meta: { mine: [1] },
        attachments: [
          { type: "resource", label: "a", uri: "file:///a", displayKind: "symbol" },
          { type: "embeddedResource", label: "b", data: "eA==", contentType: "image/png", width: 3 },
          { type: "simple", label: "c", modelRepresentation: "C", _meta: {} },
          { type: "annotations", label: "d", resource: "x:/1", annotationIds: ["1"] },
        ],
      },
    },
  },
];
const seedMessage = { text: "Hi" };
const ofSession = { session: "ahp-session:/s1" };
const ofTerminal = { terminal: "agenthost:/terminal/x1" };
const seed: readonly Case[] = [
  {
    on: chat(storyChat),
    action: { type: "session/turnStarted", ...ofSession, turnId: "t9", userMessage: seedMessage },
  },
  {
    on: chat(busy),
    action: {
      ...confirmation("session/", { approved: false, reason: "denied", selectedOptionId: "no" }),
      ...ofSession,
    },
  },
  {
    on: chat(asked),
    action: { type: "session/inputCompleted", ...ofSession, requestId: "q1", response: "cancel" },
  },
  { on: chat(storyChat), action: { type: "session/isReadChanged", ...ofSession, isRead: false } },
  { on: onSession, action: { type: "session/modelChanged", ...ofSession, model: { id: "small" } } },
  { on: onSession, action: { type: "session/activeClientChanged", ...ofSession, activeClient: null } },
  { on: onTerminal, action: { type: "terminal/resized", ...ofTerminal, cols: 100, rows: 30 } },
  {
    on: onTerminal,
    action: {
      type: "terminal/claimed",
      ...ofTerminal,
      claim: { kind: "session", session: "ahp-session:/s1" },
    },
  },
];

describe("[E35] a client's action comes back as it wrote it", () => {
  test.each(current)("[E35] in 1.0: $action.type", (one) => expectEcho(v1_0, one));
  test.each(seed)("[E35] in the seed: $action.type", (one) => expectEcho(v0_1, one));
});

test("[E6] a claim that names no chat means the session's default one", () => {
  const claim = { kind: "session", session: "ahp-session:/s1" };
  expect(read(v0_1, onTerminal, { type: "terminal/claimed", claim })).toMatchObject({
    action: { claim: { ...claim, chat: storyChat.resource } },
  });
});

test("[E22] a decision is about the approval that is open now", () => {
  const approve = read(v1_0, chat(busy), confirmation("chat/", { approved: true, confirmed: "user-action" }));
  expect(approve).toMatchObject({
    action: { decision: { approvalId: "a1", outcome: "approved", by: { clientId }, at } },
  });
  const userSuggestion = { text: "Try b.ts", origin: { kind: "user" } };
  const deny = read(
    v1_0,
    chat(busy),
    confirmation("chat/", { approved: false, reason: "denied", userSuggestion }),
  );
  expect(deny).toMatchObject({
    action: { decision: { outcome: "denied", suggestion: "Try b.ts" } },
  });
  const skip = read(v1_0, chat(busy), confirmation("chat/", { approved: false, reason: "skipped" }));
  expect(skip).toMatchObject({ action: { decision: { outcome: "cancelled" } } });
});

test("[E15] the mode is one of the settings that a client can change", () => {
  expect(read(v1_0, onSession, { type: "session/configChanged", config: { mode: "code" } })).toEqual({
    ok: true,
    action: { type: "session/modeChanged", modeId: "code" },
  });
});

test.each<[string, StateByKind, WireAction]>([
  ["an action of the host", chat(busy), { type: "chat/delta", turnId: "t1", partId: "m1", content: "x" }],
  ["an action of another channel", onTerminal, { type: "chat/turnResume", turnId: "t1" }],
  ["an unknown action", onSession, { type: "session/invented" }],
  ["a name from the prototype", onSession, { type: "toString" }],
  ["output", onTerminal, { type: "terminal/data", data: "x" }],
  ["missing fields", chat(storyChat), { type: "chat/turnStarted", turnId: "t" }],
  ["fields of the wrong kind", onTerminal, { type: "terminal/resized", cols: "80", rows: 24 }],
  [
    "edited input",
    chat(busy),
    confirmation("chat/", { approved: true, confirmed: "user-action", editedToolInput: "{}" }),
  ],
  ["a claim without a holder", onTerminal, { type: "terminal/claimed", claim: { kind: "client" } }],
])("[E20] %s is refused with a reason", (_what, on, action) => {
  expect(read(v1_0, on, action)).toEqual({ ok: false, reason: expect.stringMatching(/\w{3}/) });
});

test.each<[Dialect, WireAction]>([
  [v0_9, { type: "chat/isReadChanged", isRead: false }],
  [v0_9, { type: "chat/isArchivedChanged", isArchived: true }],
  [v0_6, { type: "chat/isReadChanged", isRead: false }],
  [v0_6, { type: "chat/turnResume", turnId: "t1" }],
])("[E763] %o refuses an action that came after it: %j", (dialect, action) => {
  expect(read(dialect, chat(failed), action)).toEqual({ ok: false, reason: expect.stringMatching(/\w{3}/) });
  expect(read(v1_0, chat(failed), action)).toMatchObject({ ok: true });
});

test.each(withUnknown)(
  "[E763] unknown members of $action.type survive in every dialect",
  ({ on, action }) => {
    for (const dialect of [v1_0, v0_9, v0_6]) expectEcho(dialect, { on, action });
  },
);

test("[E763] what nobody knows comes back whole in its rejection", () => {
  const action = { type: "future/newAction", foo: 42, nested: { list: [1, null] } };
  const params = { channel: "ahp-session:/s1", clientSeq: 4, action };
  for (const dialect of [v1_0, v0_6]) {
    const frame = dialect.readDispatch(params);
    if (!frame.ok) throw new Error(frame.problem);
    expect(read(dialect, onSession, frame.value.action)).toMatchObject({ ok: false });
    expect(fieldsOf(dialect.answerDispatch(frame.value, "ada", 1, "No.").params)["action"]).toEqual(action);
  }
});

test("[E23] what concerns a session is taken for it, also when it was sent to its default chat", () => {
  const params = {
    channel: storyChat.resource,
    clientSeq: 3,
    action: { type: "session/titleChanged", title: "x" },
  };
  expect(v1_0.readDispatch(params)).toEqual({
    ok: true,
    value: { clientSeq: 3, action: params.action, channel: "ahp-session:/s1", sentTo: storyChat.resource },
  });
});

test.each<[object, string]>([
  [{ type: "session/turnStarted", session: "s:/1" }, "ahp-chat://default/czovMQ"],
  [{ type: "session/isReadChanged", session: "s:/1" }, "ahp-chat://default/czovMQ"],
  [{ type: "session/titleChanged", session: "s:/1" }, "s:/1"],
  [{ type: "terminal/input", terminal: "agenthost:/terminal/1" }, "agenthost:/terminal/1"],
  [{ type: "root/configChanged" }, "agenthost:/root"],
])("[E5] in the seed %j is meant for %s", (action, channel) => {
  expect(v0_1.readDispatch({ clientSeq: 1, action })).toMatchObject({ ok: true, value: { channel } });
});

test.each([
  [v1_0, { clientSeq: 1, action: { type: "terminal/input" } }],
  [v1_0, { channel: "x:/1", action: { type: "terminal/input" } }],
  [v1_0, { channel: "x:/1", clientSeq: -1, action: { type: "terminal/input" } }],
  [v1_0, { channel: "x:/1", clientSeq: 1, action: {} }],
  [v1_0, null],
  [v0_1, { clientSeq: 1, action: { type: "terminal/input" } }],
])("[E20] a frame that names no channel, number or type is not read", (dialect, params) => {
  expect(dialect.readDispatch(params)).toMatchObject({ ok: false });
});

test("[E25] a refusal goes back where it came from, with the very action and the reason", () => {
  const action = { type: "terminal/input", terminal: "agenthost:/terminal/1", data: "x" };
  const dispatch = { clientSeq: 5, channel: "ahp-terminal:/1", sentTo: "agenthost:/terminal/1", action };
  const origin = { clientId: "ada", clientSeq: 5 };
  expect(v0_1.answerDispatch(dispatch, "ada", 64, "No.")).toEqual({
    method: "action",
    params: { action, serverSeq: 64, origin, rejectionReason: "No." },
  });
  expect(v1_0.answerDispatch(dispatch, "ada", 64, "No.")).toEqual({
    method: "action",
    params: { channel: "agenthost:/terminal/1", action, serverSeq: 64, origin, rejectionReason: "No." },
  });
  expect(fieldsOf(v1_0.answerDispatch(dispatch, "ada", 64).params)).not.toHaveProperty("rejectionReason");
});

function confirmation(prefix: string, fields: object): WireAction {
  return { type: `${prefix}toolCallConfirmed`, turnId: "t1", toolCallId: "edit", ...fields };
}

function read(dialect: Dialect, on: StateByKind, action: WireAction): ReadAction {
  const context: ReadContext = { clientId, at, ...on };
  return dialect.readAction(action, context);
}

function expectEcho(dialect: Dialect, { on, action }: Case): void {
  const translated = read(dialect, on, action);
  if (!translated.ok) throw new Error(translated.reason);
  const step = advance(on, translated.action);
  if (!step) throw new Error("The action is of another channel.");
  const channel = on.kind === "terminal" ? newStates.terminal.resource : storyChat.resource;
  const entryChannel = on.kind === "session" ? session.resource : channel;
  const origin = { clientId: "ada", clientSeq: 1 };
  const messages = dialect.showAction({ channel: entryChannel, serverSeq: 1, origin }, step);
  const echo = messages
    .map(({ params }) => fieldsOf(params))
    .find((params) => params["origin"] !== undefined);
  const { _meta, ...echoed } = fieldsOf(overTheWire(echo?.["action"]));
  expect(echoed).toEqual(fieldsOf(overTheWire(action)));
}

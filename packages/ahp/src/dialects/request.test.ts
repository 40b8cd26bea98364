// Shows that requests are understood in every dialect, and how older turns are given.
import { expect, test } from "vitest";
import { askingActions, failingActions, storyAfter, storyChat } from "../testing/turn-story.ts";
import { overTheWire } from "../testing/wire/reference.ts";
import type { Dialect } from "./dialect.ts";
import { holdfast } from "./holdfast.ts";
import { negotiate } from "./negotiate.ts";
import type { RequestMethod } from "./ahp/request.ts";
import { v0_1 } from "./v0_1/v0-1.ts";
import { v0_9, v1_0 } from "./v1_0/v1-0.ts";

const claim = { kind: "client", clientId: "ada" };

test.each<[RequestMethod, object, object, object]>([
  [
    "subscribe",
    { resource: "x:/1" },
    { channel: "x:/1", delivery: { maxLatencyMs: 0 }, view: { turns: 5 } },
    { channel: "x:/1" },
  ],
  ["unsubscribe", { resource: "x:/1" }, { channel: "x:/1" }, { channel: "x:/1" }],
  [
    "createSession",
    { session: "s:/1", provider: "shell", workingDirectory: "file:///w", model: { id: "small" } },
    { channel: "s:/1", provider: "shell", workingDirectories: ["file:///w"] },
    { channel: "s:/1", provider: "shell", workingDirectories: ["file:///w"] },
  ],
  ["disposeSession", { session: "s:/1" }, { channel: "s:/1" }, { channel: "s:/1" }],
  ["reopenSession", { session: "s:/1" }, { channel: "s:/1" }, { channel: "s:/1" }],
  [
    "createTerminal",
    { terminal: "t:/1", claim, cols: 80, rows: 24 },
    { channel: "t:/1", claim, cols: 80, rows: 24 },
    { channel: "t:/1", claim, cols: 80, rows: 24 },
  ],
  ["disposeTerminal", { terminal: "t:/1" }, { channel: "t:/1" }, { channel: "t:/1" }],
  [
    "completions",
    { session: "s:/1", kind: "userMessage", text: "/", offset: 1 },
    { channel: "s:/1", kind: "userMessage", text: "/", offset: 1 },
    { channel: "s:/1", text: "/", offset: 1 },
  ],
])("[E18] %s means the same in the seed and in 1.0", (method, inSeed, inCurrent, meant) => {
  for (const [dialect, params] of [
    [v0_1, inSeed],
    [v1_0, inCurrent],
    [v0_9, inCurrent],
    [holdfast, inCurrent],
  ] as const) {
    expect(dialect.readRequest(method, params)).toMatchObject({ ok: true, value: meant });
  }
});

test("[E18] what only one dialect can say is understood there", () => {
  expect(
    v1_0.readRequest("subscribe", { channel: "x:/1", delivery: { maxLatencyMs: 0 }, view: { turns: 5 } }),
  ).toEqual({
    ok: true,
    value: { channel: "x:/1", maxLatencyMs: 0, turns: 5 },
  });
  expect(v0_1.readRequest("createSession", { session: "s:/1", model: { id: "small" } })).toMatchObject({
    value: { workingDirectories: [], model: "small" },
  });
  expect(
    v0_1.readRequest("createTerminal", { terminal: "t:/1", claim: { kind: "session", session: "s:/1" } }),
  ).toMatchObject({
    value: { claim: { chat: "ahp-chat://default/czovMQ" } },
  });
});

test.each<[Dialect, RequestMethod, unknown]>([
  [v1_0, "subscribe", {}],
  [v1_0, "subscribe", { channel: "" }],
  [v1_0, "subscribe", undefined],
  [v0_1, "subscribe", { channel: "x:/1" }],
  [v1_0, "createTerminal", { channel: "t:/1" }],
  [v1_0, "createTerminal", { channel: "t:/1", claim: { kind: "session" } }],
  [v1_0, "reconnect", { clientId: "ada", lastSeenServerSeq: "1", subscriptions: [] }],
  [v1_0, "completions", { channel: "s:/1", kind: "x", text: "x", offset: -1 }],
])("[E18] a request that says too little is refused (%#)", (dialect, method, params) => {
  expect(dialect.readRequest(method, params)).toEqual({
    ok: false,
    problem: expect.stringMatching(/expected|claim/),
  });
});

test("[E18] requests of the connection need no params at all", () => {
  expect(v1_0.readRequest("listSessions", undefined)).toEqual({ ok: true, value: {} });
});

test("[E19] older turns come as an action in 1.0 and as the result in the seed", () => {
  const { turns } = storyAfter(...askingActions, ...failingActions);
  const page = { chat: storyChat.resource, turns, nextCursor: "more" };
  const current = v1_0.showTurns(page, 4);
  expect(overTheWire(current)).toMatchObject({
    messages: [
      {
        method: "action",
        params: {
          channel: storyChat.resource,
          serverSeq: 256,
          action: { type: "chat/turnsLoaded", turns: [{ id: "t1" }], turnsNextCursor: "more" },
        },
      },
    ],
    result: {},
  });
  expect(overTheWire(v0_1.showTurns(page, 4))).toMatchObject({
    messages: [],
    result: { turns: [{ id: "t1", userMessage: { text: "Fix it" } }], hasMore: true },
  });
  expect(holdfast.showTurns({ ...page, nextCursor: undefined }, 4)).toEqual({
    messages: [],
    result: { turns, nextCursor: undefined },
  });
  expect(v0_1.readRequest("fetchTurns", { session: "ahp-session:/s1", before: "t1", limit: 3 })).toEqual({
    ok: true,
    value: { channel: storyChat.resource, cursor: "t1", limit: 3 },
  });
});

test("[E27] missing content has a separate number in the seed alone", () => {
  const seed = negotiate({ protocolVersion: 1 });
  expect(seed.ok && seed.dialect.errorNumbers.contentNotFound).toBe(-32006);
  expect(v1_0.errorNumbers).toMatchObject({
    contentNotFound: -32008,
    notFound: -32008,
    sessionNotFound: -32001,
  });
});

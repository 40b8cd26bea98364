// Shows sessions and chats over AHP: created, talked to, asked, cancelled and disposed of by clients of several dialects.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { defaultChatUri, makeId, parseSessionKey } from "@holdfast/ahp";
import { useServedHosts, type ServedHost } from "./served-host.ts";
import type { HeardTurn } from "./heard.ts";
import type { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();

const session = "mine:/one";
const chat = defaultChatUri(makeId("session URI", session));
const ask = {
  do: "ask",
  method: "session/request_permission",
  as: "answer",
  params: {
    toolCall: { toolCallId: "c1", title: "Edit a file", kind: "edit", status: "pending" },
    options: [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  },
};
const script = {
  prompts: {
    hello: [{ do: "say", text: "Hello yourself" }],
    ask: [ask, { do: "say", text: "Thank you" }],
    wait: [{ do: "say", text: "…" }, { do: "hang" }],
    die: [{ do: "exit", code: 3 }],
    long: [{ do: "say", text: "x".repeat(20_000) }],
    "*": [{ do: "say", text: "Well" }],
  },
  newSession: [
    { do: "answer", result: { sessionId: "s1" } },
    {
      do: "update",
      update: {
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "plan", description: "Make a plan", input: { hint: "what" } }],
      },
    },
  ],
};

interface Pair {
  readonly host: ServedHost;
  readonly next: WireClient;
  readonly old: WireClient;
}

/** A session that a client of 1.0 created, and one of the seed watches. */
async function talk(): Promise<Pair> {
  const host = await serveHost({ script });
  const next = await host.client({ clientId: "next", subscriptions: ["ahp-root://"] });
  const old = await host.client({ clientId: "old", version: 1, subscriptions: ["agenthost:/root"] });
  const workingDirectories = [`file://${host.work}`];
  expect(
    await next.request("createSession", { channel: session, provider: "mine", workingDirectories }),
  ).toBeNull();
  await next.subscribe(session);
  await next.subscribe(chat);
  await old.subscribe(session);
  return { host, next, old };
}

const message = (text: string): object => ({ text, origin: { kind: "user" } });
const turnStarted = (turnId: string, text: string): object => ({
  type: "chat/turnStarted",
  turnId,
  startedAt: "2026-01-01T00:00:00.000Z",
  message: message(text),
});

test("[E90] a session has the name that its creator chose, comes to life in view of all, and exists once", async () => {
  const { host, next, old } = await talk();
  await next.notified(
    ({ method, params }) => method === "root/sessionAdded" && params?.summary?.resource === session,
  );
  await old.notified(
    ({ method, params }) => method === "notification" && params?.notification?.type === "notify/sessionAdded",
  );
  await expect.poll(async () => (await next.subscribe(session)).state.lifecycle).toBe("ready");
  const { items } = await next.request("listSessions");
  expect(items).toMatchObject([{ resource: session, provider: "mine" }]);
  expect((await old.request("listSessions")).items).toMatchObject([{ resource: session }]);
  expect(await next.ask("listSessions", { cursor: "nonsense" })).toMatchObject({ error: { code: -32602 } });
  expect(await next.ask("createSession", { channel: session })).toMatchObject({ error: { code: -32003 } });
  expect(await next.ask("createSession", { channel: "x:/y", provider: "nobody" })).toMatchObject({
    error: { code: -32002 },
  });
  expect(host.faults).toEqual([]);
});

test("[E91] a turn that one client starts is seen by all, with its echo for its author", async () => {
  const { next, old } = await talk();
  const seq = next.dispatch(turnStarted("t1", "hello"), chat);
  expect(await next.action("chat/turnStarted")).toMatchObject({
    channel: chat,
    origin: { clientId: "next", clientSeq: seq },
    action: { turnId: "t1" },
  });
  await next.action("chat/turnComplete", ({ action }) => action.turnId === "t1");
  await old.action(
    "session/turnComplete",
    ({ action }) => action.turnId === "t1" && action.session === session,
  );
  const { state } = await old.subscribe(session);
  expect(JSON.stringify(state.turns)).toContain("Hello yourself");
  // The same turn again is no other one.
  const again = next.dispatch(turnStarted("t1", "hello"), chat);
  const echo = await next.action("chat/turnStarted", ({ origin }) => origin?.clientSeq === again);
  expect(echo).not.toHaveProperty("rejectionReason");
  expect((await next.subscribe(chat)).state.turns).toHaveLength(1);
});

test("[E92] the first client that answers decides a question of the agent, with the option it chose", async () => {
  const { host, next, old } = await talk();
  next.dispatch(turnStarted("t1", "ask"), chat);
  const { action } = await old.action(
    "session/toolCallReady",
    (params) => params.action.options !== undefined,
  );
  const confirm = { turnId: "t1", toolCallId: action.toolCallId, approved: true, confirmed: "user-action" };
  old.dispatch({ type: "session/toolCallConfirmed", session, ...confirm, selectedOptionId: "yes" });
  expect(await old.action("session/toolCallConfirmed")).toMatchObject({ origin: { clientId: "old" } });
  await next.action("chat/toolCallConfirmed");
  const late = next.dispatch({ type: "chat/toolCallConfirmed", ...confirm }, chat);
  const refusal = await next.action("chat/toolCallConfirmed", ({ origin }) => origin?.clientSeq === late);
  expect(refusal.rejectionReason).toMatch(/\w/);
  await next.action("chat/turnComplete");
  expect(host.agentRecord()).toContain('"optionId":"yes"');
});

test("[E93] a turn is cancelled by any client; a second one is refused while one runs, or lined up", async () => {
  const { next, old } = await talk();
  next.dispatch(turnStarted("t1", "wait"), chat);
  await next.action("chat/responsePart");
  const refused = next.dispatch(turnStarted("t2", "hello"), chat);
  expect(await next.action("chat/turnStarted", ({ origin }) => origin?.clientSeq === refused)).toHaveProperty(
    "rejectionReason",
  );
  next.dispatch(
    { type: "chat/pendingMessageSet", kind: "queued", id: "q1", message: message("queued words") },
    chat,
  );
  await old.action("session/pendingMessageSet");
  old.dispatch({ type: "session/turnCancelled", session, turnId: "t1", duration: 0 });
  await next.action("chat/turnCancelled");
  await next.action("chat/turnStarted", ({ action }) => action.queuedMessageId === "q1");
  await next.action("chat/turnComplete");
  const { state } = await next.subscribe(chat);
  expect(state.turns?.map((turn) => turn.state)).toEqual(["cancelled", "complete"]);
  expect(JSON.stringify(state.turns?.at(-1))).toContain("queued words");
});

test("[E94] a turn whose agent died is resumed", async () => {
  const { next } = await talk();
  next.dispatch(turnStarted("t1", "die"), chat);
  await next.action("chat/error");
  const resumed = next.dispatch({ type: "chat/turnResume", turnId: "t1" }, chat);
  expect(await next.action("chat/turnResume")).toMatchObject({ origin: { clientSeq: resumed } });
  await expect.poll(() => next.actions.filter(({ action }) => action.type === "chat/error").length).toBe(2);
});

test("[E95] names, drafts and flags are shared; what clients cannot do is refused with a reason", async () => {
  const { host, next, old } = await talk();
  next.dispatch({ type: "session/titleChanged", title: "Ours" }, session);
  expect(await old.action("session/titleChanged", ({ action }) => action.title === "Ours")).toMatchObject({
    origin: { clientId: "next" },
  });
  next.dispatch({ type: "chat/draftChanged", draft: message("half a sent") }, chat);
  await next.action("chat/draftChanged", ({ origin }) => origin !== undefined);
  next.dispatch({ type: "session/ready" }, session);
  expect(
    await next.action("session/ready", ({ rejectionReason }) => rejectionReason !== undefined),
  ).toBeDefined();
  next.dispatch({ type: "chat/truncated" }, chat);
  expect(await next.action("chat/truncated")).toHaveProperty("rejectionReason");
  // It had no effect: only its author is notified.
  const same = next.dispatch({ type: "session/titleChanged", title: "Ours" }, session);
  await next.action("session/titleChanged", ({ origin }) => origin?.clientSeq === same);
  expect(old.actions.filter(({ action }) => action.title === "Ours")).toHaveLength(1);
  expect(host.faults).toEqual([]);
});

test("[E96] a disposed session leaves the list, and what was said in it can still be read", async () => {
  const { next } = await talk();
  next.dispatch(turnStarted("t1", "hello"), chat);
  await next.action("chat/turnComplete");
  expect(await next.request("disposeSession", { channel: session })).toBeNull();
  await next.notified(
    ({ method, params }) => method === "root/sessionRemoved" && params?.session === session,
  );
  expect(await next.request("listSessions")).toEqual({ items: [] });
  await expect
    .poll(async () => JSON.stringify((await next.subscribe(chat)).state.turns))
    .toContain("Hello yourself");
  expect(await next.request("disposeSession", { channel: session })).toBeNull();
  expect(await next.ask("disposeSession", { channel: "x:/none" })).toMatchObject({ error: { code: -32001 } });
});

test("[A500] the key of a session reads back to the id that its client chose, or the id is refused", async () => {
  const host = await serveHost({ script });
  const own = await host.own("own");
  const chosen = ["hfUJr9uFOGK_uHSffNYjKQ", "a.b~c-d"];
  for (const id of chosen) await own.request("createSession", { channel: `ahp-session:/${id}` });
  const { items } = await own.request("listSessions", { channel: "ahp-root://" });
  expect(new Set(items.map(({ key }) => parseSessionKey(key)?.sessionId))).toEqual(new Set(chosen));
  for (const id of ["a%3Ab", "50%25", "a%2Fb", "a%20b", "%C3%A9"]) {
    await expect(own.request("createSession", { channel: `ahp-session:/${id}` })).rejects.toMatchObject({
      code: -32602,
    });
  }
});

test("[E115] our own clients find sessions that are over in the list, page by page", async () => {
  const { host, next } = await talk();
  const own = await host.own("own");
  await own.request("createSession", { channel: "ahp-session:/second" });
  await next.request("disposeSession", { channel: session });
  const list = (params: object): Promise<{ items: readonly { resource: string; phase: object }[] }> =>
    own.request("listSessions", { channel: "ahp-root://", ...params });
  expect((await list({})).items).toMatchObject([{ resource: "ahp-session:/second" }]);
  const all = { includeClosed: true, limit: 1 };
  const seen: (readonly [string, boolean])[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 2; pages += 1) {
    const page = await own.request("listSessions", {
      channel: "ahp-root://",
      ...all,
      ...(cursor !== undefined && { cursor }),
    });
    seen.push(...page.items.map(({ resource, phase }) => [resource, phase.status === "closed"] as const));
    cursor = page.nextCursor;
  }
  expect(new Map(seen)).toEqual(
    new Map([
      [session, true],
      ["ahp-session:/second", false],
    ]),
  );
});

test.each(["1.0.0", "0.1.0"])(
  "[E325] a changed setting is acknowledged by its own action, in %s",
  async (version) => {
    const effort = (currentValue: string): object => ({
      id: "effort",
      name: "Effort",
      type: "select",
      currentValue,
      options: [
        { value: "low", name: "Low" },
        { value: "high", name: "High" },
      ],
    });
    const set = { do: "answer", result: { configOptions: [effort("high")] } };
    const host = await serveHost({ script: { session: { configOptions: [effort("low")] }, set: [set] } });
    const client = await host.client({ version });
    const made = "mine:/config";
    const at = { channel: made, session: made, provider: "mine", workingDirectory: `file://${host.work}` };
    await client.request("createSession", { ...at, workingDirectories: [at.workingDirectory] });
    await expect
      .poll(async () => (await client.subscribe(made)).state)
      .toMatchObject({ lifecycle: "ready", config: { values: { effort: "low" } } });
    const action = { type: "session/configChanged", session: made, config: { effort: "high" } };
    const clientSeq = client.dispatch(action, version === "1.0.0" ? made : undefined);
    const echo = await client.notified(({ params }) => params?.origin?.clientSeq === clientSeq);
    expect(echo.params).toMatchObject({
      action: { type: "session/configChanged", config: { effort: "high" } },
    });
    expect(echo.params).not.toHaveProperty("rejectionReason");
  },
);

test("[E97] commands and files are completed, files in the session's folder are read, others are not", async () => {
  const { host, next } = await talk();
  await expect
    .poll(
      async () =>
        (await next.request("completions", { channel: session, kind: "userMessage", text: "/p", offset: 2 }))
          .items,
    )
    .toMatchObject([{ insertText: "/plan ", rangeStart: 0, rangeEnd: 2 }]);
  writeFileSync(path.join(host.work, "notes.txt"), "a note");
  const { items } = await next.request("completions", {
    channel: chat,
    kind: "userMessage",
    text: "see @no",
    offset: 7,
  });
  expect(items).toMatchObject([
    { insertText: "@notes.txt", rangeStart: 4, attachment: { type: "resource" } },
  ]);
  expect(await next.request("resourceRead", { uri: `file://${host.work}/notes.txt` })).toEqual({
    data: "a note",
    encoding: "utf-8",
  });
  expect(await next.ask("resourceRead", { uri: "file:///etc/passwd" })).toMatchObject({
    error: { code: -32009 },
  });
  expect(await next.ask("resourceRead", { uri: `file://${host.work}/none` })).toMatchObject({
    error: { code: -32008 },
  });
  expect(await next.request("resolveSessionConfig", { provider: "mine" })).toEqual({
    schema: {
      type: "object",
      properties: {
        approvalPolicy: {
          type: "string",
          title: "Approvals",
          enum: ["approve-all", "approve-reads", "deny-all", "ask"],
        },
        isolation: {
          type: "string",
          title: "Isolation",
          enum: ["none", "guard", "workspace"],
          default: "guard",
        },
      },
    },
    values: {},
  });
});

test("[E117] a session begins with what its client chose for it, and a wrong choice is refused", async () => {
  const { host, next } = await talk();
  const channel = "ahp-session:/0b1c2d3e-0000-4000-8000-000000000117";
  const config = { approvalPolicy: "deny-all", isolation: "workspace" };
  const wanted = { channel, provider: "mine", config };
  expect(await next.request("createSession", wanted)).toBeNull();
  expect(host.host.listSessions({ kind: "owner" })).toContainEqual(
    expect.objectContaining({
      runtime_options: expect.objectContaining({ approvalPolicy: "deny-all" }) as object,
      isolation: expect.objectContaining({ wanted: "workspace" }) as object,
    }),
  );
  const wrong = { ...wanted, channel: channel.replace("117", "118"), config: { approvalPolicy: "all" } };
  expect(await next.ask("createSession", wrong)).toMatchObject({
    error: { code: -32602, message: expect.stringContaining("approve-reads") as string },
  });
  const unknown = { ...wanted, channel: channel.replace("117", "119"), config: { isolation: "prison" } };
  expect(await next.ask("createSession", unknown)).toMatchObject({
    error: { code: -32602, message: expect.stringContaining("workspace") as string },
  });
});

test("[E660] a session begins with the limits that its client chose, and lists those in force", async () => {
  const { host, next } = await talk();
  const channel = "ahp-session:/0b1c2d3e-0000-4000-8000-000000000660";
  const limits = { command: { wallClockSeconds: 60 } };
  expect(await next.request("createSession", { channel, provider: "mine", config: { limits } })).toBeNull();
  const created = host.host
    .listSessions({ kind: "owner" })
    .find(({ runtime_options: { limits: set } }) => set);
  expect(created?.runtime_options.limits).toEqual(limits);
  const wrong = { limits: { command: { wallClock: 60 } } };
  const refused = await next.ask("createSession", {
    channel: `${channel}1`,
    provider: "mine",
    config: wrong,
  });
  expect(refused).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('has no member "wallClock"') as string },
  });
});

test("[E98] turns are fetched from the newest back, page by page", async () => {
  const { next, old } = await talk();
  for (const id of ["a", "b", "c"]) {
    next.dispatch(turnStarted(id, `say ${id}`), chat);
    await next.action("chat/turnComplete", ({ action }) => action.turnId === id);
  }
  const idsOf = (turns: readonly HeardTurn[] = []): string[] => turns.map(({ id }) => id);
  const { state } = await next.subscribe(chat, { view: { turns: 1 } });
  expect(idsOf(state.turns)).toEqual(["c"]);
  const cursor = state.turnsNextCursor;
  expect(await next.request("fetchTurns", { channel: chat, cursor })).toEqual({});
  const loaded = await next.action("chat/turnsLoaded");
  expect(idsOf(loaded.action.turns)).toEqual(["a", "b"]);
  const page = await old.request("fetchTurns", { session, limit: 2 });
  expect(idsOf(page.turns)).toEqual(["b", "c"]);
  expect(page.hasMore).toBe(true);
  const rest = await old.request("fetchTurns", { session, before: "b", limit: 2 });
  expect(idsOf(rest.turns)).toEqual(["a"]);
  expect(rest.hasMore).toBe(false);
  expect(await old.ask("fetchTurns", { session, before: "zzz" })).toMatchObject({ error: { code: -32602 } });
});

test("[E420] turns that left the host's memory stay with clients that have them, and others fetch them", async () => {
  const { host, next } = await talk();
  const own = await host.own("own");
  const mirror = await own.subscribe(chat, "chat");
  const ids = Array.from({ length: 30 }, (_, index) => `turn-${index}`);
  for (const id of ids) {
    next.dispatch(turnStarted(id, "long"), chat);
    await next.action("chat/turnComplete", ({ action }) => action.turnId === id);
  }
  expect(next.actions.filter(({ action }) => action.type === "chat/turnsOmitted")).toEqual([]);
  const state = host.host.hub.state(chat, "chat");
  expect(state?.turns.length).toBeLessThan(ids.length);
  await expect.poll(() => mirror.confirmed).toEqual(state);
  const idsOf = (turns: readonly { readonly id: string }[] = []): string[] => turns.map(({ id }) => id);
  // One that joins late, of each kind: what the snapshot lacks is fetched.
  const late = await host.client({ clientId: "late" });
  const snapshot = await late.subscribe(chat);
  const shown = idsOf(snapshot.state.turns);
  const cursor = snapshot.state.turnsNextCursor;
  expect(await late.request("fetchTurns", { channel: chat, cursor, limit: 100 })).toEqual({});
  const loaded = await late.action("chat/turnsLoaded");
  expect([...idsOf(loaded.action.turns), ...shown]).toEqual(ids);
  const pages: string[] = [];
  let page = await own.request("fetchTurns", { channel: chat, limit: 7 });
  pages.unshift(...idsOf(page.turns));
  while (page.nextCursor !== undefined) {
    page = await own.request("fetchTurns", { channel: chat, limit: 7, cursor: page.nextCursor });
    pages.unshift(...idsOf(page.turns));
  }
  expect(pages).toEqual(ids);
  const seed = await host.client({ clientId: "seed", version: 1 });
  const rest = await seed.request("fetchTurns", { session, before: shown[0], limit: 100 });
  expect([...idsOf(rest.turns), ...shown]).toEqual(ids);
  expect(rest.hasMore).toBe(false);
});

// A host on what an earlier one kept: everything is there, and what died with the host says so.
import { type Action, type ToolCall, type TurnEnd, makeId } from "@holdfast/ahp";
import { expect, test } from "vitest";
import type { LogReader } from "../channel/log-reader.ts";
import type { HostEvent } from "../host-event.ts";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { FakeSession } from "../testing/fake-session.ts";
import { MortalStorage } from "../testing/mortal-storage.ts";
import { ask, askPermission, say, type Script, update } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const agent: Script = {
  capabilities: { loadSession: true },
  prompts: {
    "*": [say("Hello "), say("there")],
    long: [say("So far"), { do: "hang" }],
    careful: [askPermission("rm", { kind: "execute" }), say("Done")],
  },
};
const agents = { mine: agent };

function readAll(feed: LogReader): Action[] {
  const actions: Action[] = [];
  while (feed.hasMore) {
    const reading = feed.read();
    if (reading.kind !== "entries" || reading.entries.length === 0) break;
    actions.push(...reading.entries.map(({ action }) => action));
  }
  feed.close();
  return actions;
}

test("[R1] after a kill, sessions and their history are there, and the next turn continues with the agent's context", async () => {
  const storage = new MortalStorage();
  const first = newHost({ agents, storage: storage.forHost });
  const before = await first.open({ label: "kept", approvalPolicy: "approve-all" });
  await before.chat("hi");
  const { backend_id: backendId } = before.status;
  storage.die();
  await first.host.close();
  const second = newHost({ agents, storage: storage.kept });
  expect(second.host.listSessions(ME)).toMatchObject([
    { session_key: before.key, state: "stale", label: "kept", backend_id: backendId },
  ]);
  const after = new FakeSession(second.host, before.key, second.heard());
  expect(await after.chat("hi again")).toMatchObject({ text: "Hello there" });
  expect(after.chatState.turns.map(({ message }) => message.text)).toEqual(["hi", "hi again"]);
  const loads = after.agent.messages.filter(({ method }) => method === "session/load");
  expect(loads).toMatchObject([{ params: { sessionId: backendId } }]);
  expect(after.agent.methods).not.toContain("session/new");
  expect(after.status.state).toBe("ready");
});

test("[R2] a turn that was running has ended as interrupted, and can be followed to that end", async () => {
  const storage = new MortalStorage();
  const first = newHost({ agents, storage: storage.forHost });
  const before = await first.open();
  const turn = before.stream("long");
  await turn.until(({ type }) => type === "chat/responsePart");
  await first.host.hub.settled();
  storage.die();
  await first.host.close();
  const second = newHost({ agents, storage: storage.kept });
  const events: HostEvent[] = [];
  second.host.watch((event) => events.push(event));
  await second.host.hub.settled();
  const end: Partial<TurnEnd> = { state: "interrupted", resumable: true };
  expect(events).toMatchObject([{ type: "turn_done", sessionKey: before.key, turnId: turn.turnId, end }]);
  const feed = second.host.followSession(before.key, { turnId: turn.turnId }, ME, () => {});
  expect(readAll(feed.chat).map(({ type }) => type)).toEqual([
    "chat/turnStarted",
    "chat/responsePart",
    "chat/turnInterrupted",
  ]);
  expect(feed.isBusy()).toBe(false);
  feed.session.close();
  const after = new FakeSession(second.host, before.key, second.heard());
  expect(after.lastTurn).toMatchObject({ end, responseParts: [{ content: "So far" }] });
  expect(second.host.listSessions(ME)[0]?.state).toBe("stale");
});

test("[R3] open questions and queued messages wait no more", async () => {
  const storage = new MortalStorage();
  const first = newHost({ agents, storage: storage.forHost });
  const before = await first.open();
  const turn = before.stream("careful");
  const { id } = await turn.approval();
  const waiting = before.stream("and then", { queue: true });
  await first.host.hub.settled();
  expect(first.host.approvals.list(ME)).toMatchObject([
    { sessionKey: before.key, toolCall: { approval: { id } } },
  ]);
  storage.die();
  await first.host.close();
  const second = newHost({ agents, storage: storage.kept });
  expect(second.host.approvals.list(ME)).toEqual([]);
  const after = new FakeSession(second.host, before.key, second.heard());
  expect(after.resolve(id, "yes")).toMatchObject({ resolved: false });
  expect(after.state.inputNeeded).toEqual([]);
  await second.host.hub.settled();
  const actions = readAll(second.host.followSession(before.key, {}, ME, () => {}).chat);
  expect(after.chatState).toMatchObject({ queuedMessages: [], turns: [{ end: { state: "interrupted" } }] });
  expect(actions.at(-1)).toMatchObject({
    type: "chat/pendingMessageRemoved",
    id: waiting.turnId,
  });
});

test("[R3] messages that were queued when the host was killed between two turns wait no more either", async () => {
  const storage = new MortalStorage();
  const first = newHost({ agents, storage: storage.forHost });
  const before = await first.open();
  const turn = before.stream("long");
  await turn.until(({ type }) => type === "chat/responsePart");
  before.stream("and then", { queue: true });
  const { resource } = before.chatState;
  const endedAt = "2026-01-01T00:00:00.000Z";
  const turnId = makeId("turn", turn.turnId);
  const by = { kind: "host" } as const;
  // The end of the first turn is kept, the beginning of the second is not.
  first.host.hub.dispatch(resource, { type: "chat/turnCancelled", turnId, endedAt, durationMs: 1, by });
  await first.host.hub.settled();
  storage.die();
  await first.host.close();
  expect(storage.kept.loadChannel(resource)?.state).toMatchObject({ queuedMessages: [{}] });
  const second = newHost({ agents, storage: storage.kept });
  second.host.followSession(before.key, {}, ME, () => {}).chat.read();
  const after = new FakeSession(second.host, before.key, second.heard());
  expect(after.chatState.queuedMessages).toEqual([]);
});

test("[R4] a session whose agent was being started is over", async () => {
  const storage = new MortalStorage();
  const first = newHost({ agents: { mine: { initialize: [{ do: "hang" }] } }, storage: storage.forHost });
  const opening = first.open().catch(() => undefined);
  await first.heard().heard("initialize");
  await first.host.hub.settled();
  storage.die();
  await first.host.close();
  await opening;
  const second = newHost({ agents, storage: storage.kept });
  await second.host.hub.settled();
  expect(second.host.listSessions(ME)).toEqual([]);
  expect(second.host.listSessions(ME, true)).toMatchObject([{ state: "closed" }]);
});

test("[R5] a stop in order keeps sessions too: their turns are interrupted, their agents ended", async () => {
  const storage = new MortalStorage();
  const first = newHost({ agents, storage: storage.kept });
  const before = await first.open();
  const turn = before.stream("long");
  await turn.until(({ type }) => type === "chat/responsePart");
  await first.host.close();
  expect(await turn.ended).toMatchObject({ type: "chat/turnInterrupted", resumable: true });
  const second = newHost({ agents, storage: storage.kept });
  const after = new FakeSession(second.host, before.key, second.heard());
  expect(after.status.state).toBe("stale");
  expect((await after.turn("hi")).isOver).toBe(true);
  expect(after.text).toBe("Hello there");
});

test("[R6] numbers continue above all that were published", async () => {
  const storage = new MortalStorage();
  const first = newHost({ agents, storage: storage.forHost });
  const before = await first.open({ approvalPolicy: "approve-all" });
  await before.chat("hi");
  const { lastSeq } = first.host.hub;
  storage.die();
  await first.host.close();
  const second = newHost({ agents, storage: storage.kept });
  const after = new FakeSession(second.host, before.key, second.heard());
  await after.chat("hi");
  const { entries } = storage.kept.readLog(after.chatState.resource, lastSeq, 1000);
  expect(entries.length).toBeGreaterThan(3);
  expect(() => second.host.followSession(before.key, { after: 10 ** 9 }, ME, () => {})).toThrow(
    expect.objectContaining({ code: "EVENTS_LOST" }),
  );
});

test("[R7] an agent that is no longer known leaves its sessions to be read", async () => {
  const storage = new MortalStorage();
  const first = newHost({ agents, storage: storage.kept });
  const before = await first.open({ approvalPolicy: "approve-all" });
  await before.chat("hi");
  await first.host.close();
  const second = newHost({ agents: { other: {} }, storage: storage.kept });
  const after = new FakeSession(second.host, before.key, second.heard());
  await expect(after.chat("hi")).rejects.toMatchObject({ code: "ACP_SESSION_INIT_FAILED" });
  expect(after.chatState.turns.map(({ end }) => end.state)).toEqual(["complete", "failed"]);
  expect(after.status).toMatchObject({
    state: "stale",
    last_error: expect.stringContaining("not installed"),
  });
});

test("[M36] the start and end times of calls and terminals are by the host's clock, and known after a kill", async () => {
  const storage = new MortalStorage();
  let seconds = 0;
  const now = (): Date => new Date(Date.UTC(2026, 0, 1) + (seconds += 1) * 1000);
  const call = { toolCallId: "t", title: "Look", kind: "execute" };
  const terminal = { terminalId: "$made.terminalId" };
  const steps = [
    update("tool_call", { ...call, status: "pending" }),
    update("tool_call_update", { ...call, status: "in_progress" }),
    ask("made", "terminal/create", { command: "true" }),
    ask("exit", "terminal/wait_for_exit", terminal),
    update("tool_call_update", {
      ...call,
      status: "completed",
      content: [{ type: "terminal", ...terminal }],
    }),
    update("tool_call", { ...call, toolCallId: "late", status: "completed" }),
  ];
  const scripts = { mine: { prompts: { go: steps } } };
  const first = newHost({ agents: scripts, storage: storage.forHost, now });
  const before = await first.open({ approvalPolicy: "approve-all" });
  await before.turn("go");
  await first.host.hub.settled();
  storage.die();
  await first.host.close();
  const second = newHost({ agents, storage: storage.kept });
  second.host.followSession(before.key, {}, ME, () => {}).chat.read();
  const after = new FakeSession(second.host, before.key, second.heard());
  const [look, late] = after.toolCalls;
  const [shown] = look?.content ?? [];
  const kept = storage.kept.loadChannel(shown?.type === "terminal" ? shown.resource : "");
  const { startedAt, lifecycle } = kept?.kind === "terminal" ? kept.state : raise();
  const exitedAt = lifecycle.status === "exited" ? lifecycle.exitedAt : "";
  const timestamps = [after.lastTurn.startedAt, look?.startedAt, startedAt, exitedAt, endOf(look)];
  const times = timestamps.map((time) => Date.parse(time ?? ""));
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(new Set(times).size).toBe(5);
  expect(late?.startedAt).toBeUndefined();
  expect(Date.parse(endOf(late) ?? "")).toBeGreaterThan(Date.parse(endOf(look) ?? ""));
});

function endOf(call: ToolCall | undefined): string | undefined {
  return call?.status === "completed" ? call.endedAt : undefined;
}

function raise(): never {
  throw new Error("It is not kept");
}

test.each(["kill", "stop"])(
  "[R260] after a %s only a session in which something ran says that it ended",
  async (how) => {
    const storage = new MortalStorage();
    const first = newHost({ agents, storage: storage.forHost });
    const idle = await first.open({ approvalPolicy: "approve-all" });
    await idle.chat("hi");
    const busy = await first.open({ approvalPolicy: "approve-all" });
    const turn = busy.stream("long");
    await busy.agent.heard("session/prompt", 2);
    if (how === "kill") storage.die();
    await first.host.close();
    await turn.ended;
    const second = newHost({ agents, storage: storage.kept });
    const causeIn = ({ key }: FakeSession): unknown => {
      const { lifecycle } = new FakeSession(second.host, key, second.heard()).state;
      return lifecycle.status === "stale" && lifecycle.cause;
    };
    expect(causeIn(idle)).toBe("evicted");
    expect(causeIn(busy)).toBe("host-restarted");
  },
);

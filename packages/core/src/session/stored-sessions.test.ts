// Stored sessions, their visibility and their end: closing, deleting, callers, repeated messages, idle sessions.
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { expect, test } from "vitest";
import type { HostEvent } from "../host-event.ts";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { ask, askPermission, say, type Script } from "../testing/script.ts";
import { uriOfKey } from "../testing/session-uri.ts";

guardLeaks();
const newHost = useFakeHosts();

const agent: Script = {
  capabilities: { loadSession: true },
  prompts: { "*": [say("Hello")], long: [say("So far"), { do: "hang" }] },
};
const ceiling = { policy: "approve-all" } as const;
const appA = { kind: "app", appId: makeId("app", "a"), name: "App A", ceiling } as const;
const appB = { kind: "app", appId: makeId("app", "b"), ceiling } as const;

test("[R10] a closed session is hidden, and its history stays until it is deleted", async () => {
  const storage = new MemoryStorage();
  const host = newHost({ agents: { mine: agent }, storage });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.chat("hi");
  await session.close("done");
  await host.host.hub.settled();
  expect(() => host.host.getSession(session.key, ME)).toThrow(
    expect.objectContaining({ code: "ACP_SESSION_NOT_FOUND" }),
  );
  expect(host.host.listSessions(ME)).toEqual([]);
  expect(host.host.listSessions(ME, true)).toMatchObject([{ session_key: session.key, state: "closed" }]);
  const chat = defaultChatUri(uriOfKey(session.key));
  await until(() => storage.loadChannel(chat)?.isOpen === false);
  expect(storage.loadChannel(chat)).toMatchObject({
    isOpen: false,
    state: { turns: [{ message: { text: "hi" } }] },
  });
  await host.host.deleteSession(session.key, ME);
  expect(storage.channelsOf(uriOfKey(session.key))).toEqual([]);
  expect(host.host.listSessions(ME, true)).toEqual([]);
  await expect(host.host.deleteSession(session.key, ME)).rejects.toMatchObject({ status: 404 });
});

test("[R10] an open session can be deleted in mid-turn, and nothing of it is kept", async () => {
  const storage = new MemoryStorage();
  const host = newHost({ agents: { mine: agent }, storage });
  const session = await host.open();
  const turn = session.stream("long");
  await turn.until(({ type }) => type === "chat/responsePart");
  await host.host.deleteSession(session.key, ME);
  expect(await turn.ended).toMatchObject({ type: "chat/turnCancelled" });
  await host.host.hub.settled();
  expect(storage.channelsOf(uriOfKey(session.key))).toEqual([]);
  expect(storage.listSessions().sessions).toEqual([]);
});

test("[R11] an app sees its own sessions, another app's are not there, the owner sees all", async () => {
  const { host } = newHost({ agents: { mine: agent } });
  const own = await host.createSession({ agent_id: "mine", approvalPolicy: "approve-all" }, appA);
  const mine = await host.createSession({ agent_id: "mine" }, ME);
  const keysOf = (caller: typeof ME | typeof appA | typeof appB): string[] =>
    host.listSessions(caller).map(({ session_key }) => session_key);
  expect([keysOf(appA), keysOf(appB)]).toEqual([[own.session_key], []]);
  expect(keysOf(ME)).toEqual([own.session_key, mine.session_key]);
  const notFound = expect.objectContaining({ code: "ACP_SESSION_NOT_FOUND" });
  const key = own.session_key;
  expect(() => host.getSession(key, appB)).toThrow(notFound);
  expect(() => host.streamTurn(key, { message: "hi" }, appB, () => {})).toThrow(notFound);
  expect(() => host.followSession(key, {}, appB, () => {})).toThrow(notFound);
  expect(() => host.approvals.resolve(key, { requestId: "r", optionId: "o" }, appB)).toThrow(notFound);
  expect(() => host.terminals.list(appB, key)).toThrow(notFound);
  await expect(host.patchSession(key, { timeoutSeconds: 5 }, appB)).rejects.toThrow(notFound);
  await expect(host.chat(key, { message: "hi" }, appB)).rejects.toThrow(notFound);
  await expect(host.cancelTurn(key, {}, appB)).rejects.toThrow(notFound);
  await expect(host.closeSession(key, undefined, appB)).rejects.toThrow(notFound);
  await expect(host.deleteSession(key, appB)).rejects.toThrow(notFound);
  expect(await host.chat(key, { message: "hi" }, appA)).toMatchObject({ text: "Hello" });
  await host.closeSession(key, undefined, appA);
  await host.hub.settled();
  expect(host.listSessions(appA, true)).toHaveLength(1);
  expect(host.listSessions(appB, true)).toHaveLength(0);
});

test("[R12] a message that is sent again under its name is the same turn: running, queued, or ended", async () => {
  const host = newHost({ agents: { mine: agent } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const first = session.stream("long", { idempotencyKey: "one" });
  const again = session.stream("long", { idempotencyKey: "one" });
  const waiting = session.stream("next", { idempotencyKey: "two", queue: true });
  const waitingToo = session.stream("next", { idempotencyKey: "two", queue: true });
  expect([again.turnId, waitingToo.turnId]).toEqual([first.turnId, waiting.turnId]);
  expect(() => session.stream("other", { idempotencyKey: "one" })).toThrow(
    expect.objectContaining({ code: "IDEMPOTENCY_CONFLICT" }),
  );
  await again.until(({ type }) => type === "chat/responsePart");
  const whole = (turn: typeof first): string[] => turn.actions.map(({ type }) => type);
  expect(whole(again)[0]).toBe("chat/turnStarted");
  await session.cancel();
  await first.ended;
  expect(await waitingToo.ended).toMatchObject({ type: "chat/turnComplete" });
  const done = await session.chat("hi", { idempotencyKey: "three" });
  expect(await session.chat("hi", { idempotencyKey: "three" })).toEqual(done);
  const late = session.stream("hi", { idempotencyKey: "three" });
  expect(await late.ended).toMatchObject({ type: "chat/turnComplete" });
  expect(session.agent.messages.filter(({ method }) => method === "session/prompt")).toHaveLength(3);
});

test("[R13] an idle session is unloaded: its agent is stopped, its chat leaves memory, and both come back", async () => {
  const host = newHost({ agents: { mine: agent }, config: { acp: { idleSeconds: 0.05 } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.chat("hi");
  await until(() => session.status.state === "stale");
  const chat = defaultChatUri(uriOfKey(session.key));
  await until(() => !host.host.hub.has(chat));
  expect(session.state.lifecycle).toMatchObject({ status: "stale", cause: "evicted" });
  expect(session.status).not.toHaveProperty("last_error");
  const turn = session.stream("again");
  expect(await turn.ended).toMatchObject({ type: "chat/turnComplete" });
  expect(session.chatState.turns.map(({ message }) => message.text)).toEqual(["hi", "again"]);
  expect(session.agent.methods.filter((method) => method === "session/new")).toHaveLength(1);
  expect(session.state.contextLoss).toBeUndefined();
});

test("[R13] while a turn, a terminal or what it left behind runs, nothing is unloaded", async () => {
  const run = ask("made", "terminal/create", { command: "sleep 60 & echo done" });
  const release = ask("gone", "terminal/release", { terminalId: "$made.terminalId" });
  const waited = ask("end", "terminal/wait_for_exit", { terminalId: "$made.terminalId" });
  const busy: Script = { ...agent, prompts: { run: [run, waited, release], stay: [run] } };
  const host = newHost({ agents: { mine: busy }, config: { acp: { idleSeconds: 0.05 } } });
  const [left, held] = await Promise.all([
    host.open({ approvalPolicy: "approve-all" }),
    host.open({ approvalPolicy: "approve-all" }),
  ]);
  await Promise.all([left.chat("run"), held.chat("stay")]);
  await new Promise((resolve) => {
    setTimeout(resolve, 400);
  });
  expect([left.status.state, held.status.state]).toEqual(["ready", "ready"]);
});

test("[R13] an agent that cannot resume with its context is not stopped, but its chat leaves memory", async () => {
  const forgetful: Script = { ...agent, capabilities: {} };
  const host = newHost({ agents: { mine: forgetful }, config: { acp: { idleSeconds: 0.05 } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.chat("hi");
  await until(() => !host.host.hub.has(defaultChatUri(uriOfKey(session.key))));
  expect(session.status.state).toBe("ready");
  expect(await session.chat("hi")).toMatchObject({ text: "Hello" });
  expect(session.agent.processes).toHaveLength(1);
});

test("[R14] watchers of the host are notified of turns, questions and errors", async () => {
  const careful: Script = {
    prompts: {
      "*": [askPermission("rm", { kind: "execute" }), say("Done")],
      die: [{ do: "exit", code: 3 }],
    },
  };
  const host = newHost({ agents: { mine: careful } });
  const events: HostEvent[] = [];
  const stop = host.host.watch((event) => events.push(event));
  const session = await host.open();
  const turn = session.stream("hi");
  const { id } = await turn.approval();
  session.resolve(id, "yes");
  await turn.ended;
  await (
    await session.turn("die")
  ).ended;
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["turn_started", "approval_needed", "turn_done", "session_error"]),
  );
  expect(events.slice(0, 3)).toMatchObject([
    { type: "turn_started", sessionKey: session.key, owner: { kind: "person" }, turnId: turn.turnId },
    { type: "approval_needed", toolCall: { approval: { id } } },
    { type: "turn_done", end: { state: "complete" } },
  ]);
  stop();
  const heard = events.length;
  await (
    await session.turn("die")
  ).ended;
  expect(events).toHaveLength(heard);
  expect(host.host.stats()).toMatchObject({ turnsRunning: 0, approvalsOpen: 0, terminalsRunning: 0 });
});

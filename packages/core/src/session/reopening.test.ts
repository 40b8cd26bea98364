// Closed sessions that are opened again: the agent continues where it can, and the state says so where it cannot.
import { renameSync } from "node:fs";
import { makeId } from "@holdfast/ahp";
import type { Ceiling } from "@holdfast/protocol";
import { expect, test } from "vitest";
import type { Caller } from "../caller.ts";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { say, type Script } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const loads: Script = { capabilities: { loadSession: true }, prompts: { "*": [say("Hello")] } };
const forgets: Script = { prompts: { "*": [say("Hello")] } };
const policy = { approvalPolicy: "approve-all" } as const;

test("[N810] a closed session is reopened without an agent, and the next turn restores its context", async () => {
  const host = newHost({ agents: { mine: loads } });
  const session = await host.open(policy);
  await session.chat("one");
  const { backendId } = session.state;
  await session.close("done");
  expect(host.host.listSessions(ME)).toEqual([]);
  expect(await session.reopen()).toMatchObject({ session_key: session.key, state: "stale" });
  expect(session.state.lifecycle).toMatchObject({ status: "stale", cause: "reopened" });
  expect(host.host.stats().agentsRunning).toBe(0);
  expect(await session.chat("two")).toMatchObject({ text: "Hello" });
  expect(session.agent.methods.slice(-2)).toEqual(["session/load", "session/prompt"]);
  expect(session.state).toMatchObject({ backendId, lifecycle: { status: "ready" } });
  expect(session.state.contextLoss).toBeUndefined();
  expect(session.chatState.turns.map(({ message }) => message.text)).toEqual(["one", "two"]);
});

test("[N810] reopening an open session changes nothing, and two requests at once reopen it once", async () => {
  const host = newHost({ agents: { mine: loads } });
  const session = await host.open(policy);
  expect(await session.reopen()).toMatchObject({ state: "ready" });
  const closing = session.close();
  await Promise.all([closing, session.reopen(), session.reopen()]);
  expect(host.host.listSessions(ME)).toHaveLength(1);
  expect(await session.chat("go on")).toMatchObject({ text: "Hello" });
});

test("[N810] a reopened session is there after a restart of the host, and can be closed again", async () => {
  const storage = new MemoryStorage();
  const host = newHost({ agents: { mine: loads }, storage });
  const session = await host.open(policy);
  await session.chat("one");
  await session.close();
  await session.reopen();
  await host.host.close();
  const next = newHost({ agents: { mine: loads }, storage });
  await next.host.hub.settled();
  expect(next.host.listSessions(ME)).toMatchObject([{ session_key: session.key, state: "stale" }]);
  await next.host.closeSession(session.key, undefined, ME);
  expect(next.host.listSessions(ME)).toEqual([]);
  expect(next.host.listSessions(ME, true)).toMatchObject([{ state: "closed" }]);
});

test("[R15] a session that is being deleted cannot be reopened", async () => {
  const host = newHost({ agents: { mine: loads } });
  const session = await host.open(policy);
  await session.close();
  const deleting = [1, 2].map(() => host.host.deleteSession(session.key, ME));
  await expect(session.reopen()).rejects.toMatchObject({ code: "ACP_SESSION_NOT_FOUND" });
  await Promise.all(deleting);
  expect(host.host.listSessions(ME)).toEqual([]);
  expect(host.host.listSessions(ME, true)).toEqual([]);
});

test("[N811] an agent that cannot resume starts without its context after a reopening, and the session says so", async () => {
  const host = newHost({ agents: { mine: forgets } });
  const session = await host.open(policy);
  await session.chat("one");
  await session.close();
  await session.reopen();
  await expect(session.chat("two", { onContextLost: "fail" })).rejects.toMatchObject({
    code: "ACP_CONTEXT_LOST",
  });
  expect(await session.chat("two")).toMatchObject({ text: "Hello" });
  expect(session.state.contextLoss?.reason).toContain("cannot resume");
});

test("[N811] a session whose folder or agent is gone stays closed, and the error names it", async () => {
  const storage = new MemoryStorage();
  const host = newHost({ agents: { mine: loads }, storage });
  const session = await host.open(policy);
  await session.close();
  renameSync(host.work, `${host.work}-gone`);
  await expect(session.reopen()).rejects.toMatchObject({ code: "ACP_INVALID_OPTION" });
  expect(host.host.listSessions(ME)).toEqual([]);
  const other = newHost({ agents: { other: loads }, storage });
  await expect(other.host.reopenSession(session.key, ME)).rejects.toMatchObject({
    code: "ACP_UNKNOWN_AGENT",
  });
  const never = newHost({ agents: { mine: { initialize: [{ do: "exit", code: 1 }] } } });
  await expect(never.host.reopenSession("agent:mine:none", ME)).rejects.toMatchObject({
    code: "ACP_SESSION_NOT_FOUND",
  });
});

test("[N812] another app's closed session cannot be reopened, and a lower ceiling is obeyed", async () => {
  const host = newHost({ agents: { mine: loads } });
  const app = (name: string, most: Ceiling): Caller => ({
    kind: "app",
    appId: makeId("app", name),
    ceiling: most,
  });
  const owner = app("one", { policy: "approve-all" });
  const options = { agent_id: "mine", cwd: host.work, ...policy };
  const { session_key: key } = await host.host.createSession(options, owner);
  await host.host.closeSession(key, undefined, owner);
  const reopen = (caller: Caller): Promise<unknown> => host.host.reopenSession(key, caller);
  await expect(reopen(app("two", { policy: "approve-all" }))).rejects.toMatchObject({
    code: "ACP_SESSION_NOT_FOUND",
  });
  await expect(reopen(app("one", { policy: "deny-all" }))).rejects.toMatchObject({
    code: "CEILING_EXCEEDED",
  });
  expect(await reopen(owner)).toMatchObject({ state: "stale" });
});

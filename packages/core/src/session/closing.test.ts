// The end of a session, whatever it is doing: it comes once, it is whole, and the host keeps running.
import { defaultChatUri } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { say, type Script } from "../testing/script.ts";
import { uriOfKey } from "../testing/session-uri.ts";

guardLeaks();
const newHost = useFakeHosts();

/** An agent that takes its time to end. */
const slow: Script = {
  capabilities: { loadSession: true },
  prompts: { "*": [say("Hello")] },
  ignoresEndOfInput: true,
};

function urisOf(key: string): string[] {
  const uri = uriOfKey(key);
  return [uri, defaultChatUri(uri)];
}

function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "done",
    (error: unknown) => (error as { code: string }).code,
  );
}

test("[R15] a session that is closed while it is being unloaded is closed whole", async () => {
  const storage = new MemoryStorage();
  const config = { acp: { idleSeconds: 0.05 } };
  const host = newHost({ agents: { mine: slow }, storage, config, timeouts: { endOfInputMs: 300 } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.chat("hi");
  await until(() => session.status.state === "stale");
  await session.close();
  await host.host.hub.settled();
  expect(urisOf(session.key).map((uri) => storage.loadChannel(uri)?.isOpen)).toEqual([false, false]);
  expect(urisOf(session.key).map((uri) => host.host.hub.has(uri))).toEqual([false, false]);
});

test("[R15] a session that is closed while its agent is being started is closed once", async () => {
  const storage = new MemoryStorage();
  const timeouts = { endOfInputMs: 50 };
  const host = newHost({ agents: { mine: { initialize: [{ do: "hang" }] } }, storage, timeouts });
  const opening = codeOf(host.open());
  await host.heard().heard("initialize");
  const [{ session_key: key } = { session_key: "" }] = host.host.listSessions(ME);
  await host.host.closeSession(key, "not needed", ME);
  expect(await opening).toBe("ACP_SESSION_NOT_FOUND");
  await host.host.hub.settled();
  expect(urisOf(key).map((uri) => storage.loadChannel(uri)?.isOpen)).toEqual([false, false]);
  expect(storage.loadChannel(urisOf(key)[0] ?? "")?.state).toMatchObject({
    lifecycle: { reason: "not needed" },
  });
});

test("[R15] a session that is deleted while it is being closed is removed when that is done", async () => {
  const storage = new MemoryStorage();
  const host = newHost({ agents: { mine: slow }, storage, timeouts: { endOfInputMs: 200 } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.chat("hi");
  const order: string[] = [];
  const closing = session.close().then(() => order.push("closed"));
  await host.host.deleteSession(session.key, ME);
  order.push("deleted");
  await closing;
  await host.host.hub.settled();
  expect(order).toEqual(["closed", "deleted"]);
  expect(urisOf(session.key).map((uri) => storage.loadChannel(uri))).toEqual([undefined, undefined]);
});

test("[R16] a host that stops rejects new work with its code, and starts no more agents", async () => {
  const storage = new MemoryStorage();
  const host = newHost({ agents: { mine: { ...slow, ignoresEndOfInput: false } }, storage });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const opening = codeOf(host.open());
  const closing = host.host.close();
  const late = [codeOf(host.open()), codeOf(session.chat("hi"))];
  expect(await Promise.all([opening, ...late])).toEqual(["HOST_STOPPING", "HOST_STOPPING", "HOST_STOPPING"]);
  await closing;
  expect(host.host.stats()).toMatchObject({ agentsRunning: 0 });
  expect(storage.loadChannel(urisOf(session.key)[0] ?? "")?.isOpen).toBe(true);
});

test("[R16] a session whose agent is being started when the host stops is left to the next host", async () => {
  const storage = new MemoryStorage();
  const agents = { mine: { initialize: [{ do: "hang" }] } } as const;
  const host = newHost({ agents, storage, timeouts: { endOfInputMs: 50 } });
  const opening = codeOf(host.open());
  await host.heard().heard("initialize");
  await host.host.close();
  expect(await opening).toBe("HOST_STOPPING");
  const next = newHost({ agents, storage });
  await next.host.hub.settled();
  expect(next.host.listSessions(ME)).toEqual([]);
  expect(next.host.listSessions(ME, true)).toMatchObject([{ state: "closed" }]);
});

// Chats of idle sessions: unloaded from memory, loaded when somebody asks for them, and unloaded again.
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

const agent: Script = { capabilities: { loadSession: true }, prompts: { "*": [say("Hello")] } };
const config = { acp: { idleSeconds: 0.05 } };

function chatOf(key: string): string {
  return defaultChatUri(uriOfKey(key));
}

test("[R17] a chat that somebody reads comes into memory, stays while it is read, and leaves again", async () => {
  const host = newHost({ agents: { mine: agent }, config });
  const { hub } = host.host;
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.chat("hi");
  const chat = chatOf(session.key);
  await until(() => !hub.has(chat));
  const { chat: chatReader, session: sessionReader } = host.host.followSession(session.key, {}, ME, () => {});
  while (chatReader.hasMore) chatReader.read();
  expect(hub.has(chat)).toBe(true);
  // Another session that is idle for as long shows that the time is over.
  const other = await host.open({ approvalPolicy: "approve-all" });
  await until(() => other.status.state === "stale");
  expect(hub.has(chat)).toBe(true);
  chatReader.close();
  sessionReader.close();
  await until(() => !hub.has(chat));
});

test("[R12] a turn that is asked for again, and whose beginning is no longer kept, is EVENTS_LOST", async () => {
  const storage = new MemoryStorage();
  const host = newHost({ agents: { mine: agent }, storage, config });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const answer = await session.chat("hi", { idempotencyKey: "one" });
  await session.chat("and then");
  await until(() => !host.host.hub.has(chatOf(session.key)));
  storage.prune({ nowMs: Date.now(), maxBytes: 1 });
  expect(() => session.stream("hi", { idempotencyKey: "one" })).toThrow(
    expect.objectContaining({ code: "EVENTS_LOST" }) as Error,
  );
  expect(await session.chat("hi", { idempotencyKey: "one" })).toEqual(answer);
});

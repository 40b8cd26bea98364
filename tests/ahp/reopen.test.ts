// A closed session that clients of two dialects open again, and the one chat that a session has.
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { useServedHosts } from "./served-host.ts";

const serveHost = useServedHosts();

const session = "mine:/one";
const chat = defaultChatUri(makeId("session URI", session));
const script = { prompts: { "*": [{ do: "say", text: "Hello" }] } };

const turnStarted = (turnId: string): object => ({
  type: "chat/turnStarted",
  turnId,
  startedAt: "2026-01-01T00:00:00.000Z",
  message: { text: "hello", origin: { kind: "user" } },
});

test("[A810] a closed session is reopened over AHP in every dialect, and a new subscription follows it again", async () => {
  const host = await serveHost({ script });
  const next = await host.client({ clientId: "next", subscriptions: ["ahp-root://"] });
  const old = await host.client({ clientId: "old", version: 1, subscriptions: ["agenthost:/root"] });
  const workingDirectories = [`file://${host.work}`];
  await next.request("createSession", { channel: session, provider: "mine", workingDirectories });
  await next.subscribe(chat);
  next.dispatch(turnStarted("t1"), chat);
  await next.action("chat/turnComplete");
  await next.request("disposeSession", { channel: session });
  expect(await next.request("listSessions")).toEqual({ items: [] });

  expect(await old.request("reopenSession", { session })).toBeNull();
  expect(await next.request("listSessions")).toMatchObject({ items: [{ resource: session }] });
  expect(await next.request("reopenSession", { channel: session })).toBeNull();
  await next.subscribe(session);
  await next.subscribe(chat);
  next.dispatch(turnStarted("t2"), chat);
  await next.action("chat/turnComplete", ({ action }) => action.turnId === "t2");
  expect(await next.ask("reopenSession", { channel: "x:/none" })).toMatchObject({ error: { code: -32001 } });
});

test("[E792] a session's own chat may be created again, and there is no other", async () => {
  const host = await serveHost({ script });
  const client = await host.client({ clientId: "next" });
  const workingDirectories = [`file://${host.work}`];
  await client.request("createSession", { channel: session, provider: "mine", workingDirectories });
  expect(await client.request("createChat", { channel: session, chat })).toBeNull();
  const oneChat = { error: { code: -32602, message: expect.stringContaining("one chat") as string } };
  const another = await client.ask("createChat", { channel: session, chat: "ahp-chat:/another" });
  expect(another).toMatchObject(oneChat);
  expect(await client.ask("disposeChat", { channel: chat })).toMatchObject(oneChat);
  const nowhere = await client.ask("createChat", { channel: "x:/none", chat });
  expect(nowhere).toMatchObject({ error: { code: -32001 } });
});

// Shows what VS Code needs of sessions over AHP: agents with models, URIs with the agent's scheme, and its own settings.
import { expect, test } from "vitest";
import { defaultChatUri, makeId, parseSessionKey } from "@holdfast/ahp";
import { useServedHosts } from "./served-host.ts";

const serveHost = useServedHosts();

const session = "mine:/one";
const chat = defaultChatUri(makeId("session URI", session));
const script = { prompts: { "*": [{ do: "say", text: "Hello yourself" }] } };

test("[E802] a session is created with what VS Code sends for every session", async () => {
  const host = await serveHost({ script });
  const next = await host.client();
  await next.request("createSession", { channel: session, provider: "mine" });
  const config = { isolation: "folder", autoApprove: "default", mode: "interactive" };
  const wanted = { channel: "mine:/from-an-editor", provider: "mine", config };
  expect(await next.request("createSession", wanted)).toBeNull();
  const [one, other, ...others] = host.host.listSessions({ kind: "owner" });
  expect(new Set([one?.uri, other?.uri])).toEqual(new Set([session, wanted.channel]));
  expect(one?.isolation?.wanted).toBe(other?.isolation?.wanted);
  expect(others).toEqual([]);
});

test.each(["1.0.0", "0.9.0", "0.6.0", "0.1.0"])(
  "[E800] an agent without models has one in %s, which chooses none",
  async (version) => {
    const host = await serveHost({ script });
    const isSeed = version === "0.1.0";
    const root = isSeed ? "agenthost:/root" : "ahp-root://";
    const client = await host.client({ clientId: "editor", version });
    const { agents = [] } = (await client.subscribe(root)).state;
    const models = [{ id: "x-holdfast-default", name: "Default", provider: "mine" }];
    expect(agents).toContainEqual(expect.objectContaining({ provider: "mine", models }));
    const model = { id: "x-holdfast-default" };
    await client.request("createSession", {
      ...(isSeed ? { session, model } : { channel: session }),
      provider: "mine",
    });
    await client.subscribe(isSeed ? session : chat);
    const written = isSeed
      ? { userMessage: { text: "hello" }, session }
      : { message: { text: "hello", origin: { kind: "user" }, model } };
    const startedAt = new Date().toISOString();
    client.dispatch(
      { type: isSeed ? "session/turnStarted" : "chat/turnStarted", turnId: "t1", startedAt, ...written },
      isSeed ? undefined : chat,
    );
    await client.action(isSeed ? "session/turnComplete" : "chat/turnComplete");
    expect(host.agentRecord()).toContain("session/prompt");
    expect(host.agentRecord()).not.toContain("x-holdfast-default");
  },
);

test("[E801] a session of the app API has its agent's scheme, and is found by its key when it is closed", async () => {
  const host = await serveHost({ script });
  const next = await host.client();
  const body = JSON.stringify({ agent_id: "mine", cwd: host.work });
  const created = (await (await host.fetch("/sdk/acp/session", { method: "POST", body })).json()) as {
    session: { session_key: string };
  };
  const key = created.session.session_key;
  const id = parseSessionKey(key)?.sessionId ?? "";
  const resource = `mine:/${id}`;
  expect(await next.request("listSessions")).toMatchObject({ items: [{ resource, provider: "mine" }] });
  for (const channel of [`ahp-session:/${id}`, resource]) {
    expect(await next.ask("createSession", { channel, provider: "mine" })).toMatchObject({
      error: { code: -32003 },
    });
  }
  await next.request("createSession", { channel: "mine:/two%20words", provider: "mine" });
  const keys = host.host.listSessions({ kind: "owner" }).map(({ session_key }) => session_key);
  for (const each of keys) {
    await host.fetch(`/sdk/acp/session/${encodeURIComponent(each)}`, { method: "DELETE" });
  }
  const closed = host.host.listSessions({ kind: "owner" }, true).map(({ uri }) => uri);
  expect(new Set(closed)).toEqual(new Set([resource, "mine:/two%20words"]));
  for (const each of keys) {
    const path = `/sdk/acp/session/${encodeURIComponent(each)}?purge=true`;
    expect((await host.fetch(path, { method: "DELETE" })).status).toBe(200);
  }
  expect(host.host.listSessions({ kind: "owner" }, true)).toEqual([]);
});

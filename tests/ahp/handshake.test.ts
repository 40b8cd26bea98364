// Shows how clients come in over a WebSocket: who may, what they speak, and what they are told first.
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { serveHost } from "./served-host.ts";
import { WireClient } from "./wire-client.ts";

test("[E60] a WebSocket is taken on any path, with the token in the address, in a header, or as a subprotocol", async () => {
  const host = await serveHost();
  const { token } = host;
  const opened = await Promise.all([
    WireClient.open(host.address()),
    WireClient.open(host.address(`?tkn=${token}`, "/")),
    WireClient.open(host.address("", "/some/where"), [], { headers: { authorization: `Bearer ${token}` } }),
    WireClient.open(host.address(""), ["ahp", `holdfast.token.${token}`]),
  ]);
  expect(opened.map(({ socket }) => socket.protocol)).toEqual(["", "", "", "ahp"]);
  for (const client of opened) {
    expect(await client.request("ping")).toBeNull();
    client.close();
  }
});

test.each([
  ["no token", "", {}, 401],
  ["a wrong token", "?tkn=wrong", {}, 401],
  ["a foreign page", "?tkn=a-token-for-tests", { origin: "http://evil.example" }, 403],
  ["a foreign name", "?tkn=a-token-for-tests", { headers: { host: "evil.example" } }, 403],
])(
  "[E61] %s is answered as over HTTP, before there is a WebSocket",
  async (_what, query, options, status) => {
    const host = await serveHost();
    const socket = new WebSocket(host.address(query), options);
    const refused = new Promise<number | undefined>((resolve) => {
      socket.on("unexpected-response", (_request, response) => resolve(response.statusCode));
    });
    socket.on("error", () => {});
    expect(await refused).toBe(status);
  },
);

test("[E61] a key without admin may not open one, a key with admin may until it is revoked", async () => {
  const host = await serveHost();
  const make = async (scopes: readonly string[]): Promise<{ key: { id: string }; secret: string }> => {
    const body = JSON.stringify({ name: "k", scopes });
    const answer = await host.fetch("/admin/keys", { method: "POST", body });
    return (await answer.json()) as { key: { id: string }; secret: string };
  };
  const weak = await make(["acp.agent", "terminal"]);
  await expect(WireClient.open(host.address(`?tkn=${weak.secret}`))).rejects.toThrow("403");
  const strong = await make(["admin"]);
  const client = await WireClient.open(host.address(`?tkn=${strong.secret}`));
  await client.initialize();
  await host.fetch(`/admin/keys/${strong.key.id}`, { method: "DELETE" });
  expect(await client.closed).toBe(4401);
});

test("[E62] a ticket opens one WebSocket, once", async () => {
  const host = await serveHost();
  const answer = await host.fetch("/admin/tickets", { method: "POST" });
  const { ticket, expiresAt } = (await answer.json()) as { ticket: string; expiresAt: string };
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(30_000);
  const client = await WireClient.open(host.address(`?ticket=${ticket}`));
  expect(await client.request("ping")).toBeNull();
  client.close();
  await expect(WireClient.open(host.address(`?ticket=${ticket}`))).rejects.toThrow("401");
});

test("[E63] the name of a client belongs to whoever used it first", async () => {
  const host = await serveHost();
  await host.client({ clientId: "ada" });
  const answer = await host.fetch("/admin/keys", {
    method: "POST",
    body: JSON.stringify({ name: "k", scopes: ["admin"] }),
  });
  const { secret } = (await answer.json()) as { secret: string };
  const other = await WireClient.open(host.address(`?tkn=${secret}`));
  const offer = { protocolVersions: ["1.0.0"] };
  expect(await other.ask("initialize", { ...offer, clientId: "ada" })).toMatchObject({
    error: { code: -32009 },
  });
  expect(await other.ask("initialize", { ...offer, clientId: "owner" })).toMatchObject({
    error: { code: -32009 },
  });
  const back = { clientId: "ada", lastSeenServerSeq: 0, subscriptions: [] };
  expect(await other.ask("reconnect", back)).toMatchObject({ error: { code: -32008 } });
  expect(await other.initialize({ clientId: "eve" })).toMatchObject({ protocolVersion: "1.0.0" });
  other.close();
});

test("[E64] a frame that is no text is refused, one that is no JSON is answered", async () => {
  const host = await serveHost();
  const client = await host.socket();
  client.socket.send("{");
  await expect.poll(() => client.heard).toMatchObject([{ id: null, error: { code: -32700 } }]);
  client.socket.send(Buffer.from("{}"));
  expect(await client.closed).toBe(1003);
});

test("[E66] before its introduction a client may only ping", async () => {
  const host = await serveHost();
  const client = await host.socket();
  expect(await client.request("ping")).toBeNull();
  expect(await client.ask("listSessions")).toMatchObject({ error: { code: -32601 } });
  expect(await client.ask("subscribe", { channel: "ahp-root://" })).toMatchObject({
    error: { code: -32601 },
  });
  await client.initialize();
  expect(await client.request("listSessions")).toEqual({ items: [] });
  expect(await client.ask("noSuchThing")).toMatchObject({ error: { code: -32601 } });
  expect(await client.ask("initialize", { protocolVersions: ["1.0.0"], clientId: "b" })).toMatchObject({
    error: { code: -32600 },
  });
});

test("[E66] an action before the introduction is answered with an error, for it has no other answer", async () => {
  const host = await serveHost();
  const client = await host.socket();
  client.dispatch({ type: "terminal/input", data: "x" }, "ahp-terminal:/none");
  await expect
    .poll(() => client.heard)
    .toMatchObject([{ id: null, error: { code: -32601, message: expect.stringContaining("initialize") } }]);
  await client.initialize();
});

test("[E114] what is said in one breath with the introduction is done after it, in its order", async () => {
  const host = await serveHost();
  const other = await host.client({ clientId: "other" });
  const channel = "ahp-terminal:/shared";
  const claim = { kind: "client", clientId: "other" };
  await other.request("createTerminal", { channel, claim, cwd: "file:///tmp" });
  const hasty = await host.socket();
  const greeted = hasty.initialize({ clientId: "hasty", subscriptions: [channel] });
  hasty.dispatch({ type: "terminal/titleChanged", title: "mine" }, channel);
  const listed = hasty.ask("listSessions");
  expect(await greeted).toMatchObject({ snapshots: [{ resource: channel }] });
  expect(await listed).toMatchObject({ result: { items: [] } });
  expect(await hasty.action("terminal/titleChanged")).toMatchObject({
    origin: { clientId: "hasty", clientSeq: 1 },
    rejectionReason: expect.stringContaining("Another client holds this terminal"),
  });
  const [first] = hasty.heard;
  expect(first).toHaveProperty("result.protocolVersion");
});

test("[E70] each client is answered in what it speaks; one that speaks nothing known is told what is, and closed", async () => {
  const host = await serveHost();
  const old = await host.socket();
  const root = "agenthost:/root";
  expect(await old.initialize({ version: 1, clientId: "old", subscriptions: [root] })).toMatchObject({
    protocolVersion: 1,
    snapshots: [{ resource: root, state: { agents: [], terminals: [] } }],
  });
  const next = await host.socket();
  expect(
    await next.initialize({ clientId: "new", subscriptions: ["ahp-root://", "ahp-session:/none"] }),
  ).toMatchObject({
    protocolVersion: "1.0.0",
    snapshots: [{ resource: "ahp-root://" }],
    completionTriggerCharacters: ["/", "@"],
    serverInfo: { name: "holdfast" },
  });
  const own = await host.own("own");
  expect(own.status).toMatchObject({ status: "connected", host: { _meta: { holdfast: 1 } } });
  const alien = await host.socket();
  expect(await alien.ask("initialize", { protocolVersions: ["3.0.0"], clientId: "x" })).toMatchObject({
    error: { code: -32005, data: { supportedVersions: expect.arrayContaining(["^1.0.0"]) } },
  });
  expect(await alien.closed).toBe(4406);
});

test("[E65] a client that gives no sign of life is taken for gone", async () => {
  const host = await serveHost({ ahp: { heartbeatMs: 50 } });
  const silent = await WireClient.open(host.address(), [], { autoPong: false });
  const lively = await WireClient.open(host.address());
  expect(await silent.closed).toBe(1006);
  expect(lively.socket.readyState).toBe(WebSocket.OPEN);
  lively.close();
});

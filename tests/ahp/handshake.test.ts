// Handshake over a WebSocket: access, dialects, and the first messages.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { HeardAgent } from "./heard.ts";
import { useServedHosts } from "./served-host.ts";
import { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();

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
  ["a foreign page without a token", "", { origin: "http://evil.example" }, 403],
  ["a foreign page with a wrong token", "?tkn=wrong", { origin: "http://evil.example" }, 401],
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

test.each([
  ["without a key", { "sec-websocket-version": "13" }],
  [
    "of an unknown version",
    { "sec-websocket-version": "7", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" },
  ],
])("[E461] an upgrade %s is answered with 400 in JSON", async (_what, fields) => {
  const host = await serveHost();
  const headers = { connection: "Upgrade", upgrade: "websocket", "x-api-key": host.token, ...fields };
  const asked = request(`${host.server.url}/ahp`, { headers }).end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(400);
  expect(response.headers["content-type"]).toContain("application/json");
  expect(await json(response)).toMatchObject({ code: "INVALID_REQUEST" });
});

test.each([
  ["1.0", { protocolVersions: ["1.0.0"] }],
  ["the seed", { protocolVersion: 1 }],
  ["Holdfast", { protocolVersions: ["1.0.0"], _meta: { holdfast: 1 } }],
])("[E460] a clientId of more than 200 characters is refused in %s", async (_dialect, offer) => {
  const host = await serveHost();
  const client = await host.socket();
  const error = { code: -32602, message: expect.stringContaining("at most 200") as string };
  expect(await client.ask("initialize", { ...offer, clientId: "x".repeat(201) })).toMatchObject({ error });
  const back = { clientId: "x".repeat(201), lastSeenServerSeq: 0, subscriptions: [] };
  expect(await client.ask("reconnect", back)).toMatchObject({ error });
  const greeted = await client.ask("initialize", { ...offer, clientId: "x".repeat(200) });
  expect(greeted.error).toBeUndefined();
});

test.each(["vscode-file://vscode-app", "http://app.example", "null"])(
  "[E320] a client of the origin %s is accepted with the token itself, in each of its places",
  async (origin) => {
    const host = await serveHost();
    const { token } = host;
    const opened = await Promise.all([
      WireClient.open(host.address(), [], { origin }),
      WireClient.open(host.address(""), ["ahp", `holdfast.token.${token}`], { origin }),
      WireClient.open(host.address(""), [], { origin, headers: { authorization: `Bearer ${token}` } }),
      WireClient.open(host.address(""), [], { origin, headers: { "x-api-key": token } }),
    ]);
    for (const client of opened) {
      expect(await client.request("ping")).toBeNull();
      client.close();
    }
  },
);

test("[E320] a ticket counts from the host's own page alone, and a foreign page does not use it up", async () => {
  const host = await serveHost();
  const answer = await host.fetch("/admin/tickets", { method: "POST" });
  const { ticket } = (await answer.json()) as { ticket: string };
  const address = host.address(`?ticket=${ticket}`);
  await expect(WireClient.open(address, [], { origin: "http://evil.example" })).rejects.toThrow("403");
  const client = await WireClient.open(address, [], { origin: host.server.url });
  client.close();
});

test("[E772] a ticket counts from an origin in the configuration, written to the letter", async () => {
  const origin = "https://app.example";
  const host = await serveHost({ allowedOrigins: [origin, "vscode-file://vscode-app"] });
  for (const allowed of [origin, "vscode-file://vscode-app"]) {
    const answer = await host.fetch("/admin/tickets", { method: "POST" });
    const { ticket } = (await answer.json()) as { ticket: string };
    const address = host.address(`?ticket=${ticket}`);
    for (const other of ["https://app.example:8443", "http://app.example", "null"]) {
      await expect(WireClient.open(address, [], { origin: other })).rejects.toThrow("403");
    }
    const client = await WireClient.open(address, [], { origin: allowed });
    expect(await client.request("ping")).toBeNull();
    client.close();
  }
});

test("[E772] HTTP responses to an origin in the configuration allow credentials, and to others do not", async () => {
  const origin = "https://app.example";
  const host = await serveHost({ allowedOrigins: [origin] });
  const ask = (from: string, method = "GET", headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${host.server.url}/admin/keys`, { method, headers: { origin: from, ...headers } });
  const preflight = await ask(origin, "OPTIONS", { "access-control-request-method": "GET" });
  for (const answer of [await ask(origin), preflight]) {
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
  }
  expect((await ask(origin)).status).toBe(401);
  const foreign = await ask("https://evil.example");
  expect(foreign.status).toBe(403);
  expect(foreign.headers.get("access-control-allow-credentials")).toBeNull();
});

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

test("[A61] a client that does not answer the close frame has no effect once its key is revoked", async () => {
  const host = await serveHost();
  const body = JSON.stringify({ name: "k", scopes: ["admin"] });
  const made = await host.fetch("/admin/keys", { method: "POST", body });
  const { key, secret } = (await made.json()) as { key: { id: string }; secret: string };
  const client = await WireClient.open(host.address(`?tkn=${secret}`));
  await client.initialize({ clientId: "revoked" });
  client.socket.pause();
  await host.fetch(`/admin/keys/${key.id}`, { method: "DELETE" });
  const claim = (clientId: string): object => ({ kind: "client", clientId });
  const [late, later] = ["ahp-terminal:/late", "ahp-terminal:/later"];
  void client.ask("createTerminal", { channel: late, claim: claim("revoked") });
  // It reads the close frame and answers it, so the host has read the request when the connection is closed.
  client.socket.resume();
  expect(await client.closed).toBe(4401);
  const owner = await host.client();
  await owner.request("createTerminal", { channel: later, claim: claim("ada") });
  expect([late, later].map((uri) => host.host.hub.has(uri))).toEqual([false, true]);
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

test("[E63] the name of a client belongs to its first user", async () => {
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

test("[B53] wrong parameters and a second introduction are named", async () => {
  const host = await serveHost();
  const client = await host.client();
  expect(await client.ask("subscribe", [1])).toMatchObject({
    error: { code: -32602, message: "params: expected an object" },
  });
  expect(await client.ask("initialize", { protocolVersions: ["1.0.0"], clientId: "b" })).toMatchObject({
    error: { code: -32600, message: "This connection is already initialized." },
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

test("[E114] requests sent together with the introduction are handled after it, in their order", async () => {
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

test("[E70] each client gets responses in its dialect; one without a known dialect gets the list of dialects, and is closed", async () => {
  const host = await serveHost();
  const old = await host.socket();
  const root = "agenthost:/root";
  expect(await old.initialize({ version: 1, clientId: "old", subscriptions: [root] })).toMatchObject({
    protocolVersion: 1,
    snapshots: [
      {
        resource: root,
        state: {
          agents: expect.arrayContaining([expect.objectContaining({ provider: "mine" })]),
          terminals: [],
        },
      },
    ],
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

test.each([
  ["1.0.0", "ahp-root://"],
  ["0.1.0", "agenthost:/root"],
])("[E321] the first client of a host gets its agents, in %s", async (version, root) => {
  const host = await serveHost();
  const client = await host.socket();
  const { snapshots } = await client.initialize({ version, subscriptions: [root] });
  const agents = [
    expect.objectContaining({ provider: "mine" }),
    expect.objectContaining({ provider: "shell" }),
  ];
  expect(snapshots).toMatchObject([{ state: { agents: expect.arrayContaining(agents) } }]);
});

test("[E321] an agent that is slow to name its version keeps nobody waiting, and follows", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-slow-agent-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const gate = path.join(folder, "gate");
  execFileSync("mkfifo", [gate]);
  // For both, so that no open waits for a reader that was given up.
  const writable = openSync(gate, "r+");
  onTestFinished(() => closeSync(writable));
  writeFileSync(path.join(folder, "gemini"), `#!/bin/sh\nread answer < '${gate}'\necho 1.2.3\n`, {
    mode: 0o755,
  });
  const host = await serveHost({ programs: folder });
  const client = await host.socket();
  const { snapshots } = await client.initialize({ subscriptions: ["ahp-root://"] });
  expect(providersIn(snapshots?.[0]?.state.agents)).toContain("mine");
  expect(providersIn(snapshots?.[0]?.state.agents)).not.toContain("gemini-cli");
  writeSync(writable, "go\n");
  const { action } = await client.action("root/agentsChanged");
  expect(providersIn(action.agents)).toEqual(expect.arrayContaining(["mine", "gemini-cli"]));
});

function providersIn(agents: readonly HeardAgent[] = []): string[] {
  return agents.map(({ provider }) => provider);
}

test("[E65] a client that gives no sign of life is taken for gone", async () => {
  const host = await serveHost({ ahp: { heartbeatMs: 50 } });
  const silent = await WireClient.open(host.address(), [], { autoPong: false });
  const lively = await WireClient.open(host.address());
  expect(await silent.closed).toBe(1006);
  expect(lively.socket.readyState).toBe(WebSocket.OPEN);
  lively.close();
});

test("[E221] a client of our dialect gets the host's heartbeat without a request; others get none", async () => {
  const host = await serveHost({ ahp: { beatMs: 20 } });
  const other = await host.client();
  const heard: string[] = [];
  other.socket.on("message", (data: Buffer) => void heard.push(data.toString()));
  const own = await host.own("own", {
    timeouts: { pingAfterMs: 1_000, notRespondingAfterMs: 2_000, giveUpAfterMs: 3_000 },
  });
  const events: string[] = [];
  own.listen(({ type }) => void events.push(type));
  const socket = await host.socket();
  await socket.ask("initialize", { protocolVersions: ["1.0.0"], clientId: "raw", _meta: { holdfast: 1 } });
  const beats = await new Promise<number>((resolve) => {
    let count = 0;
    socket.socket.on("message", (data: Buffer) => {
      if (data.toString().includes('"heartbeat"')) count += 1;
      // In this time the client would have asked more than once.
      if (count === 150) resolve(count);
    });
  });
  expect(beats).toBe(150);
  expect(events).toEqual([]);
  expect(heard).toEqual([]);
});

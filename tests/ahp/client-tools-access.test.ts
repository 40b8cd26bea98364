// Attacks on the MCP server of lent tools: by other programs, other agents, web pages, and broken messages.
import { Redactor } from "@holdfast/core";
import { expect, test } from "vitest";
import { createSession, script, serversOf, session, ToolScene } from "./client-tools-scene.ts";
import { useServedHosts } from "./served-host.ts";
import { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();
const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

test("[A815, A816] the endpoint takes the agent's token alone, from this machine and no browser", async () => {
  const host = await serveHost({ script, allowedOrigins: ["https://trusted.example"] });
  const scene = await ToolScene.open(host);
  expect((await scene.send(list)).status).toBe(200);
  const { token } = scene;
  const flipped = token.slice(0, -1) + (token.endsWith("A") ? "B" : "A");
  for (const authorization of [
    undefined,
    "Bearer ",
    "Bearer wrong",
    `Bearer ${host.token}`,
    `Bearer ${flipped}`,
    `Bearer ${token}x`,
    `Basic ${token}`,
    token,
  ]) {
    expect((await scene.send(list, { authorization })).status).toBe(401);
  }
  const own = { origin: new URL(scene.url).origin };
  const browsers = [
    own,
    { origin: "https://trusted.example" },
    { cookie: "a=b" },
    { "sec-fetch-site": "none" },
  ];
  for (const headers of browsers) expect((await scene.send(list, headers)).status).toBe(403);
  for (const origin of ["https://evil.example", "null"]) {
    expect((await scene.send(list, { origin })).status).toBe(401);
    expect((await scene.send(list, { origin, authorization: undefined })).status).toBe(403);
  }
  for (const header of ["x-forwarded-for", "forwarded", "via"]) {
    expect((await scene.send(list, { [header]: "10.0.0.1" })).status).toBe(401);
  }
  const wrong = { headers: { authorization: "Bearer wrong" } };
  expect((await fetch(scene.url, wrong)).status).toBe(401);
  // It opens nothing else.
  const headers = { authorization: scene.authorization };
  for (const path of ["/sdk/acp/sessions", "/metrics", "/openapi.json", "/acp", "/mcp/client-tools/x"]) {
    expect((await fetch(host.server.url + path, { headers })).status).toBe(401);
  }
  await expect(WireClient.open(host.address(`?tkn=${token}`))).rejects.toThrow("401");
  const key = { "x-api-key": token };
  expect((await fetch(`${host.server.url}/sdk/acp/sessions`, { headers: key })).status).toBe(401);
  expect(host.faults).toEqual([]);
});

test("[A817] broken messages get their own errors, never 500", async () => {
  const host = await serveHost({ script });
  const scene = await ToolScene.open(host, { approvalPolicy: "approve-all" });
  const request = (members: object): string => JSON.stringify({ jsonrpc: "2.0", id: 1, ...members });
  const bodies = [
    "",
    "{",
    "[]",
    `[${list}]`,
    "null",
    "1",
    '"x"',
    "{}",
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  ];
  const broken = [request({ method: 1 }), request({ method: "ping", params: [] })];
  for (const body of [...bodies, ...broken]) {
    expect([body, (await scene.send(body)).status]).toEqual([body, 400]);
  }
  const json = async (body: string): Promise<unknown> => (await scene.send(body)).json();
  expect(await json(request({ method: "resources/list" }))).toMatchObject({ error: { code: -32601 } });
  expect(await json(request({ method: "tools/call" }))).toMatchObject({ error: { code: -32602 } });
  expect(await json(request({ method: "tools/call", params: { name: "__proto__" } }))).toMatchObject({
    result: { isError: true },
  });
  for (const levels of [200, 50_000]) {
    const deep = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const call = `{"name":"openFile","arguments":${deep}}`;
    const nested = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${call}}`;
    expect((await scene.send(nested)).status).toBe(400);
  }
  expect((await scene.send(list, { "content-type": "text/plain" })).status).toBe(400);
  expect((await scene.send(list, { "mcp-protocol-version": "1999-01-01" })).status).toBe(400);
  expect((await scene.send(" ".repeat(1024 * 1024 + 1))).status).toBe(413);
  const headers = { authorization: scene.authorization };
  for (const method of ["HEAD", "DELETE", "PUT"]) {
    const response = await fetch(scene.url, { method, headers });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST"]);
  }
  expect(host.faults).toEqual([]);
});

test("[N820] a token is for one session's running agent, and unknown to the log", async () => {
  const redactor = new Redactor();
  const leaving = { work: [{ do: "hang" }], leave: [{ do: "exit", code: 1 }] };
  const host = await serveHost({ script: { ...script, prompts: leaving }, redactor });
  const scene = await ToolScene.open(host, { approvalPolicy: "approve-all" });
  await createSession(host, scene.editor, "mine:/two");
  await expect.poll(() => serversOf(host)).toHaveLength(2);
  const foreign = serversOf(host)[1]?.headers[0].value ?? "";
  expect(foreign).not.toBe(scene.authorization);
  expect(redactor.redact(`${scene.authorization} ${foreign}`)).toBe("Bearer [redacted] Bearer [redacted]");
  // It opens the other session's tools, where no turn runs.
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "openFile" } });
  expect(await (await scene.send(body, { authorization: foreign })).json()).toMatchObject({
    result: { structuredContent: { error: { code: "CLIENT_TOOL_NO_TURN" } } },
  });
  const waiting = scene.call();
  await scene.running();
  await scene.editor.request("disposeSession", { channel: session });
  expect(await waiting).toMatchObject({ isError: true });
  expect((await scene.send(list)).status).toBe(401);
  expect((await scene.send(list, { authorization: foreign })).status).toBe(200);
  // The other agent's process ends, and its session stays.
  await scene.editor.subscribe("mine:/two");
  const started = { type: "chat/turnStarted", turnId: "t2", startedAt: new Date().toISOString() };
  const leave = { ...started, message: { text: "leave", origin: { kind: "user" } } };
  const { items = [] } = await scene.editor.request("listSessions", { channel: "ahp-root://" });
  expect(items).toHaveLength(1);
  scene.editor.dispatch(leave, `ahp-chat://default/${Buffer.from("mine:/two").toString("base64url")}`);
  await expect.poll(async () => (await scene.send(list, { authorization: foreign })).status).toBe(401);
  expect(redactor.isEmpty).toBe(true);
  expect(host.faults).toEqual([]);
});

// The transports of ACP at `/acp`: who is let in, what is refused, and how streams are resumed.
import { request as httpRequest } from "node:http";
import { defaultChatUri } from "@holdfast/ahp";
import { describe, expect, it } from "vitest";
import { say } from "../../packages/core/src/testing/script.ts";
import { uriOfKey } from "../../packages/core/src/testing/session-uri.ts";
import { useServedHosts, type ServedHost } from "../ahp/served-host.ts";
import { RawEditor, refusedStatus } from "./raw-editor.ts";
import { overWebSocket } from "./sdk-editor.ts";

const serve = useServedHosts();
const script = { prompts: { hello: [say("Hello.")], hang: [say("working"), { do: "hang" }] } };

async function makeKey(host: ServedHost, scopes: readonly string[], ceiling?: object): Promise<string> {
  const body = JSON.stringify({ name: "editor", scopes, ceiling });
  const response = await host.fetch("/admin/keys", { method: "POST", body });
  const { secret } = (await response.json()) as { secret: string };
  return secret;
}

async function revokeKey(host: ServedHost): Promise<void> {
  const { keys } = (await (await host.fetch("/admin/keys")).json()) as { keys: { id: string }[] };
  await host.fetch(`/admin/keys/${keys[0]?.id}`, { method: "DELETE" });
}

function connect(host: ServedHost): Promise<RawEditor> {
  return RawEditor.open(`${host.server.url}/acp?agent=mine`, { "x-api-key": host.token });
}

function post(
  host: ServedHost,
  message: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${host.server.url}/acp?agent=mine`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": host.token, ...headers },
    body: typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

const initialize = { id: 1, method: "initialize", params: { protocolVersion: 1 } };

async function openHttp(host: ServedHost): Promise<string> {
  const response = await post(host, initialize);
  expect(response.status).toBe(200);
  return response.headers.get("acp-connection-id") ?? "";
}

/** Events of a stream until there are so many; the stream is then cut. */
async function readEvents(
  host: ServedHost,
  headers: Readonly<Record<string, string>>,
  count: number,
): Promise<{ id: string; data: { id?: unknown; result?: unknown } }[]> {
  const response = await fetch(`${host.server.url}/acp`, {
    headers: { accept: "text/event-stream", "x-api-key": host.token, ...headers },
  });
  expect(response.status).toBe(200);
  const events: { id: string; data: { id?: unknown } }[] = [];
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  let text = "";
  while (events.length < count) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    text += new TextDecoder().decode(piece.value);
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const [, id = ""] = /^id: (.*)$/m.exec(frame) ?? [];
      const [, data = ""] = /^data: (.*)$/m.exec(frame) ?? [];
      if (data !== "") events.push({ id, data: JSON.parse(data) as { id?: unknown } });
    }
  }
  await reader?.cancel();
  return events;
}

describe("admission to /acp", () => {
  it("[B30] refuses clients without a credential, over both transports", async () => {
    const host = await serve({ script });
    expect(await refusedStatus(`${host.server.url}/acp`)).toBe(401);
    expect(await refusedStatus(`${host.server.url}/acp`, { "x-api-key": "wrong" })).toBe(401);
    expect((await post(host, initialize, { "x-api-key": "wrong" })).status).toBe(401);
    expect(await refusedStatus(`${host.server.url}/acp?tkn=${host.token}`)).toBe(101);
  });

  it("[B30] refuses pages of other origins that bring no key", async () => {
    const allowed = "https://editor.example";
    const host = await serve({ script, allowedOrigins: [allowed] });
    const cookie = { origin: "https://evil.example", cookie: "holdfast=x" };
    expect(await refusedStatus(`${host.server.url}/acp`, cookie)).toBe(403);
    const ticketOf = async (): Promise<string> => {
      const { ticket } = (await (await host.fetch("/admin/tickets", { method: "POST" })).json()) as {
        ticket: string;
      };
      return ticket;
    };
    const at = `${host.server.url}/acp?ticket=`;
    expect(await refusedStatus(at + (await ticketOf()), { origin: "https://evil.example" })).toBe(403);
    expect(await refusedStatus(at + (await ticketOf()), { origin: allowed })).toBe(101);
  });

  it("[B30] shows a key its own sessions alone, and closes its connections when it is revoked", async () => {
    const host = await serve({ script });
    const owner = await connect(host);
    await owner.initialize();
    const { result } = await owner.request("session/new", { cwd: host.work, mcpServers: [] });
    const key = await makeKey(host, ["acp.agent"]);
    const app = await RawEditor.open(`${host.server.url}/acp?agent=mine`, { "x-api-key": key });
    await app.initialize();
    expect((await app.request("session/list")).result).toEqual({ sessions: [] });
    const load = await app.request("session/load", { sessionId: result?.["sessionId"], cwd: host.work });
    expect(load.error).toMatchObject({ code: -32002, data: { code: "ACP_SESSION_NOT_FOUND" } });
    await revokeKey(host);
    await expect.poll(() => app.closeCode).toBe(4401);
  });

  it("[A61] takes nothing from a client that does not answer the close frame once its key is revoked", async () => {
    const host = await serve({ script });
    const key = await makeKey(host, ["acp.agent"], { roots: [host.work] });
    const app = await RawEditor.open(`${host.server.url}/acp?agent=mine`, { "x-api-key": key });
    await app.initialize();
    const { result } = await app.request("session/new", { cwd: host.work });
    const sessionId = String(result?.["sessionId"]);
    app.socket.pause();
    await revokeKey(host);
    const prompt = [{ type: "text", text: "hang" }];
    app.send({ id: "late", method: "session/prompt", params: { sessionId, prompt } });
    // It reads the close frame and answers it, so the host has read the prompt when the connection is closed.
    app.socket.resume();
    await expect.poll(() => app.closeCode).toBe(4401);
    const chat = host.host.hub.state(defaultChatUri(uriOfKey(sessionId)), "chat");
    expect({ turns: chat?.turns, activeTurn: chat?.activeTurn }).toEqual({
      turns: [],
      activeTurn: undefined,
    });
  });

  it("[B30] refuses a key without acp.agent", async () => {
    const host = await serve({ script });
    const key = await makeKey(host, ["terminal"]);
    expect(await refusedStatus(`${host.server.url}/acp`, { "x-api-key": key })).toBe(403);
    expect((await post(host, initialize, { "x-api-key": key })).status).toBe(403);
  });

  it.each([
    ["keep", 1012, "The host is restarting."],
    ["end", 1001, "The host is stopping."],
  ] as const)(
    "[A716] closes the WebSocket when the host's work is to %s, with %d",
    async (work, code, reason) => {
      const host = await serve({ script });
      const editor = await connect(host);
      await editor.initialize();
      const stopped = host.server.stop(work);
      await expect.poll(() => [editor.closeCode, editor.closeReason]).toEqual([code, reason]);
      await stopped;
    },
  );

  it("[A711] records a wrong key as a refusal, and no client without a credential", async () => {
    const host = await serve({ script });
    expect(await refusedStatus(`${host.server.url}/acp`)).toBe(401);
    expect(await refusedStatus(`${host.server.url}/acp?tkn=wrong`)).toBe(401);
    const refusals = host.host.audit.recent.filter(({ what }) => what === "refusal");
    expect(refusals).toMatchObject([
      {
        subject: "WebSocket /acp from 127.0.0.1",
        outcome: expect.stringContaining("UNAUTHORIZED") as string,
      },
    ]);
  });

  it("[B30] lists editors among the connected clients", async () => {
    const host = await serve({ script });
    const editor = overWebSocket({ url: host.server.url, token: host.token });
    await editor.initialize();
    const { clients } = (await (await host.fetch("/admin/clients")).json()) as { clients: object[] };
    expect(clients).toMatchObject([{ name: "sdk-editor", dialect: "acp" }]);
  });
});

describe("streamable HTTP", () => {
  it("[B31] answers each wrong request with its status", async () => {
    const host = await serve({ script });
    const id = await openHttp(host);
    const connection = { "acp-connection-id": id };
    expect((await post(host, "{")).status).toBe(400);
    expect((await post(host, "[]", connection)).status).toBe(400);
    expect((await post(host, { id: 2, method: "session/list" })).status).toBe(400);
    expect(
      (await post(host, { id: 2, method: "session/list" }, { "acp-connection-id": "none" })).status,
    ).toBe(404);
    const mismatch = { ...connection, "acp-session-id": "a" };
    expect(
      (await post(host, { id: 2, method: "session/load", params: { sessionId: "b" } }, mismatch)).status,
    ).toBe(400);
    expect((await post(host, { id: 3, method: "session/list", params: {} }, connection)).status).toBe(202);
    const [listed] = await readEvents(host, connection, 1);
    expect(listed?.data).toMatchObject({ id: 3, result: { sessions: [] } });
    const headers = { "x-api-key": host.token, ...connection };
    expect((await fetch(`${host.server.url}/acp`, { method: "DELETE", headers })).status).toBe(202);
    expect((await fetch(`${host.server.url}/acp`, { method: "DELETE", headers })).status).toBe(404);
    expect((await fetch(`${host.server.url}/acp`, { method: "PUT", headers })).status).toBe(405);
  });

  it("[B32] repeats a stream after the last event that the client has", async () => {
    const host = await serve({ script });
    const connection = { "acp-connection-id": await openHttp(host) };
    for (const id of [2, 3, 4]) await post(host, { id, method: "session/list", params: {} }, connection);
    const first = await readEvents(host, connection, 3);
    expect(first.map(({ data }) => data.id)).toEqual([2, 3, 4]);
    const again = await readEvents(host, { ...connection, "last-event-id": first[0]?.id ?? "" }, 2);
    expect(again).toEqual(first.slice(1));
    const headers = { "x-api-key": host.token, ...connection, "last-event-id": "99" };
    expect((await fetch(`${host.server.url}/acp`, { headers })).status).toBe(410);
  });

  it("[B40] sends messages of further sessions by the stream of the connection", async () => {
    const host = await serve({ script });
    const connection = { "acp-connection-id": await openHttp(host) };
    const setMode = (id: number): Promise<Response> => {
      const params = { sessionId: `none-${id}`, modeId: "x" };
      return post(host, { id, method: "session/set_mode", params }, connection);
    };
    for (let id = 2; id <= 132; id += 1) expect((await setMode(id)).status).toBe(202);
    await post(host, { id: 200, method: "session/list", params: {} }, connection);
    const further = await readEvents(host, connection, 4);
    expect(further.map(({ data }) => data.id)).toEqual([130, 131, 132, 200]);
  });

  it("[B31] hides a connection from every other credential", async () => {
    const host = await serve({ script });
    const id = await openHttp(host);
    const key = await makeKey(host, ["acp.agent"]);
    const other = { "acp-connection-id": id, "x-api-key": key };
    expect((await post(host, { id: 2, method: "session/list" }, other)).status).toBe(404);
  });
});

describe("hostile clients", () => {
  it("[B17] get a typed error for every wrong message, and the connection stays", async () => {
    const host = await serve({ script });
    const editor = await connect(host);
    expect((await editor.request("session/list")).error).toMatchObject({ code: -32600 });
    expect((await editor.request("initialize", {})).error).toMatchObject({ code: -32602 });
    await editor.initialize({ _meta: "x", session: 7, elicitation: [] });
    expect((await editor.request("initialize", { protocolVersion: 1 })).error).toMatchObject({
      code: -32600,
    });
    editor.send("this is no JSON");
    expect((await editor.answer(null)).error).toMatchObject({ code: -32700 });
    expect((await editor.request("no/such")).error).toMatchObject({ code: -32601 });
    expect((await editor.request("authenticate", { methodId: "x" })).error).toMatchObject({ code: -32602 });
    const cases: readonly (readonly [string, object, object])[] = [
      ["session/new", {}, { code: -32602 }],
      ["session/new", { cwd: "relative" }, { code: -32602 }],
      ["session/new", { cwd: "/no/such/folder" }, { code: -32602, data: { code: "ACP_INVALID_OPTION" } }],
      ["session/new", { cwd: host.work, _meta: { holdfast: { agent: "nobody" } } }, { code: -32002 }],
      ["session/new", { cwd: host.work, _meta: { holdfast: { uri: "nonsense" } } }, {}],
      [
        "session/prompt",
        { sessionId: "agent:x:acp:y", prompt: [{ type: "text", text: "a" }] },
        { code: -32002 },
      ],
      ["session/prompt", { sessionId: 7 }, { code: -32602 }],
      ["session/load", { sessionId: "x".repeat(100_000) }, { code: -32602 }],
      ["session/set_mode", { sessionId: "none", modeId: "x" }, { code: -32002 }],
    ];
    for (const [method, params, error] of cases) {
      const answer = await editor.request(method, params);
      expect({ method, params, ...answer.error }).toMatchObject({ method, ...error });
    }
    const { result } = await editor.request("session/new", { cwd: host.work });
    const sessionId = result?.["sessionId"];
    const prompts = [
      [],
      "text",
      [7],
      [{ type: "video" }],
      [{ type: "text" }],
      [{ type: "resource", resource: {} }],
    ];
    for (const prompt of prompts) {
      expect((await editor.request("session/prompt", { sessionId, prompt })).error).toMatchObject({
        code: -32602,
      });
    }
    editor.send({ method: "session/cancel", params: { sessionId: 9 } });
    editor.send({ id: "nobody-asked", result: {} });
    const turn = await editor.request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: "hello" }],
    });
    expect(turn.result).toEqual({ stopReason: "end_turn" });
    expect(host.faults).toEqual([]);
  });

  it("[B17] are disconnected for binary frames and for messages above 16 MiB", async () => {
    const host = await serve({ script });
    const binary = await connect(host);
    binary.socket.send(Buffer.from([1, 2, 3]));
    await expect.poll(() => binary.closeCode).toBe(1003);
    const huge = await connect(host);
    huge.send("x".repeat(16 * 1024 * 1024 + 1));
    await expect.poll(() => huge.closeCode).toBe(1009);
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { "x-api-key": host.token, "content-length": String(17 * 1024 * 1024) };
      const request = httpRequest(
        `${host.server.url}/acp`,
        { method: "POST", headers },
        ({ statusCode = 0 }) => {
          request.destroy();
          resolve(statusCode);
        },
      );
      request.on("error", reject);
      request.write("{");
    });
    expect(status).toBe(413);
    const editor = await connect(host);
    await editor.initialize();
    expect((await editor.request("session/list")).result).toEqual({ sessions: [] });
  });

  it("[B53] get errors that name what is wrong", async () => {
    const host = await serve({ script });
    const editor = await connect(host);
    await editor.initialize();
    for (const params of ["s", [1], 7]) {
      editor.send({ id: "p", method: "session/list", params });
      const expected = { code: -32602, message: "params: expected an object" };
      expect((await editor.answer("p")).error).toMatchObject(expected);
      editor.messages.length = 0;
    }
    editor.send({ id: "none", method: "session/list" });
    expect((await editor.answer("none")).result).toEqual({ sessions: [] });
    const again = await editor.request("initialize", { protocolVersion: 1 });
    expect(again.error?.message).toBe("This connection is already initialized.");
    const { result } = await editor.request("session/new", { cwd: host.work });
    const holdfast = { after: { place: "999999999" } };
    const lost = await editor.request("session/resume", {
      sessionId: result?.["sessionId"],
      _meta: { holdfast },
    });
    expect(lost.error).toMatchObject({
      data: { code: "EVENTS_LOST" },
      message: expect.stringContaining("session/load") as string,
    });
    editor.send("x".repeat(16 * 1024 * 1024 + 1));
    await expect.poll(() => editor.closeReason).toBe("A message has at most 16 MiB.");
    expect(editor.closeCode).toBe(1009);
  });

  it("[B17] cannot nest a message deeper than the host can bear", async () => {
    const host = await serve({ script });
    const editor = await connect(host);
    await editor.initialize();
    editor.send(
      `{"jsonrpc":"2.0","id":5,"method":"session/list","params":${"[".repeat(5000)}${"]".repeat(5000)}}`,
    );
    expect((await editor.answer(5)).error).toBeDefined();
    expect((await editor.request("session/list")).result).toEqual({ sessions: [] });
  });

  it("[B33] cannot make the host buffer what they do not read, and continue with the present", async () => {
    const flood = [{ do: "hugeLine", sizeBytes: 8_000_000, text: "word " }];
    const host = await serve({ script: { prompts: { ...script.prompts, flood } } });
    const owner = await connect(host);
    await owner.initialize();
    const { result } = await owner.request("session/new", { cwd: host.work });
    const sessionId = result?.["sessionId"];
    const slow = await connect(host);
    await slow.initialize();
    await slow.request("session/resume", { sessionId });
    slow.socket.pause();
    const prompt = [{ type: "text", text: "flood" }];
    for (let turn = 0; turn < 3; turn += 1) {
      const end = await owner.request("session/prompt", { sessionId, prompt });
      expect(end.result).toEqual({ stopReason: "end_turn" });
    }
    slow.socket.resume();
    await expect.poll(() => JSON.stringify(slow.messages.at(-1))).toContain("Updates were skipped");
    await owner.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] });
    await expect.poll(() => JSON.stringify(slow.messages.slice(-2))).toContain("Hello.");
  });
});

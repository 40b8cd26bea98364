// The app API over real HTTP: every route, every kind of refusal, JSON on every reply.
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { connect } from "node:net";
import {
  type ErrorCode,
  ERRORS,
  HostError,
  LIMITS,
  type OperationName,
  OPERATIONS,
} from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { ApiClient, sendRaw } from "../testing/api-client.ts";
import { serve } from "../testing/serving.ts";

const codes = Object.keys(ERRORS) as ErrorCode[];

/** A response must match its contract. */
function expectContract(name: OperationName, body: unknown): void {
  expect(OPERATIONS[name].response.safeParse(body).error).toBeUndefined();
}

describe("[A1] operations", () => {
  it("[A1] sessions are created, read, listed, changed and closed", async () => {
    const { client, host } = await serve();
    const created = await client.send("POST", "/sdk/acp/session", {
      body: { agent_id: "shell", cwd: "/tmp" },
    });
    expect(created).toMatchObject({ status: 200, body: { success: true, session: { state: "ready" } } });
    expectContract("createSession", created.body);
    const { session_key: key } = created.body["session"] as { session_key: string };
    const path = `/sdk/acp/session/${encodeURIComponent(key)}`;

    const patched = await client.send("PATCH", path, { body: { model: "large", timeoutSeconds: 60 } });
    expectContract("patchSession", patched.body);
    const read = await client.send("GET", path);
    expectContract("getSession", read.body);
    expect(read.body).toMatchObject({
      session: { session_key: key, runtime_options: { model: "large", timeoutSeconds: 60, cwd: "/tmp" } },
    });
    const listed = await client.send("GET", "/sdk/acp/sessions");
    expectContract("listSessions", listed.body);
    expect(listed.body["sessions"]).toEqual([read.body["session"]]);

    const closed = await client.send("DELETE", path, { body: { reason: "enough" } });
    expect(closed).toMatchObject({ status: 200, body: { success: true } });
    expect(host.reasons).toEqual(["enough"]);
    expect(await client.send("GET", path)).toMatchObject({
      status: 404,
      body: { success: false, code: "ACP_SESSION_NOT_FOUND" },
    });
  });

  it("[A1] agents are listed, with models only when asked for", async () => {
    const { client } = await serve();
    const plain = await client.send("GET", "/sdk/acp/agents");
    expectContract("listAgents", plain.body);
    expect(plain.body["agents"]).toMatchObject([{ id: "shell", handles: ["shell"] }]);
    expect(plain.body["agents"]).not.toMatchObject([{ models: [] }]);
    const full = await client.send("GET", "/sdk/acp/agents?includeModels=true");
    expect(full.body["agents"]).toMatchObject([{ models: [], source: null, modelSource: null }]);
  });

  it("[A1] a chat is answered whole, and needs a policy", async () => {
    const { client, host } = await serve();
    const bare = await client.createSession();
    expect(
      await client.send("POST", `/sdk/acp/session/${bare}/chat`, { body: { message: "hi" } }),
    ).toMatchObject({
      status: 400,
      body: { code: "APPROVAL_POLICY_REQUIRED" },
    });
    const key = await client.createSession({ approvalPolicy: "deny-all" });
    const attachment = { contentString: "data:image/png;base64,AA==", mime: "image/png" };
    const reply = await client.send("POST", `/sdk/acp/session/${key}/chat`, {
      body: { message: "hi", attachments: [attachment] },
    });
    expectContract("chat", reply.body);
    expect(reply.body).toMatchObject({ response: { text: "You said: hi", stop_reason: "end_turn" } });
    expect(host.prompts).toEqual([{ message: "hi", attachments: [attachment] }]);
  });

  it("[A1] a late or unknown permission is reported in the response, not as an error", async () => {
    const { client } = await serve();
    const key = await client.createSession();
    const reply = await client.send("POST", `/sdk/acp/session/${key}/permission`, {
      body: { requestId: "gone", optionId: "allow_once", outcome: "selected" },
    });
    expectContract("resolvePermission", reply.body);
    expect(reply).toMatchObject({
      status: 200,
      body: { success: true, resolved: false, reason: "Not open." },
    });
  });

  it("[A1] input that does not fit its contract is refused with what is wrong", async () => {
    const { client } = await serve();
    const key = await client.createSession();
    const send = (method: string, path: string, body: unknown) => client.send(method, path, { body });
    expect(await send("POST", "/sdk/acp/session", { agent_id: "shell", cwd: "here" })).toMatchObject({
      status: 400,
      body: { code: "ACP_INVALID_OPTION", error: expect.stringContaining("cwd") as unknown },
    });
    expect(await send("PATCH", `/sdk/acp/session/${key}`, { modle: "x" })).toMatchObject({
      status: 400,
      body: { code: "ACP_INVALID_OPTION" },
    });
    expect(await send("POST", `/sdk/acp/session/${key}/chat`, { message: "" })).toMatchObject({
      status: 400,
      body: { code: "INVALID_REQUEST" },
    });
    expect(await client.send("GET", "/sdk/acp/agents?includeModels=maybe")).toMatchObject({ status: 400 });
    expect(await client.send("POST", "/sdk/acp/session", { text: "{" })).toMatchObject({
      status: 400,
      body: { code: "INVALID_JSON" },
    });
    expect(await client.send("POST", "/sdk/acp/session")).toMatchObject({
      status: 400,
      body: { code: "ACP_INVALID_OPTION" },
    });
  });
});

describe("[A2] session keys", () => {
  it("[A2] may be percent-encoded or bare; a broken escape is the key of no session", async () => {
    const { client } = await serve();
    const key = await client.createSession();
    expect((await client.send("GET", `/sdk/acp/session/${encodeURIComponent(key)}`)).status).toBe(200);
    expect((await client.send("GET", `/sdk/acp/session/${key}`)).status).toBe(200);
    for (const odd of ["%zz", "a%2Fb", "agent%3Ashell%3Aacp%3Anone"]) {
      expect(await client.send("GET", `/sdk/acp/session/${odd}`)).toMatchObject({
        status: 404,
        body: { code: "ACP_SESSION_NOT_FOUND" },
      });
    }
  });
});

describe("[A3] bodies", () => {
  it("[A3] an empty one with a JSON content type is none", async () => {
    const { client, host } = await serve();
    const key = await client.createSession();
    expect((await client.send("POST", `/sdk/acp/session/${key}/cancel`)).body).toEqual({ success: true });
    expect((await client.send("POST", `/sdk/acp/session/${key}/cancel`, { text: "" })).body).toEqual({
      success: true,
    });
    expect((await client.send("DELETE", `/sdk/acp/session/${key}`)).body).toEqual({ success: true });
    expect(host.reasons).toEqual([undefined, undefined, undefined]);
  });

  it("[A3] one that belongs nowhere is not read", async () => {
    const { server, token } = await serve();
    const reply = await sendRaw(`${server.url}/sdk/acp/sessions`, {
      "x-api-key": token,
      "content-type": "application/json",
      "content-length": "0",
    });
    expect(reply).toMatchObject({ status: 200, body: { sessions: [] } });
  });
});

describe("[A4] every reply is JSON", () => {
  it("[A4] unknown paths and unknown methods are, and a method's answer names those there are", async () => {
    const { client, server } = await serve();
    expect(await client.send("GET", "/nowhere")).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    const refused = await client.send("PUT", "/sdk/acp/session/key");
    expect(refused).toMatchObject({ status: 405, body: { success: false, code: "METHOD_NOT_ALLOWED" } });
    expect(refused.headers.get("allow")).toBe("GET, PATCH, DELETE");
    const stranger = new ApiClient(server.url, "");
    expect((await stranger.send("POST", "/healthz")).headers.get("allow")).toBe("GET");
    expect((await client.send("POST", "/sdk/auth/token")).headers.get("allow")).toBe("GET");
    expect((await client.send("GET", "/sdk/acp/session")).status).toBe(405);
  });

  it.each([
    ["no HTTP at all", "HELLO\r\n\r\n", 400, "INVALID_REQUEST"],
    [
      "headers without end",
      `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${"x".repeat(40_000)}\r\n\r\n`,
      431,
      "INVALID_REQUEST",
    ],
    ["CONNECT", "CONNECT localhost:80 HTTP/1.1\r\nhost: localhost\r\n\r\n", 405, "METHOD_NOT_ALLOWED"],
    [
      "an expectation",
      "GET /healthz HTTP/1.1\r\nhost: localhost\r\nexpect: tea\r\n\r\n",
      417,
      "INVALID_REQUEST",
    ],
    ["no host", "GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n", 403, "HOST_NOT_ALLOWED"],
    [
      "a host that is none",
      "GET /healthz HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n",
      403,
      "HOST_NOT_ALLOWED",
    ],
  ])("[A4] %s is answered in JSON", async (_what, request, status, code) => {
    const { server } = await serve();
    const answer = await exchange(server.port, request);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const body: unknown = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
    expect(body).toMatchObject({ success: false, code });
  });
});

describe("[A5] errors that nobody foresaw", () => {
  it("[A5] become INTERNAL with an id that is in the log, and say nothing else", async () => {
    const { client, host, lines } = await serve();
    host.failure = new Error("the secret of the cellar");
    const reply = await client.send("GET", "/sdk/acp/sessions");
    expect(reply).toMatchObject({ status: 500, body: { success: false, code: "INTERNAL" } });
    const [line] = lines;
    expect(reply.body["error"]).toContain(line?.facts?.["logId"]);
    expect(line?.facts?.["error"]).toMatchObject({ message: "the secret of the cellar" });
    expect(JSON.stringify(reply.body)).not.toContain("secret");
  });
});

describe("[A6] refusals", () => {
  it.each(codes)("[A6] %s has its status, code and sentence", async (code) => {
    const { client, host, lines } = await serve();
    host.failure = new HostError(code, undefined, { details: { permission: "acp.agent" } });
    const reply = await client.send("GET", "/sdk/acp/sessions");
    expect(reply.status).toBe(ERRORS[code].status);
    expect(reply.body).toMatchObject({ success: false, code });
    expect(Object.values(reply.body)).toContain(ERRORS[code].message);
    expect(lines).toEqual([]);
  });

  it("[A6] an agent that is unknown is named in the words that clients compare", async () => {
    const { client } = await serve();
    expect(await client.send("POST", "/sdk/acp/session", { body: { agent_id: "nobody" } })).toMatchObject({
      status: 404,
      body: { error: "No ACP provider found for agent 'nobody'.", code: "ACP_UNKNOWN_AGENT" },
    });
  });

  it("[A6] with agents switched off every operation says so", async () => {
    const { client, host } = await serve();
    host.acpEnabled = false;
    for (const { method, path, permission } of Object.values(OPERATIONS)) {
      if (permission === "admin") continue;
      expect(await client.send(method, path.replaceAll(/\{\w+\}/g, "x"))).toMatchObject({
        status: 503,
        body: { code: "ACP_DISABLED" },
      });
    }
    expect((await client.send("GET", "/sdk/ping")).status).toBe(200);
  });
});

describe("[A7] bodies that are too large", () => {
  it("[A7] are refused when their size is declared, before they are sent", async () => {
    const { server, token } = await serve();
    const request = httpRequest(`${server.url}/sdk/acp/session`, {
      method: "POST",
      headers: { "x-api-key": token, "content-length": LIMITS.bodyBytes + 1 },
    });
    request.flushHeaders();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    const [text] = (await once(response, "data")) as [Buffer];
    expect(JSON.parse(String(text))).toMatchObject({ success: false, code: "BODY_TOO_LARGE" });
    request.destroy();
  });

  it("[A7] are refused when it is not", async () => {
    const { server, token } = await serve();
    const piece = new Uint8Array(1024 * 1024).fill(32);
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces += 1;
        if (pieces > 33) controller.close();
        else controller.enqueue(piece);
      },
    });
    const init = { method: "POST", headers: { "x-api-key": token }, body, duplex: "half" } as const;
    const response = await fetch(`${server.url}/sdk/acp/session`, init);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ success: false, code: "BODY_TOO_LARGE" });
  });

  it("[A7] the limit itself is not too large", async () => {
    const { client } = await serve();
    const body = JSON.stringify({ agent_id: "shell" }).padEnd(LIMITS.bodyBytes, " ");
    expect((await client.send("POST", "/sdk/acp/session", { text: body })).status).toBe(200);
  });
});

describe("[A8] beside the operations", () => {
  it("[A8] health is open to anybody, a ping to callers with a key", async () => {
    const { server, client } = await serve();
    const health = await fetch(`${server.url}/healthz`);
    expect(await health.json()).toEqual({ success: true, status: "ok" });
    expect((await client.send("GET", "/sdk/ping")).body).toMatchObject({ success: true, message: "pong" });
    expect((await fetch(`${server.url}/sdk/ping`)).status).toBe(401);
  });

  it("[A8] the document lists every operation under the server's own address", async () => {
    const { client, server } = await serve({ version: "1.2.3" });
    const { body } = await client.send("GET", "/openapi.json");
    expect(body).toMatchObject({ info: { version: "1.2.3" }, servers: [{ url: server.url }] });
    const paths = Object.values(OPERATIONS).map(({ path }) => path);
    expect(Object.keys(body["paths"] as object).toSorted()).toEqual([...new Set(paths)].toSorted());
  });
});

/** Sends bytes and gives everything that comes back. */
function exchange(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    connect({ host: "127.0.0.1", port })
      .on("data", (chunk) => {
        answer += String(chunk);
      })
      .on("end", () => resolve(answer))
      .on("error", reject)
      .end(request);
  });
}

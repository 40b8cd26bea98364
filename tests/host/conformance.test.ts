// The app API to the letter of its reference: the nineteen points that clients of the RealtimeX SDK depend on.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readFrames } from "./event-reader.ts";
import { startHostInProcess } from "./host-in-process.ts";
import type { TestedHost } from "./real-host.ts";
import { makeRealtimexKey } from "./realtimex-key.ts";

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

interface SessionBody {
  readonly session_key: string;
  readonly state: string;
  readonly backend_id: string;
  readonly runtime_options: Record<string, unknown>;
}

interface Event {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

let host: TestedHost;
/** The key that the guide has its readers make. */
const mine = { "x-api-key": "" };
const owner = { "x-api-key": "" };

beforeAll(async () => {
  host = await startHostInProcess({
    config: {
      acp: { idleSeconds: 0.5 },
      maxSessions: 40,
      allowedAgents: ["claude", "qwen", "shell"],
      apps: { enabled: true },
    },
  });
  mine["x-api-key"] = await makeRealtimexKey(host);
  owner["x-api-key"] = host.token;
});
afterAll(() => host.close());

/** Sends a request as both client families do: with a JSON content type, whatever the body. */
async function send(
  method: string,
  route: string,
  body?: object,
  headers: Record<string, string> = mine,
): Promise<Response> {
  return fetch(`${host.url}${route}`, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Every reply is JSON with a body: whatever the status, it is read as such. */
async function call(
  method: string,
  route: string,
  body?: object,
  headers: Record<string, string> = mine,
): Promise<Reply> {
  const response = await send(method, route, body, headers);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function open(
  wish: Record<string, unknown> = {},
  headers: Record<string, string> = mine,
): Promise<SessionBody & { readonly path: string }> {
  const { body, status } = await call(
    "POST",
    "/sdk/acp/session",
    { agent_id: "shell", cwd: host.project, ...wish },
    headers,
  );
  expect({ status, body }).toMatchObject({ status: 200 });
  const session = body["session"] as SessionBody;
  return { ...session, path: `/sdk/acp/session/${encodeURIComponent(session.session_key)}` };
}

/** Reads a stream by the clients' own rules: one `event:` line, one `data:` line, an empty line. */
async function events(
  response: Response,
  onEvent: (event: Event) => Promise<void> | void = () => {},
): Promise<Event[]> {
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const read: Event[] = [];
  for await (const { text } of readFrames(response)) {
    const lines = text.split("\n").filter((line) => !/^(?:id|retry):/.test(line));
    expect(lines).toHaveLength(2);
    const type = /^event: (\w+)$/.exec(lines[0] ?? "")?.[1];
    const data = /^data: (.*)$/.exec(lines[1] ?? "")?.[1];
    expect([type, data]).not.toContain(undefined);
    const event = { type: type ?? "", data: JSON.parse(data ?? "") as Record<string, unknown> };
    read.push(event);
    await onEvent(event);
  }
  return read;
}

async function stream(path: string, message: string): Promise<Event[]> {
  return events(await send("POST", `${path}/chat/stream`, { message }));
}

function typesOf(all: readonly Event[]): string[] {
  return all.map(({ type }) => type);
}

async function getState(path: string): Promise<string> {
  return ((await call("GET", path)).body["session"] as SessionBody).state;
}

describe("[A80] the reference's checklist", () => {
  it("[A80] 1–5: all routes, encoded keys, empty bodies, JSON everywhere, ready on creation", async () => {
    expect((await call("GET", "/sdk/acp/agents")).body).toMatchObject({
      success: true,
      agents: expect.any(Array),
    });
    const session = await open({ approvalPolicy: "approve-all", label: "one" });
    expect(session.state).toBe("ready");
    for (const member of ["session_key", "agent_id", "state", "backend_id", "created_at"]) {
      expect(session).toHaveProperty(member);
    }
    expect(session.session_key).toMatch(/^agent:shell:acp:[0-9a-f-]{36}$/);
    expect(session.path).toContain("agent%3Ashell%3Aacp%3A");
    expect((await call("GET", session.path)).body).toMatchObject({
      success: true,
      session: { session_key: session.session_key, last_activity_at: expect.any(String) },
    });
    expect((await call("GET", "/sdk/acp/sessions")).body["sessions"]).toContainEqual(
      expect.objectContaining({ session_key: session.session_key }),
    );
    expect(await call("PATCH", session.path, { timeoutSeconds: 60 })).toMatchObject({ status: 200 });
    expect(await call("POST", `${session.path}/chat`, { message: "echo hi" })).toMatchObject({
      status: 200,
      body: { success: true, response: { text: expect.stringContaining("hi"), stop_reason: "end_turn" } },
    });
    expect(typesOf(await stream(session.path, "echo hi")).at(-1)).toBe("close");
    expect(await call("POST", `${session.path}/cancel`)).toEqual({ status: 200, body: { success: true } });
    expect(
      await call("POST", `${session.path}/permission`, { requestId: "none", optionId: "allow_once" }),
    ).toMatchObject({ status: 200, body: { success: true, resolved: false, reason: expect.any(String) } });
    expect(await call("DELETE", session.path)).toEqual({ status: 200, body: { success: true } });
  });

  it("[A80] 6: a closed session is not found", async () => {
    const session = await open();
    await call("DELETE", session.path, { reason: "done" });
    const notFound = { status: 404, body: { success: false, code: "ACP_SESSION_NOT_FOUND" } };
    expect(await call("GET", session.path)).toMatchObject(notFound);
    expect(await call("POST", `${session.path}/chat/stream`, { message: "hi" })).toMatchObject(notFound);
  });

  it("[A80] 7–8: handles have the short name, models come only when asked for", async () => {
    const bare = (await call("GET", "/sdk/acp/agents")).body["agents"] as Record<string, unknown>[];
    const claude = bare.find(({ id }) => id === "claude-cli");
    expect(claude?.["handles"]).toContain("claude");
    expect(bare.filter((agent) => "models" in agent)).toEqual([]);
    const full = (await call("GET", "/sdk/acp/agents?includeModels=true")).body["agents"];
    expect((full as object[]).filter((agent) => !("models" in agent))).toEqual([]);
  });

  it("[A80] 9: a synchronous chat needs a policy", async () => {
    const session = await open();
    expect(await call("POST", `${session.path}/chat`, { message: "hi" })).toMatchObject({
      status: 400,
      body: { success: false, code: "APPROVAL_POLICY_REQUIRED", error: expect.any(String) },
    });
  });

  it("[A80] 10–11: streams have the grammar of the clients' parsers, and each turn gives text", async () => {
    const session = await open({ approvalPolicy: "approve-all" });
    for (const word of ["one", "two"]) {
      const read = await stream(session.path, `echo ${word}`);
      const text = read.map(({ type, data }) =>
        type === "text_delta" && data["stream"] === "output" ? data["text"] : "",
      );
      expect(text.join("")).toContain(word);
      expect(read.slice(-2)).toMatchObject([
        { type: "done", data: { stopReason: "end_turn" } },
        { type: "close", data: { success: true } },
      ]);
      expect(
        read.find(({ type, data }) => type === "tool_call" && data["status"] === "completed"),
      ).toBeDefined();
    }
  });

  it("[A80][A713] 12: a permission is asked and answered while the stream is open; a late answer resolves nothing", async () => {
    const session = await open();
    let requestId = "";
    const answers: Reply[] = [];
    const response = await send("POST", `${session.path}/chat/stream`, { message: "echo asked" });
    const read = await events(response, async ({ type, data }) => {
      if (type !== "permission_request") return;
      requestId = String(data["requestId"]);
      expect(data).toMatchObject({
        action: expect.any(String),
        target: expect.any(String),
        expiresAt: expect.any(String),
      });
      const [option] = data["options"] as Record<string, string>[];
      expect(option).toMatchObject({ optionId: option?.["id"], name: option?.["label"], kind: "allow_once" });
      const unknown = await call("POST", `${session.path}/permission`, { requestId, optionId: "maybe" });
      expect(unknown).toMatchObject({
        status: 400,
        body: {
          code: "ACP_INVALID_OPTION",
          options: expect.arrayContaining([{ optionId: option?.["id"], kind: "allow_once" }]),
        },
      });
      // By the kind's name, as the documents do, with a word that only some clients send.
      const decision = { requestId, optionId: "allow_once", outcome: "approved" };
      answers.push(await call("POST", `${session.path}/permission`, decision));
    });
    expect(answers).toMatchObject([{ status: 200, body: { success: true, resolved: true } }]);
    expect(typesOf(read).filter((type) => type === "permission_request")).toHaveLength(1);
    expect(read.at(-1)?.data).toEqual({ success: true });
    const late = await call("POST", `${session.path}/permission`, { requestId, optionId: "allow_once" });
    expect(late).toMatchObject({ status: 200, body: { resolved: false, reason: expect.any(String) } });
  });

  it("[A80] 13–14: every way to say who asks, and sessions that only their app sees", async () => {
    const admin = async (method: string, route: string, body?: object): Promise<Record<string, unknown>> =>
      (await call(method, route, body, owner)).body;
    const keyOf = async (name: string): Promise<string> =>
      String((await admin("POST", "/admin/keys", { name, scopes: ["acp.agent"] }))["secret"]);
    const [one, other] = [await keyOf("one"), await keyOf("other")];
    const byBearer = { Authorization: `Bearer ${one}` };
    const session = await open({}, { "x-api-key": one, "x-app-id": "ignored" });
    expect((await call("GET", session.path, undefined, byBearer)).status).toBe(200);
    expect(await call("GET", session.path, undefined, { "x-api-key": other })).toMatchObject({
      status: 404,
      body: { code: "ACP_SESSION_NOT_FOUND" },
    });
    expect(
      (await call("GET", "/sdk/acp/sessions", undefined, { "x-api-key": other })).body["sessions"],
    ).toEqual([]);
    const app = { "x-app-id": "9f0c1f6e-0000-4000-8000-000000000001" };
    const wish = { app_id: app["x-app-id"], app_name: "App", permissions: ["acp.agent"] };
    expect(await call("GET", "/sdk/acp/agents", undefined, app)).toMatchObject({
      status: 401,
      body: { code: "INVALID_APP_ID", error: `Invalid app ID: ${app["x-app-id"]}` },
    });
    expect((await call("POST", "/sdk/register", wish, {})).status).toBe(200);
    expect(await call("GET", "/sdk/acp/agents", undefined, app)).toMatchObject({
      status: 403,
      body: { code: "PERMISSION_REQUIRED", permission: "acp.agent" },
    });
    await admin("POST", `/admin/apps/${app["x-app-id"]}/grant`, { permissions: ["acp.agent"] });
    const own = await open({}, app);
    expect((await call("GET", own.path, undefined, { "x-api-key": one })).status).toBe(404);
    expect((await call("GET", own.path, undefined, app)).status).toBe(200);
    expect(await call("GET", "/sdk/acp/agents", undefined, {})).toMatchObject({
      status: 401,
      body: { code: "MISSING_APP_ID", error: "Missing required header: x-app-id" },
    });
  });

  it("[A80] 15: what is patched is read back", async () => {
    const session = await open();
    const patch = {
      timeoutSeconds: 90,
      approvalPolicy: "approve-reads",
      runtimeMode: "trust",
      extras: { output: "none" },
    };
    expect(await call("PATCH", session.path, patch)).toMatchObject({ status: 200, body: { success: true } });
    expect((await call("GET", session.path)).body).toMatchObject({ session: { runtime_options: patch } });
  });

  it("[A80] 16: a session left alone loses its agent, and gets it back with its memory", async () => {
    const session = await open();
    const askedIn = async (message: string): Promise<number> => {
      let asked = 0;
      await events(await send("POST", `${session.path}/chat/stream`, { message }), async ({ type, data }) => {
        if (type === "status") expect(data["tag"]).not.toBe("context_lost");
        if (type !== "permission_request") return;
        asked += 1;
        const decision = { requestId: data["requestId"], optionId: "allow_always" };
        await call("POST", `${session.path}/permission`, decision);
      });
      return asked;
    };
    // What is allowed for always is not asked about again in this session.
    expect(await askedIn("echo first")).toBe(1);
    await expect.poll(() => getState(session.path), { timeout: 10_000 }).toBe("stale");
    expect(await askedIn("echo first")).toBe(0);
    expect((await call("GET", session.path)).body).toMatchObject({
      session: { state: "ready", backend_id: session.backend_id },
    });
  });

  it("[A80] 17: every code has its status", async () => {
    const refused = async (wish: object): Promise<Reply> => call("POST", "/sdk/acp/session", wish);
    expect(await refused({ agent_id: "nobody" })).toMatchObject({
      status: 404,
      body: { code: "ACP_UNKNOWN_AGENT", error: "No ACP provider found for agent 'nobody'." },
    });
    expect(await refused({ agent_id: "gemini" })).toMatchObject({
      status: 403,
      body: { code: "ACP_AGENT_NOT_ALLOWED" },
    });
    expect(await refused({ agent_id: "shell", cwd: "relative" })).toMatchObject({
      status: 400,
      body: { code: "ACP_INVALID_OPTION" },
    });
    expect(
      await refused({ agent_id: "qwen", cwd: host.project, forwardedProvider: "anthropic" }),
    ).toMatchObject({
      status: 502,
      body: { code: "ACP_SESSION_INIT_FAILED", error: expect.stringContaining("ANTHROPIC_API_KEY") },
    });
    const session = await open();
    for (const patch of [
      { timeoutSeconds: 0 },
      { model: "x".repeat(201) },
      { unknown: 1 },
      { cwd: "relative" },
    ]) {
      expect(await call("PATCH", session.path, patch)).toMatchObject({
        status: 400,
        body: { code: "ACP_INVALID_OPTION" },
      });
    }
    expect(await call("GET", "/sdk/acp/session/nonsense")).toMatchObject({
      status: 404,
      body: { code: "ACP_SESSION_NOT_FOUND" },
    });
  });

  it("[A80] 18: attachments are taken as far as the agent takes them", async () => {
    const session = await open({ agent_id: "claude", approvalPolicy: "approve-all" });
    const image = {
      contentString: `data:image/png;base64,${Buffer.alloc(9).toString("base64")}`,
      mime: "image/png",
    };
    const chat = async (attachment: object): Promise<Reply> =>
      call("POST", `${session.path}/chat`, { message: "Look", attachments: [attachment] });
    expect(await chat(image)).toMatchObject({
      status: 200,
      body: { response: { text: expect.stringContaining("image/png of 9 bytes") } },
    });
    expect(await chat({ contentString: "data:audio/wav;base64,AAAA", mime: "audio/wav" })).toMatchObject({
      status: 400,
      body: { code: "ACP_ATTACHMENT_NOT_SUPPORTED" },
    });
  });

  it("[A80] 19: a client that asks for a user's token gets none, and continues without", async () => {
    const { body } = await call("GET", "/sdk/auth/token", undefined, {});
    expect(body["token"] ?? "").toBe("");
    expect((await send("GET", "/sdk/auth/token", undefined, {})).status).toBe(404);
    expect((await call("GET", "/sdk/acp/agents")).status).toBe(200);
  });
});

describe("[A80] limits", () => {
  it("[A80] 17: one session too many, and agents switched off", async () => {
    const small = await startHostInProcess({ config: { maxSessions: 1 } });
    const ask = async (): Promise<[number, unknown]> => {
      const response = await fetch(`${small.url}/sdk/acp/session`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "x-api-key": small.token },
        body: JSON.stringify({ agent_id: "shell", cwd: small.project }),
      });
      return [response.status, ((await response.json()) as Record<string, unknown>)["code"]];
    };
    expect(await ask()).toEqual([200, undefined]);
    expect(await ask()).toEqual([429, "ACP_MAX_SESSIONS"]);
    await small.close();
    const off = await startHostInProcess({ config: { acp: { enabled: false } } });
    const { status } = await fetch(`${off.url}/sdk/acp/agents`, { headers: { "x-api-key": off.token } });
    expect(status).toBe(503);
    await off.close();
  });
});

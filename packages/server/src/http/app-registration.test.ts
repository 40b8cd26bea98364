// Apps that identify by an id: their registrations, the owner's decisions, and what they may then do.
import { MemoryMeta } from "@holdfast/core/testing";
import { OPERATIONS } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { ApiClient, sendRaw } from "../testing/api-client.ts";
import { serve, type Serving } from "../testing/serving.ts";

const register = "/sdk/register";
const request = "/api/local-apps/request-permission";
const registration = { app_id: "app-1", app_name: "Planner", permissions: ["acp.agent"] };

/** A client without any key, as the SDKs register. */
function stranger({ server }: Serving): ApiClient {
  return new ApiClient(server.url, "");
}

/** Asks as an app with nothing but its id. */
function askAs({ server }: Serving, appId: string, path = "/sdk/acp/sessions") {
  return sendRaw(`${server.url}${path}`, { "x-app-id": appId });
}

const enabled = { apps: { enabled: true } };

describe("[A66] registering", () => {
  it("[A66] needs no key, is answered with a sentence, and grants nothing", async () => {
    const serving = await serve(enabled);
    const reply = await stranger(serving).send("POST", register, { body: registration });
    expect(reply).toMatchObject({ status: 200, body: { success: true } });
    expect(reply.body["message"]).toContain("owner");
    const { body } = await serving.client.send("GET", "/admin/apps");
    expect(OPERATIONS.listApps.response.parse(body).apps).toMatchObject([
      { id: "app-1", name: "Planner", state: "waiting", requested: ["acp.agent"] },
    ]);
    expect(await askAs(serving, "app-1")).toMatchObject({
      status: 403,
      body: { code: "PERMISSION_REQUIRED" },
    });
  });

  it("[A66] again never widens a grant, nor undoes a refusal", async () => {
    const serving = await serve(enabled);
    const { client } = serving;
    await client.send("POST", "/admin/apps/app-1/grant", { body: { permissions: ["terminal"] } });
    const again = await stranger(serving).send("POST", register, { body: registration });
    expect(again.body["message"]).toBe("Granted: terminal.");
    expect((await askAs(serving, "app-1")).status).toBe(403);
    await client.send("POST", "/admin/apps/app-1/deny");
    await stranger(serving).send("POST", register, { body: registration });
    expect(await askAs(serving, "app-1")).toMatchObject({ body: { code: "PERMISSION_DENIED" } });
  });

  it.each([
    [{}, "app_id is required"],
    [{ app_id: "" }, "app_id must start with"],
    [{ app_id: "key:0123456789abcdef" }, "app_id must start with"],
    [{ app_id: "a/b" }, "app_id must start with"],
    [{ app_id: "a".repeat(65) }, "app_id must have at most 64 characters"],
    [{ app_id: "a", app_name: "n".repeat(201) }, "app_name must have at most 200 characters"],
    [{ app_id: "a", app_name: "a\u0007b" }, "app_name must not contain control characters"],
    [{ app_id: "a", permissions: "acp.agent" }, "permissions must be an array"],
    [{ app_id: "a", permissions: Array.from({ length: 65 }, () => "p") }, "permissions must have at most 64"],
  ])("[A66] what does not fit is refused: case %#", async (body, sentence) => {
    const serving = await serve();
    const reply = await stranger(serving).send("POST", register, { body });
    expect(reply).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
    expect(reply.body["error"]).toContain(sentence);
  });

  it("[A66] takes what clients leave out or write as null, and small bodies only", async () => {
    const serving = await serve();
    const app = stranger(serving);
    const sparse = { app_id: "a", app_name: null, permissions: ["llm.chat"], version: 1 };
    expect((await app.send("POST", register, { body: sparse })).status).toBe(200);
    expect(await app.send("POST", register, { text: "" })).toMatchObject({
      status: 400,
      body: { code: "INVALID_JSON" },
    });
    expect(await app.send("POST", register, { text: `"${"x".repeat(20_000)}"` })).toMatchObject({
      status: 413,
      body: { code: "BODY_TOO_LARGE" },
    });
    expect(await app.send("GET", register)).toMatchObject({ status: 405 });
  });

  it("[A66] a flood must wait, and the owner need not", async () => {
    const serving = await serve();
    const app = stranger(serving);
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        app.send("POST", register, { body: { ...registration, app_id: `app-${index}` } }),
      ),
    );
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(30);
    expect(refused[0]?.body).toMatchObject({ success: false, code: "RATE_LIMITED" });
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await serving.client.send("GET", "/admin/apps")).status).toBe(200);
  });
});

describe("[A64] where app ids are not taken", () => {
  it("[A64] one alone is no key, granted or not", async () => {
    const serving = await serve();
    const { client } = serving;
    await client.send("POST", "/admin/apps/app-1/grant", { body: { permissions: ["acp.agent"] } });
    for (const appId of ["app-1", "unknown", ""]) {
      expect(await askAs(serving, appId)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
    }
    const asked = { app_id: "app-1", permission: "acp.agent" };
    expect((await stranger(serving).send("POST", request, { body: asked })).body).toMatchObject({
      granted: false,
    });
    const registered = await stranger(serving).send("POST", register, { body: registration });
    expect(registered.body["message"]).toContain("Ask its owner for a key");
  });
});

describe("[A65] where app ids are taken", () => {
  it("[A65] a granted app may do what was granted, on its own account", async () => {
    const serving = await serve(enabled);
    const { client } = serving;
    const granted = await client.send("POST", "/admin/apps/app-1/grant", {
      body: { permissions: ["acp.agent"], name: "Planner" },
    });
    expect(OPERATIONS.grantApp.response.parse(granted.body).app).toMatchObject({ state: "granted" });
    expect(await askAs(serving, "app-1")).toMatchObject({ status: 200, body: { sessions: [] } });
    expect(await askAs(serving, "app-1", "/admin/keys")).toMatchObject({
      status: 403,
      body: { error: "PERMISSION_REQUIRED", permission: "admin" },
    });
  });

  it("[A65] each refusal has the words that clients know", async () => {
    const serving = await serve(enabled);
    const { client, server } = serving;
    const url = `${server.url}/sdk/acp/sessions`;
    expect(await sendRaw(url, {})).toEqual({
      status: 401,
      body: { success: false, error: "Missing required header: x-app-id", code: "MISSING_APP_ID" },
    });
    expect(await askAs(serving, "nobody")).toEqual({
      status: 401,
      body: { success: false, error: "Invalid app ID: nobody", code: "INVALID_APP_ID" },
    });
    await stranger(serving).send("POST", register, { body: registration });
    expect(await askAs(serving, "app-1")).toEqual({
      status: 403,
      body: {
        success: false,
        error: "PERMISSION_REQUIRED",
        code: "PERMISSION_REQUIRED",
        permission: "acp.agent",
        message: expect.stringContaining("has not been granted") as string,
      },
    });
    await client.send("POST", "/admin/apps/app-1/deny");
    expect(await askAs(serving, "app-1")).toEqual({
      status: 403,
      body: {
        success: false,
        error: "PERMISSION_DENIED",
        code: "PERMISSION_DENIED",
        permission: "acp.agent",
        message: expect.stringContaining("denied the app") as string,
      },
    });
    expect(await sendRaw(url, { "x-api-key": "wrong", "x-app-id": "app-1" })).toMatchObject({
      status: 401,
      body: { code: "UNAUTHORIZED" },
    });
  });
});

describe("[A67] asking for a permission", () => {
  it("[A67] is written down, and answered with what stands", async () => {
    const serving = await serve(enabled);
    const { client } = serving;
    const ask = async (permission: string) =>
      (
        await stranger(serving).send("POST", request, {
          body: { app_id: "app-1", app_name: "Planner", permission },
        })
      ).body;
    expect(await ask("acp.agent")).toEqual({ success: true, granted: false });
    expect(await ask("terminal")).toEqual({ success: true, granted: false });
    expect((await client.send("GET", "/admin/apps")).body["apps"]).toMatchObject([
      { id: "app-1", name: "Planner", requested: ["acp.agent", "terminal"] },
    ]);
    await client.send("POST", "/admin/apps/app-1/grant", { body: { permissions: ["terminal"] } });
    expect(await ask("terminal")).toEqual({ success: true, granted: true });
    expect(await ask("acp.agent")).toEqual({ success: true, granted: false });
    expect(await ask("llm.chat")).toEqual({ success: true, granted: false });
    expect(await ask("admin")).toEqual({ success: true, granted: false });
  });

  it("[A67] and registering are for this machine, not for what a proxy on it forwards", async () => {
    const serving = await serve(enabled);
    for (const header of ["x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via"]) {
      for (const path of [register, request]) {
        const headers = { [header]: "192.0.2.1" };
        const reply = await stranger(serving).send("POST", path, { body: registration, headers });
        expect(reply).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
      }
    }
    expect((await serving.client.send("GET", "/admin/apps")).body["apps"]).toEqual([]);
  });

  it("[A67] nor for pages", async () => {
    const serving = await serve(enabled);
    const headers = { origin: "http://evil.example" };
    expect(await stranger(serving).send("POST", register, { body: registration, headers })).toMatchObject({
      status: 403,
      body: { code: "ORIGIN_NOT_ALLOWED" },
    });
  });
});

describe("[A75] the owner's answers", () => {
  it("[A75] are for admins, about apps that are there, and outlive the server", async () => {
    const meta = new MemoryMeta();
    const first = await serve({ ...enabled, meta });
    const { client } = first;
    await client.send("POST", "/admin/apps/app-1/grant", { body: { permissions: ["acp.agent"] } });
    for (const [method, path] of [
      ["GET", "/admin/apps"],
      ["POST", "/admin/apps/app-1/grant"],
      ["POST", "/admin/apps/app-1/deny"],
      ["DELETE", "/admin/apps/app-1"],
    ] as const) {
      expect((await sendRaw(client.url + path, { "x-app-id": "app-1" }, method)).status).toBe(403);
    }
    for (const [method, path] of [
      ["POST", "/admin/apps/nobody/deny"],
      ["DELETE", "/admin/apps/nobody"],
    ] as const) {
      expect(await client.send(method, path)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    }
    await first.server.close();
    const second = await serve({ ...enabled, meta });
    expect((await askAs(second, "app-1")).status).toBe(200);
    expect((await second.client.send("DELETE", "/admin/apps/app-1")).body).toEqual({ success: true });
    expect(await askAs(second, "app-1")).toMatchObject({ body: { code: "INVALID_APP_ID" } });
  });

  it.each([
    { permissions: [] },
    { permissions: ["admin"] },
    { permissions: ["acp.agent"], forever: true },
    {},
  ])("[A75] %j is no grant", async (body) => {
    const { client } = await serve(enabled);
    expect((await client.send("POST", "/admin/apps/app-1/grant", { body })).status).toBe(400);
    expect((await client.send("GET", "/admin/apps")).body["apps"]).toEqual([]);
  });

  it("[A75] a right that is taken back ends what is open by it; one that is given does not", async () => {
    const { client, server, host } = await serve(enabled);
    const headers = { "x-app-id": "app-1" };
    const grant = (permissions: string[]) =>
      client.send("POST", "/admin/apps/app-1/grant", { body: { permissions } });
    await grant(["acp.agent"]);
    const created = await client.send("POST", "/sdk/acp/session", {
      headers: { ...headers, "x-api-key": "" },
      body: { agent_id: "shell" },
    });
    const { session } = OPERATIONS.createSession.response.parse(created.body);
    const response = await fetch(`${server.url}/sdk/acp/session/${session.session_key}/chat/stream`, {
      method: "POST",
      headers,
      body: JSON.stringify({ message: "hi" }),
    });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    await grant(["acp.agent", "terminal"]);
    host.lastTurn.say("still here");
    expect(String(Buffer.from((await reader?.read())?.value ?? []))).toContain("still here");
    await grant(["terminal"]);
    await expect(reader?.read()).rejects.toThrow("terminated");
    expect(host.lastTurn.isActive).toBe(true);
  });
});

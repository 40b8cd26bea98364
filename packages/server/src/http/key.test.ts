// Keys over HTTP: made, used, revoked; the permissions of each, and that the host learns the caller.
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { MemoryMeta } from "@holdfast/core/testing";
import {
  type ApiKey,
  type ChatResponse,
  OPERATIONS,
  type Permission,
  type SessionStatus,
} from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import type { Caller } from "../host-port.ts";
import type { ServerOptions } from "../server.ts";
import { ApiClient } from "../testing/api-client.ts";
import { holdablePeers } from "../testing/held-peers.ts";
import { serve } from "../testing/serving.ts";
import { FakeHost } from "../testing/fake-host.ts";

interface MadeKey {
  readonly key: ApiKey;
  readonly secret: string;
  /** A client that comes with the key. */
  readonly client: ApiClient;
}

async function makeKey(owner: ApiClient, scopes: readonly Permission[], name = "build"): Promise<MadeKey> {
  const { status, body } = await owner.send("POST", "/admin/keys", { body: { name, scopes } });
  expect(status).toBe(200);
  const { key, secret } = OPERATIONS.createKey.response.parse(body);
  return { key, secret, client: new ApiClient(owner.url, secret) };
}

/** A host that does not come to the end of a turn. */
class PatientHost extends FakeHost {
  #onAsked: () => void = () => undefined;
  readonly asked = new Promise<void>((resolve) => {
    this.#onAsked = resolve;
  });

  override chat(): Promise<ChatResponse> {
    this.#onAsked();
    return new Promise(() => undefined);
  }
}

/** A store on a disk that can be full. */
class FullMeta extends MemoryMeta {
  isFull = false;

  override set(key: string, value: string): void {
    if (this.isFull) throw new Error("The disk is full");
    super.set(key, value);
  }
}

/** Remembers who asked. */
class AttentiveHost extends FakeHost {
  readonly callers: Caller[] = [];

  override listSessions(caller: Caller): SessionStatus[] {
    this.callers.push(caller);
    return super.listSessions(caller);
  }
}

describe("[A60] keys over HTTP", () => {
  it("[A60] are shown once, listed without their secret, and opened by it", async () => {
    const meta = new MemoryMeta();
    const { client, lines } = await serve({ meta });
    const { key, secret, client: app } = await makeKey(client, ["acp.agent"]);
    expect(key).toMatchObject({ name: "build", scopes: ["acp.agent"], lastUsedAt: null, revokedAt: null });
    expect((await app.send("GET", "/sdk/acp/sessions")).status).toBe(200);
    const bearer = { "x-api-key": "", authorization: `Bearer ${secret}` };
    expect((await app.send("GET", "/sdk/acp/sessions", { headers: bearer })).status).toBe(200);
    const listed = await client.send("GET", "/admin/keys");
    const { keys } = OPERATIONS.listKeys.response.parse(listed.body);
    expect(keys).toEqual([{ ...key, lastUsedAt: expect.any(String) as string }]);
    const secretPart = secret.slice(-43);
    const stored = meta.keys("").map((name) => meta.get(name));
    for (const text of [listed.body, stored, lines]) expect(JSON.stringify(text)).not.toContain(secretPart);
  });

  it.each([
    [{}, "name is required"],
    [{ name: "n" }, "scopes is required"],
    [{ name: "n", scopes: [] }, "scopes must not be empty"],
    [{ name: "", scopes: ["admin"] }, "name must not be empty"],
    [{ name: "a\nb", scopes: ["admin"] }, "name must not contain control characters"],
    [{ name: "n".repeat(201), scopes: ["admin"] }, "name must have at most 200 characters"],
    [{ name: "n", scopes: ["root"] }, "scopes[0] must be one of"],
    [{ name: "n", scopes: ["admin"], ceiling: {} }, "ceiling must be left out for the scope admin"],
    [{ name: "n", scopes: ["acp.agent"], ceiling: { roots: ["relative"] } }, "must be an absolute path"],
    [{ name: "n", scopes: ["admin"], expires: 1 }, 'has no member "expires"'],
  ])("[A60] %j makes none", async (body, sentence) => {
    const { client } = await serve();
    const reply = await client.send("POST", "/admin/keys", { body });
    expect(reply).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
    expect(reply.body["error"]).toContain(sentence);
    expect((await client.send("GET", "/admin/keys")).body["keys"]).toEqual([]);
  });

  it("[A60] outlive the server", async () => {
    const meta = new MemoryMeta();
    const first = await serve({ meta });
    const { secret } = await makeKey(first.client, ["acp.agent"]);
    await first.server.close();
    const second = await serve({ meta });
    const app = new ApiClient(second.server.url, secret);
    expect((await app.send("GET", "/sdk/acp/sessions")).status).toBe(200);
  });
});

describe("[A623] the end of a right", () => {
  it("[A623] ends the turns of a key, and of an app that loses a permission", async () => {
    const { client, host } = await serve({ apps: { enabled: true } });
    const { key } = await makeKey(client, ["acp.agent"]);
    await client.send("DELETE", `/admin/keys/${key.id}`);
    const grant = (permissions: readonly string[]): Promise<unknown> =>
      client.send("POST", "/admin/apps/notes/grant", { body: { permissions } });
    await grant(["acp.agent", "terminal"]);
    expect(host.ended).toEqual([`key:${key.id}`]);
    await grant(["terminal"]);
    await client.send("POST", "/admin/apps/notes/deny");
    await client.send("DELETE", "/admin/apps/notes");
    expect(host.ended).toEqual([`key:${key.id}`, "notes", "notes", "notes"]);
  });

  it("[A623] ends them also where it cannot be written down", async () => {
    const meta = new FullMeta();
    const { client, host } = await serve({ meta });
    const { key } = await makeKey(client, ["acp.agent"]);
    meta.isFull = true;
    expect((await client.send("DELETE", `/admin/keys/${key.id}`)).status).toBe(500);
    expect(host.ended).toEqual([`key:${key.id}`]);
  });

  it("[A624] is audited, as are its beginning and tickets", async () => {
    const entries: Parameters<NonNullable<ServerOptions["audit"]>["record"]>[0][] = [];
    const { client } = await serve({ audit: { record: (entry) => entries.push(entry) } });
    const { key, secret } = await makeKey(client, ["acp.agent"]);
    await client.send("POST", "/admin/apps/notes/grant", { body: { permissions: ["acp.agent"] } });
    await client.send("POST", "/admin/tickets");
    await client.send("DELETE", `/admin/keys/${key.id}`);
    expect(entries).toMatchObject([
      {
        what: "key",
        subject: `${key.id} build`,
        by: "client owner",
        outcome: expect.stringContaining("created"),
      },
      { what: "app", subject: "notes", outcome: expect.stringContaining("granted") },
      { what: "ticket", by: "client owner" },
      { what: "key", subject: `${key.id} build`, outcome: "revoked" },
    ]);
    expect(JSON.stringify(entries)).not.toContain(secret.slice(-43));
  });
});

describe("[A61] revoking", () => {
  it("[A61] holds for the very next request", async () => {
    const { client } = await serve();
    const { key, client: app } = await makeKey(client, ["acp.agent"]);
    expect((await app.send("GET", "/sdk/ping")).status).toBe(200);
    const revoked = await client.send("DELETE", `/admin/keys/${key.id}`);
    expect(OPERATIONS.revokeKey.response.parse(revoked.body).key.revokedAt).not.toBeNull();
    expect(await app.send("GET", "/sdk/ping")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
    expect((await client.send("DELETE", `/admin/keys/${key.id}`)).body).toEqual(revoked.body);
  });

  it("[A61] cuts the streams of the key, and those of nobody else", async () => {
    const { client, host } = await serve();
    const { key, client: app } = await makeKey(client, ["acp.agent"]);
    const other = await makeKey(client, ["acp.agent"]);
    const stream = await app.stream(await app.createSession());
    const turn = host.lastTurn;
    const otherStream = await other.client.stream(await other.client.createSession());
    await client.send("DELETE", `/admin/keys/${key.id}`);
    await expect(stream.rest()).rejects.toThrow("terminated");
    expect(turn.isActive).toBe(true);
    host.lastTurn.complete();
    expect((await otherStream.rest()).at(-1)).toMatchObject({ event: "close", data: { success: true } });
  });

  it("[A61] disconnects callers that wait for a response", async () => {
    const host = new PatientHost();
    const { client } = await serve({ host });
    const { key, client: app } = await makeKey(client, ["acp.agent"]);
    const path = `/sdk/acp/session/${await app.createSession({ approvalPolicy: "approve-all" })}/chat`;
    const asked = app.send("POST", path, { body: { message: "hi" } }).catch((error: unknown) => error);
    await host.asked;
    await client.send("DELETE", `/admin/keys/${key.id}`);
    expect(await asked).toMatchObject({ message: "fetch failed" });
  });

  it("[A61] a request that was begun before and sent after does nothing", async () => {
    const { client, host } = await serve();
    const { key, secret, client: app } = await makeKey(client, ["acp.agent"]);
    const path = `/sdk/acp/session/${await app.createSession()}/chat/stream`;
    const body = JSON.stringify({ message: "hi" });
    const headers = { "x-api-key": secret, expect: "100-continue", "content-length": body.length };
    const request = httpRequest(client.url + path, { method: "POST", headers });
    request.flushHeaders();
    await once(request, "continue");
    await client.send("DELETE", `/admin/keys/${key.id}`);
    const ending = new Promise<string>((resolve) => {
      request.on("error", () => resolve("cut"));
      request.on("response", (response) => {
        response.on("error", () => resolve("cut")).on("end", () => resolve("ended"));
        response.resume();
      });
    });
    request.end(body);
    expect(await ending).toBe("cut");
    expect(host.turns).toEqual([]);
  });

  it("[A61] a request whose connection is still being checked does nothing", async () => {
    const { peers, holdNext } = holdablePeers();
    const { client } = await serve({ peers });
    const { key, secret } = await makeKey(client, ["admin"]);
    const held = holdNext();
    const headers = { "x-api-key": secret, "content-type": "application/json" };
    const request = httpRequest(`${client.url}/sdk/acp/session`, { method: "POST", headers, agent: false });
    const ending = new Promise<unknown>((resolve) => {
      request.on("error", () => resolve("cut")).on("response", ({ statusCode }) => resolve(statusCode));
    });
    request.end(JSON.stringify({ agent_id: "shell" }));
    await held.begun;
    await client.send("DELETE", `/admin/keys/${key.id}`);
    held.release();
    expect(await ending).toBe("cut");
    expect((await client.send("GET", "/sdk/acp/sessions")).body["sessions"]).toEqual([]);
  });

  it("[A61] holds and cuts also where it cannot be written down", async () => {
    const meta = new FullMeta();
    const { client } = await serve({ meta, apps: { enabled: true } });
    const { key, client: app } = await makeKey(client, ["acp.agent"]);
    await client.send("POST", "/admin/apps/app-1/grant", { body: { permissions: ["acp.agent"] } });
    const byId = new ApiClient(client.url, "", { "x-app-id": "app-1" });
    const streams = [
      await app.stream(await app.createSession()),
      await byId.stream(await byId.createSession()),
    ];
    meta.isFull = true;
    const statuses = [
      (await client.send("DELETE", `/admin/keys/${key.id}`)).status,
      (await client.send("POST", "/admin/apps/app-1/deny")).status,
    ];
    expect(statuses).toEqual([500, 500]);
    for (const stream of streams) await expect(stream.rest()).rejects.toThrow("terminated");
    expect((await app.send("GET", "/sdk/acp/sessions")).status).toBe(401);
    expect((await byId.send("GET", "/sdk/acp/sessions")).status).toBe(401);
  });

  it("[A61] is answered also to a key that revokes itself", async () => {
    const { client } = await serve();
    const { key, client: self } = await makeKey(client, ["admin"]);
    expect((await self.send("DELETE", `/admin/keys/${key.id}`)).status).toBe(200);
    expect((await self.send("GET", "/admin/keys")).status).toBe(401);
  });

  it.each(["0123456789abcdef", "%00", "__proto__", "%zz", "x".repeat(1000)])(
    "[A61] %s is no key to revoke",
    async (id) => {
      const { client } = await serve();
      expect(await client.send("DELETE", `/admin/keys/${id}`)).toMatchObject({
        status: 404,
        body: { success: false, code: "NOT_FOUND" },
      });
    },
  );
});

describe("[A63] what a key may do", () => {
  it("[A63] every operation asks for its permission, and says which it is", async () => {
    const { client } = await serve();
    const permissions: Permission[] = ["acp.agent", "terminal"];
    for (const scope of permissions) {
      const { client: app } = await makeKey(client, [scope]);
      for (const { method, path, permission } of Object.values(OPERATIONS)) {
        const reply = await app.send(method, path.replaceAll(/\{\w+\}/g, "x"));
        if (permission === scope) {
          expect(reply.status).not.toBe(403);
          continue;
        }
        expect(reply).toMatchObject({ status: 403 });
        expect(reply.body).toEqual({
          success: false,
          error: "PERMISSION_REQUIRED",
          code: "PERMISSION_REQUIRED",
          permission,
          message: expect.stringContaining(permission) as string,
        });
      }
    }
  });

  it("[A63] admin allows everything", async () => {
    const { client } = await serve();
    const { client: admin } = await makeKey(client, ["admin"]);
    const second = await makeKey(admin, ["admin"]);
    expect((await second.client.send("GET", "/sdk/acp/sessions")).status).toBe(200);
    expect((await second.client.send("GET", "/admin/keys")).body["keys"]).toHaveLength(2);
  });

  it("[A63] keys are there also where agents are switched off", async () => {
    const { client, host } = await serve();
    host.acpEnabled = false;
    const { client: app } = await makeKey(client, ["acp.agent"]);
    expect(await app.send("GET", "/sdk/acp/sessions")).toMatchObject({ body: { code: "ACP_DISABLED" } });
    expect(await app.send("GET", "/admin/keys")).toMatchObject({ body: { code: "PERMISSION_REQUIRED" } });
  });
});

describe("[A76] the host learns the caller", () => {
  it("[A76] the owner, or the app by its key", async () => {
    const host = new AttentiveHost();
    const { client } = await serve({ host });
    const admin = await makeKey(client, ["admin"]);
    const app = await makeKey(client, ["acp.agent"], "planner");
    for (const each of [client, admin.client, app.client]) await each.send("GET", "/sdk/acp/sessions");
    expect(host.callers).toEqual([
      { kind: "owner" },
      { kind: "owner" },
      { kind: "app", appId: `key:${app.key.id}`, name: "planner", ceiling: { policy: "approve-reads" } },
    ]);
  });
});

describe("[A72] a key that is wrong", () => {
  it("[A72] is answered alike, whether there is a key of its id or not", async () => {
    const { client } = await serve();
    const { key, secret } = await makeKey(client, ["acp.agent"]);
    const { key: gone, secret: revoked } = await makeKey(client, ["acp.agent"]);
    await client.send("DELETE", `/admin/keys/${gone.id}`);
    const wrong = [
      `hf_${key.id}_${"A".repeat(43)}`,
      `hf_0123456789abcdef_${"A".repeat(43)}`,
      secret.toLowerCase(),
      revoked,
      "of another form altogether",
    ];
    const replies = await Promise.all(
      wrong.map((text) => new ApiClient(client.url, text).send("GET", "/sdk/ping")),
    );
    for (const { status, body, headers } of replies) {
      expect([status, body]).toEqual([401, replies[0]?.body]);
      expect(headers.get("www-authenticate")).toBe("Bearer");
    }
  });
});

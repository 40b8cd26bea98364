// Admission: the token, the addressed host, the page that asks.
import { MemoryMeta } from "@holdfast/core/testing";
import { describe, expect, it } from "vitest";
import { startServer } from "../server.ts";
import { sendRaw } from "../testing/api-client.ts";
import { serve } from "../testing/serving.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { formatAuthority, isLoopback } from "./address.ts";
import { OwnerToken } from "./authenticator.ts";

const refused = { status: 401, body: { success: false, code: "UNAUTHORIZED" } };

describe("[A10] the token", () => {
  it("[A10] is taken as x-api-key or as a bearer, whichever is right", async () => {
    const { server, token } = await serve();
    const get = (headers: Record<string, string>) => sendRaw(`${server.url}/sdk/acp/sessions`, headers);
    const accepted: Record<string, string>[] = [
      { "x-api-key": token },
      { authorization: `Bearer ${token}` },
      { authorization: `bearer  ${token}` },
      { "x-api-key": token, authorization: "Bearer of-another-making" },
      { "x-api-key": "of-another-making", authorization: `Bearer ${token}` },
    ];
    for (const headers of accepted) {
      expect(await get(headers)).toMatchObject({ status: 200 });
    }
  });

  it("[A10] without it there is only 401, in JSON, whatever the path", async () => {
    const { server, token } = await serve();
    const foreign: Record<string, string>[] = [
      {},
      { "x-api-key": "" },
      { "x-api-key": `${token}x` },
      { "x-api-key": token.slice(1) },
      { authorization: token },
      { authorization: `Basic ${token}` },
    ];
    for (const headers of foreign) {
      expect(await sendRaw(`${server.url}/sdk/acp/sessions`, headers)).toMatchObject(refused);
    }
    expect(await sendRaw(`${server.url}/nowhere`, {})).toMatchObject(refused);
    expect(await sendRaw(`${server.url}/sdk/acp/sessions?tkn=${token}`, {})).toMatchObject(refused);
  });

  it("[A10] is never empty", () => {
    expect(() => new OwnerToken("")).toThrow("empty");
  });
});

describe("[A11] the host that is meant", () => {
  it.each(["127.0.0.1:1", "localhost", "LOCALHOST:4747", "127.1.2.3:80", "[::1]:4747"])(
    "[A11] %s is this one",
    async (host) => {
      const { server } = await serve();
      expect(await sendRaw(`${server.url}/healthz`, { host })).toMatchObject({ status: 200 });
    },
  );

  it.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:4747",
    "10.0.0.1",
    "[::2]",
    "localhost/x",
    "a@localhost",
  ])("[A11] %s is not, with the token or without", async (host) => {
    const { server, token } = await serve();
    expect(await sendRaw(`${server.url}/healthz`, { host, "x-api-key": token })).toMatchObject({
      status: 403,
      body: { success: false, code: "HOST_NOT_ALLOWED" },
    });
  });
});

describe("[A12] the page that asks", () => {
  it("[A12] may be one that the host serves itself", async () => {
    const { server, token } = await serve();
    for (const origin of [server.url, `http://localhost:${server.port}`]) {
      const reply = await sendRaw(`${server.url}/sdk/ping`, { origin, "x-api-key": token });
      expect(reply).toMatchObject({ status: 200 });
    }
  });

  const foreign = [
    "http://evil.example",
    "null",
    "https://127.0.0.1",
    "http://127.0.0.1:1",
    "http://localhost.evil.example",
    "vscode-file://vscode-app",
  ];

  it.each(foreign)("[A12] may be of %s only with the token in its request", async (origin) => {
    const { server, token } = await serve();
    const get = (headers: Record<string, string>) =>
      sendRaw(`${server.url}/sdk/ping`, { origin, ...headers });
    expect(await get({ "x-api-key": token })).toMatchObject({ status: 200 });
    expect(await get({ authorization: `Bearer ${token}` })).toMatchObject({ status: 200 });
    expect(await get({ "x-api-key": "wrong" })).toMatchObject(refused);
    const withoutKey: Record<string, string>[] = [
      {},
      { "x-api-key": "" },
      { authorization: `Basic ${token}` },
    ];
    for (const headers of withoutKey) {
      expect(await get(headers)).toMatchObject({
        status: 403,
        body: { success: false, code: "ORIGIN_NOT_ALLOWED" },
      });
    }
  });

  it.each(["/healthz", "/readyz", "/sdk/auth/token", "/", "/nowhere"])(
    "[A12] finds %s closed from another origin without a right key, though anybody else may ask",
    async (path) => {
      const { server } = await serve({ webRoot: undefined });
      const origin = "http://evil.example";
      expect(await sendRaw(server.url + path, { origin })).toMatchObject({ status: 403 });
      expect(await sendRaw(server.url + path, { origin, "x-api-key": "wrong" })).toMatchObject({
        status: 401,
      });
    },
  );

  it("[A12] of another origin is not admitted by an app id, nor may it register one", async () => {
    const { server, client } = await serve({ apps: { enabled: true } });
    await client.send("POST", "/admin/apps/app-1/grant", { body: { permissions: ["acp.agent"] } });
    const page = { origin: "http://evil.example", "x-app-id": "app-1" };
    expect(await sendRaw(`${server.url}/sdk/acp/agents`, { "x-app-id": "app-1" })).toMatchObject({
      status: 200,
    });
    expect(await sendRaw(`${server.url}/sdk/acp/agents`, page)).toMatchObject({ status: 403 });
    const wrong = { ...page, "x-api-key": "wrong" };
    expect(await sendRaw(`${server.url}/sdk/register`, wrong, "POST")).toMatchObject({ status: 401 });
  });

  it("[A320] a preflight allows the headers that clients need, and never credentials", async () => {
    const { server } = await serve();
    const ask = (headers: Record<string, string>) =>
      fetch(`${server.url}/sdk/acp/sessions`, { method: "OPTIONS", headers });
    const reply = await ask({
      origin: "http://app.example",
      "access-control-request-method": "POST",
      "access-control-request-private-network": "true",
    });
    expect(reply.status).toBe(204);
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
    expect(reply.headers.get("access-control-allow-credentials")).toBeNull();
    expect(reply.headers.get("access-control-allow-private-network")).toBe("true");
    expect(reply.headers.get("access-control-allow-methods")?.split(", ")).toEqual(
      expect.arrayContaining(["DELETE", "GET", "PATCH", "POST"]),
    );
    const allowed = reply.headers.get("access-control-allow-headers")?.split(", ");
    expect(allowed).toEqual(
      expect.arrayContaining([
        "authorization",
        "x-api-key",
        "content-type",
        "last-event-id",
        "idempotency-key",
      ]),
    );
    expect(allowed).not.toContain("x-holdfast-page");
    // An OPTIONS that is no preflight, or that comes from the host's own page, is a request like others.
    expect((await ask({ origin: "http://app.example" })).status).toBe(403);
    expect((await ask({ origin: server.url, "access-control-request-method": "POST" })).status).toBe(401);
    const rebound = {
      origin: "http://evil.example",
      host: "evil.example",
      "access-control-request-method": "GET",
    };
    expect(await sendRaw(`${server.url}/sdk/ping`, rebound, "OPTIONS")).toMatchObject({ status: 403 });
  });

  it("[A320] what a page without a key is answered has no header that would let it read it", async () => {
    const { server, token } = await serve();
    const headersFor = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/sdk/ping`, { headers: { origin: "http://evil.example", ...headers } }))
        .headers;
    expect([...(await headersFor({})).keys()].filter((name) => name.startsWith("access-control"))).toEqual(
      [],
    );
    expect((await headersFor({ "x-api-key": token })).get("access-control-allow-origin")).toBe("*");
    expect((await headersFor({ "x-api-key": "wrong" })).get("access-control-allow-origin")).toBe("*");
    const own = await fetch(`${server.url}/sdk/ping`, {
      headers: { "x-api-key": token, origin: server.url },
    });
    expect(own.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("[A13] where it listens", () => {
  it.each(["0.0.0.0", "::", "192.168.0.1", "example.org", ""])("[A13] not on %j", async (host) => {
    const listen = { host, port: 0 };
    const options = { host: new FakeHost(), token: "t", log: () => {}, meta: new MemoryMeta(), listen };
    await expect(startServer(options)).rejects.toThrow("listens on this machine only");
  });

  it("[A13] loopback addresses are known in every form", () => {
    expect(["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost"].every(isLoopback)).toBe(true);
    expect(["127.example.org", "::", "::2", "1.127.0.0"].some(isLoopback)).toBe(false);
    expect(formatAuthority("::1", 80)).toBe("[::1]:80");
    expect(formatAuthority("127.0.0.1", 80)).toBe("127.0.0.1:80");
  });
});

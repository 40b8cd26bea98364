// Admission: what each caller learns, odd and endless headers, repeated failures, and addresses beyond this machine.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ApiClient, sendRaw } from "../testing/api-client.ts";
import { serve } from "../testing/serving.ts";

describe("[A68] the token that clients ask for", () => {
  it("[A68] is not there for those who show nothing, or something wrong", async () => {
    const { server } = await serve();
    const strangers: Record<string, string>[] = [{}, { "x-api-key": "wrong" }, { "x-app-id": "app-1" }];
    for (const headers of strangers) {
      expect(await sendRaw(`${server.url}/sdk/auth/token`, headers)).toMatchObject({
        status: 404,
        body: { success: false, code: "NOT_FOUND" },
      });
    }
  });

  it("[A68] is empty for others, which continue with the credential they have", async () => {
    const { client } = await serve();
    const { status, body } = await client.send("GET", "/sdk/auth/token");
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, token: "", hasToken: false, syncedAt: null, source: null });
    const headers = { authorization: `Bearer ${String(body["token"])}` };
    expect((await client.send("GET", "/sdk/acp/sessions", { headers })).status).toBe(200);
  });

  it("[A68] is no way to try keys without limits", async () => {
    const { server } = await serve();
    const statuses: unknown[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      statuses.push(
        (await sendRaw(`${server.url}/sdk/auth/token`, { "x-api-key": `guess-${attempt}` })).status,
      );
    }
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 404));
    expect(statuses.at(-1)).toBe(429);
  });
});

describe("[A69] what a caller learns about itself", () => {
  it("[A69] a ping names the app, and how it came in", async () => {
    const { client, server } = await serve({ apps: { enabled: true } });
    const ping = await client.send("GET", "/sdk/ping");
    expect(ping.body).toMatchObject({ success: true, message: "pong", mode: "development" });
    expect(ping.body).not.toHaveProperty("appId");
    await client.send("POST", "/admin/apps/app-1/grant", { body: { permissions: ["acp.agent"] } });
    const reply = await sendRaw(`${server.url}/sdk/ping`, { "x-app-id": "app-1" });
    expect(reply.body).toMatchObject({ mode: "production", appId: "app-1" });
    expect(Date.parse(String(reply.body["timestamp"]))).not.toBeNaN();
  });

  it("[A69] each has its own folder, where there is a place for it", async () => {
    const appDataFolder = mkdtempSync(path.join(tmpdir(), "holdfast-apps-"));
    onTestFinished(() => rmSync(appDataFolder, { recursive: true }));
    const { client, server } = await serve({ appDataFolder, apps: { enabled: true } });
    const folderOf = async (headers: Record<string, string>) =>
      String((await sendRaw(`${server.url}/sdk/local-apps/data-dir`, headers)).body["dataDir"]);
    const folders = [String((await client.send("GET", "/sdk/local-apps/data-dir")).body["dataDir"])];
    for (const id of ["app-1", "APP-1", "..", "a..b"]) {
      const body = { permissions: ["acp.agent"] };
      const { status } = await client.send("POST", `/admin/apps/${encodeURIComponent(id)}/grant`, { body });
      if (status === 200) folders.push(await folderOf({ "x-app-id": id }));
    }
    expect(new Set(folders.map((folder) => folder.toLowerCase())).size).toBe(4);
    for (const folder of folders) {
      expect(path.dirname(folder)).toBe(appDataFolder);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
    await client.send("POST", "/sdk/register", { body: { app_id: "waiting" } });
    expect(await sendRaw(`${server.url}/sdk/local-apps/data-dir`, { "x-app-id": "waiting" })).toMatchObject({
      status: 403,
      body: { code: "PERMISSION_REQUIRED" },
    });
  });

  it("[A69] and none where there is not", async () => {
    const { client } = await serve();
    expect(await client.send("GET", "/sdk/local-apps/data-dir")).toMatchObject({ status: 404 });
  });
});

describe("[A70] failures", () => {
  it("[A70] too many must wait, and a caller with the right key need not", async () => {
    const { server, client } = await serve();
    const wrong = new ApiClient(server.url, "wrong");
    const codes: unknown[] = [];
    let waitSeconds: string | null = null;
    for (let attempt = 0; attempt < 13; attempt += 1) {
      const { status, body, headers } = await wrong.send("GET", "/sdk/ping");
      codes.push(`${status} ${String(body["code"])}`);
      waitSeconds = headers.get("retry-after");
      expect((await client.send("GET", "/sdk/ping")).status).toBe(200);
    }
    expect(codes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => "401 UNAUTHORIZED"));
    expect(codes.at(-1)).toBe("429 RATE_LIMITED");
    expect(waitSeconds).toBe("1");
  });

  it("[A70] a caller that sends nothing has not failed", async () => {
    const { server } = await serve();
    for (let attempt = 0; attempt < 30; attempt += 1) {
      expect((await sendRaw(`${server.url}/sdk/ping`, {})).status).toBe(401);
    }
  });

  it("[A70] app ids that are unknown count, those that are known do not", async () => {
    const { server, client } = await serve({ apps: { enabled: true } });
    await client.send("POST", "/admin/apps/app-1/grant", { body: { permissions: ["acp.agent"] } });
    const statuses = new Set<unknown>();
    for (let attempt = 0; attempt < 13; attempt += 1) {
      statuses.add((await sendRaw(`${server.url}/sdk/ping`, { "x-app-id": `guess-${attempt}` })).status);
      expect((await sendRaw(`${server.url}/sdk/ping`, { "x-app-id": "app-1" })).status).toBe(200);
    }
    expect(statuses).toEqual(new Set([401, 429]));
  });
});

describe("[A73] headers that are odd", () => {
  const odd = [
    "%",
    "%00",
    "%zz%E0%A4",
    "%2e%2e%2f",
    "__proto__",
    "constructor",
    "é".repeat(20),
    "\t",
    "a, b",
  ];

  it.each(odd)("[A73] %j lets nobody in, and breaks nothing", async (value) => {
    const { server, client, lines } = await serve({ apps: { enabled: true } });
    const url = `${server.url}/sdk/acp/sessions`;
    const tries: Record<string, string>[] = [
      { "x-api-key": value },
      { authorization: value },
      { authorization: `Bearer ${value}` },
      { "x-app-id": value },
    ];
    for (const headers of tries) {
      expect(await sendRaw(url, headers)).toMatchObject({ status: 401, body: { success: false } });
    }
    expect((await client.send("GET", "/sdk/acp/sessions")).status).toBe(200);
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it.each(["x-api-key", "authorization", "x-app-id", "cookie"])(
    "[A73] a megabyte of %s is refused before it is looked at",
    async (name) => {
      const { server, client } = await serve();
      const text = `GET /sdk/ping HTTP/1.1\r\nhost: localhost\r\n${name}: ${"x".repeat(1024 * 1024)}\r\n\r\n`;
      const answer = await exchange(server.port, text);
      expect(answer).toMatch(/^HTTP\/1.1 431 /);
      expect(answer).toContain('"code":"INVALID_REQUEST"');
      expect((await client.send("GET", "/sdk/ping")).status).toBe(200);
    },
  );
});

describe("[A81] very many headers", () => {
  it("[A81] are all looked at: those that a proxy adds come last", async () => {
    const { server, client } = await serve({ apps: { enabled: true } });
    await client.send("POST", "/admin/apps/app-1/grant", { body: { permissions: ["acp.agent"] } });
    const ask = (last: string): Promise<string> =>
      exchange(
        server.port,
        `GET /sdk/ping HTTP/1.1\r\nhost: localhost\r\nx-app-id: app-1\r\n${"a:\r\n".repeat(3000)}${last}connection: close\r\n\r\n`,
      );
    expect(await ask("")).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask("x-forwarded-for: 192.0.2.1\r\n")).toMatch(/^HTTP\/1.1 401 /);
  });
});

describe("[A74] requests that do not arrive", () => {
  const arrival = { headersMs: 100, requestMs: 200, checkEveryMs: 20 };

  it.each([
    ["headers", "GET /sdk/ping HTTP/1.1\r\nhost: localhost\r\nx-api-"],
    ["a body", "POST /sdk/register HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n{"],
  ])("[A74] %s without end are given up, in JSON", async (_what, text) => {
    const { server } = await serve({ arrival });
    const answer = await exchange(server.port, text, { isHalfOpen: true });
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toContain('"code":"INVALID_REQUEST"');
  });
});

describe("[A77] beyond this machine", () => {
  const listen = { host: "0.0.0.0", port: 0, allowRemote: true, allowedHosts: ["Box.example", "[fd00::7]"] };

  it("[A77] is listened only when that was said, and said in the log", async () => {
    await expect(serve({ listen: { host: "0.0.0.0", port: 0 } })).rejects.toThrow("listen.allowRemote");
    await expect(serve({ listen: { ...listen, allowRemote: false } })).rejects.toThrow("this machine only");
    const { lines, server } = await serve({ listen });
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(lines).toMatchObject([{ level: "warn" }]);
    expect((await serve()).lines).toEqual([]);
  });

  it.each([
    ["box.example:80", 200],
    ["BOX.example", 200],
    ["[fd00::7]:4747", 200],
    ["localhost", 200],
    ["0.0.0.0:80", 403],
    ["other.example", 403],
    ["box.example.evil.example", 403],
    ["10.9.8.7", 403],
  ])("[A77] %s is answered with %i", async (host, status) => {
    const { server, token } = await serve({ listen });
    const url = `http://127.0.0.1:${server.port}/sdk/ping`;
    expect((await sendRaw(url, { host, "x-api-key": token })).status).toBe(status);
  });

  it.each([
    ["https://box.example", 200],
    ["http://box.example", 200],
    ["http://box.example:8080", 403],
    ["http://localhost", 403],
    ["https://evil.example", 403],
  ])("[A77] a page of %s gets %i from box.example", async (origin, status) => {
    const { server, token } = await serve({ listen });
    const url = `http://127.0.0.1:${server.port}`;
    const page = { host: "box.example", origin };
    expect((await sendRaw(`${url}/healthz`, page)).status).toBe(status);
    expect((await sendRaw(`${url}/sdk/ping`, { ...page, "x-api-key": token })).status).toBe(200);
  });

  const outside = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

  it.skipIf(outside === undefined)(
    "[A77] through the machine's own address a key is needed, and app ids are none",
    async () => {
      const { server, token, client } = await serve({ listen, apps: { enabled: true } });
      await client.send("POST", "/admin/apps/app-1/grant", { body: { permissions: ["acp.agent"] } });
      const url = `http://${outside}:${server.port}`;
      expect((await sendRaw(`${url}/sdk/ping`, { "x-api-key": token })).status).toBe(200);
      const nobody: Record<string, string>[] = [{}, { "x-app-id": "app-1" }];
      for (const headers of nobody) {
        expect(await sendRaw(`${url}/sdk/ping`, headers)).toMatchObject({
          status: 401,
          body: { code: "UNAUTHORIZED" },
        });
      }
      const app = new ApiClient(url, "");
      for (const route of ["/sdk/register", "/api/local-apps/request-permission"]) {
        const body = { app_id: "app-2", permissions: [], permission: "acp.agent" };
        expect((await app.send("POST", route, { body })).status).toBe(401);
      }
    },
  );
});

/** Sends bytes and gives everything that comes back. */
function exchange(port: number, text: string, { isHalfOpen = false } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect({ host: "127.0.0.1", port })
      .on("data", (chunk) => {
        answer += String(chunk);
      })
      .on("end", () => resolve(answer))
      .on("error", (error: NodeJS.ErrnoException) => {
        // The server does not read the rest after a refusal; the response sent before that counts.
        if (answer === "") reject(error);
        else resolve(answer);
      });
    if (isHalfOpen) socket.write(text);
    else socket.end(text);
  });
}

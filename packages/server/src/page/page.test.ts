// The page over HTTP: what is served to whom, and what its cookie is good for.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { ApiClient } from "../testing/api-client.ts";
import { serve, type Serving } from "../testing/serving.ts";

const script = `export const text = ${JSON.stringify("long enough to be packed ".repeat(20))};\n`;

function makeWebRoot(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, "assets"));
  writeFileSync(path.join(folder, "index.html"), "<!doctype html><title>Page</title>");
  writeFileSync(path.join(folder, "assets", "main-12345678.js"), script);
  writeFileSync(path.join(folder, "assets", "icon-12345678.svg"), "<svg/>");
  writeFileSync(path.join(folder, "secret.txt"), "not for anybody");
  return folder;
}

async function servePage(): Promise<Serving & { readonly folder: string }> {
  const folder = makeWebRoot();
  return { ...(await serve({ webRoot: folder })), folder };
}

function get(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { redirect: "manual", headers });
}

/** The cookie that a browser would send after it opened the address with the token. */
async function cookieOf({ server, token }: Serving): Promise<string> {
  const reply = await get(`${server.url}/?tkn=${token}`);
  return (reply.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
}

describe("[Z1] the page's files", () => {
  it("[Z1] have their types, the hashed ones are kept forever, and the first one is asked for again", async () => {
    const serving = await servePage();
    const { url } = serving.server;
    const page = await get(`${url}/`, { cookie: await cookieOf(serving) });
    expect([page.status, page.headers.get("content-type"), page.headers.get("cache-control")]).toEqual([
      200,
      "text/html; charset=utf-8",
      "no-cache",
    ]);
    expect(await page.text()).toContain("<title>Page</title>");
    const main = await get(`${url}/assets/main-12345678.js`);
    expect([main.status, main.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(main.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect((await get(`${url}/assets/icon-12345678.svg`)).headers.get("content-type")).toBe("image/svg+xml");
  });

  it("[Z1] are compressed for clients that can decompress them", async () => {
    const { server } = await servePage();
    const address = `${server.url}/assets/main-12345678.js`;
    const plain = await get(address, { "accept-encoding": "identity" });
    expect([plain.headers.get("content-encoding"), await plain.text()]).toEqual([null, script]);
    const packed = await rawBody(address);
    expect(packed.length).toBeLessThan(script.length);
    expect(gunzipSync(packed).toString()).toBe(script);
  });

  it.each([
    "/assets/..%2fsecret.txt",
    "/assets/../secret.txt",
    "/assets/nothing.js",
    "/assets/%2e%2e/secret.txt",
  ])("[Z1] %s leads to nothing", async (address) => {
    const { server } = await servePage();
    const reply = await get(server.url + address);
    expect([401, 404]).toContain(reply.status);
    expect(await reply.text()).not.toContain("not for anybody");
  });

  it("[Z1] a file that is gone is not found, and is there again when it is", async () => {
    const { server, folder } = await servePage();
    const file = path.join(folder, "assets", "main-12345678.js");
    rmSync(file);
    expect((await get(`${server.url}/assets/main-12345678.js`)).status).toBe(404);
    writeFileSync(file, script);
    expect((await get(`${server.url}/assets/main-12345678.js`)).status).toBe(200);
  });

  it("[Z1] without a folder there is no page", async () => {
    const { server } = await serve();
    expect((await get(`${server.url}/`)).status).toBe(401);
  });
});

describe("[Z2] the page's rules", () => {
  it("[Z2] let it run no script but its own files, speak to nobody but its host, and stand in nobody's frame", async () => {
    const serving = await servePage();
    const { url } = serving.server;
    for (const reply of [await get(`${url}/`), await get(`${url}/`, { cookie: await cookieOf(serving) })]) {
      const policy = reply.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("connect-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });
});

describe("[Z3] the token", () => {
  it("[Z3] becomes a cookie that scripts and other sites do not get, and leaves the address", async () => {
    const { server, token } = await servePage();
    const reply = await get(`${server.url}/?tkn=${token}`);
    expect([reply.status, reply.headers.get("location")]).toEqual([303, "/"]);
    const cookie = reply.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(new RegExp(`^holdfast-${server.port}=`));
    expect(cookie).toContain("HttpOnly");
    expect(cookie).toContain("SameSite=Strict");
    expect(cookie).not.toContain(token);
    expect(reply.headers.get("cache-control")).toBe("no-store");
  });

  it("[Z3] that is wrong gives no cookie, and counts as a failure", async () => {
    const { server } = await servePage();
    const reply = await get(`${server.url}/?tkn=something-else`);
    expect([reply.status, reply.headers.get("set-cookie")]).toEqual([401, null]);
    expect(await reply.text()).toContain("This is not the host's token.");
  });

  it("[Z3] can be sent by the form as well", async () => {
    const { server, token } = await servePage();
    const body = new URLSearchParams({ tkn: token });
    const reply = await fetch(`${server.url}/`, { method: "POST", body, redirect: "manual" });
    expect([reply.status, reply.headers.get("location")]).toEqual([303, "/"]);
    const long = new URLSearchParams({ tkn: "x".repeat(10_000) });
    expect((await fetch(`${server.url}/`, { method: "POST", body: long })).status).toBe(400);
  });

  it("[Z3] of a key opens the API and not the page", async () => {
    const { server, client } = await servePage();
    const { body } = await client.send("POST", "/admin/keys", { body: { name: "k", scopes: ["acp.agent"] } });
    const reply = await get(`${server.url}/?tkn=${String(body["secret"])}`);
    expect([reply.status, reply.headers.get("set-cookie")]).toEqual([403, null]);
  });
});

describe("[Z620] a link", () => {
  const origin = (serving: Serving): Record<string, string> => ({ origin: serving.server.url });

  it("[Z620] signs one browser in, once; looking at it does not use it up", async () => {
    const serving = await servePage();
    const link = serving.server.signInUrl();
    expect((await fetch(link, { method: "HEAD", redirect: "manual" })).headers.get("set-cookie")).toBeNull();
    const reply = await get(link);
    expect([reply.status, reply.headers.get("location")]).toEqual([303, "/"]);
    const [cookie = ""] = (reply.headers.get("set-cookie") ?? "").split(";", 1);
    expect((await get(`${serving.server.url}/sdk/ping`, { cookie, ...origin(serving) })).status).toBe(200);
    const again = await get(link);
    expect([again.status, again.headers.get("set-cookie")]).toEqual([401, null]);
    expect(await again.text()).toContain("holdfast open");
    // The browser itself may ask twice: it looks ahead.
    const ahead = await get(link, { cookie });
    expect([ahead.status, ahead.headers.get("set-cookie")]).toEqual([303, null]);
    expect((await get(`${serving.server.url}/?ticket=never-was-one`)).status).toBe(401);
  });

  it("[Z620] is made by the owner alone, opens no WebSocket, and is void when its key is revoked", async () => {
    const { server, client } = await servePage();
    const keyFor = async (scope: string): Promise<{ id: string; api: ApiClient }> => {
      const { body } = await client.send("POST", "/admin/keys", { body: { name: "k", scopes: [scope] } });
      const { id } = body["key"] as { id: string };
      return { id, api: new ApiClient(server.url, String(body["secret"])) };
    };
    expect((await (await keyFor("acp.agent")).api.send("POST", "/admin/sign-in-links")).status).toBe(403);
    const admin = await keyFor("admin");
    const { body } = await admin.api.send("POST", "/admin/sign-in-links");
    const link = String(body["path"]);
    expect(await socketStatus(`${server.url.replace("http", "ws")}/ahp${link}`, {})).toBe(401);
    await client.send("DELETE", `/admin/keys/${admin.id}`);
    expect((await get(server.url + link)).status).toBe(401);
  });
});

describe("[Z621] a sign-in", () => {
  it("[Z621] [Z936] is listed with its device, marked for the browser that asks, audited, and ends at once when it is revoked or signed out", async () => {
    const entries: string[] = [];
    const audit = {
      record: ({
        what,
        subject,
        outcome = "",
      }: {
        what: string;
        subject: string;
        outcome?: string | undefined;
      }) => void entries.push(`${what} ${subject.replace(/^\S{16} /, "")} ${outcome}`.trim()),
    };
    const serving = { ...(await serve({ webRoot: makeWebRoot(), audit })), folder: "" };
    const { server, client } = serving;
    const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    const reply = await get(server.signInUrl(), { "user-agent": agent });
    const [cookie = ""] = (reply.headers.get("set-cookie") ?? "").split(";", 1);
    const other = await cookieOf(serving);
    const statusOf = async (each: string): Promise<number> =>
      (await get(`${server.url}/sdk/ping`, { cookie: each, origin: server.url })).status;
    expect([await statusOf(cookie), await statusOf(other)]).toEqual([200, 200]);
    const list = async (): Promise<{ id: string; device: string }[]> =>
      (await client.send("GET", "/admin/sign-ins")).body["signIns"] as { id: string; device: string }[];
    const asBrowser = await get(`${server.url}/admin/sign-ins`, { cookie, origin: server.url });
    const firefox = (await list()).find(({ device }) => device === "Firefox on Linux");
    expect(await list()).toHaveLength(2);
    expect(await asBrowser.json()).toMatchObject({ current: firefox?.id });
    expect((await client.send("GET", "/admin/sign-ins")).body["current"]).toBeUndefined();
    expect((await client.send("DELETE", `/admin/sign-ins/${firefox?.id}`)).status).toBe(200);
    expect((await client.send("DELETE", `/admin/sign-ins/${firefox?.id}`)).status).toBe(404);
    expect([await statusOf(cookie), await statusOf(other)]).toEqual([401, 200]);
    const leave = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${server.url}/sign-out`, { method: "POST", redirect: "manual", headers });
    expect((await leave({ cookie: other })).status).toBe(401);
    expect((await leave({ cookie: other, origin: "http://127.0.0.1:9" })).status).toBe(403);
    const left = await leave({ cookie: other, origin: server.url });
    expect([left.status, left.headers.get("set-cookie")]).toEqual([
      303,
      expect.stringContaining("Max-Age=0"),
    ]);
    expect([await statusOf(other), await list()]).toEqual([401, []]);
    // Requests with a sign-in that has ended are recorded, too.
    expect(entries.map((entry) => entry.replace(/: .*$/, ""))).toEqual([
      "sign-in Firefox on Linux",
      "sign-in Another program",
      "sign-in Firefox on Linux revoked",
      "refusal GET /sdk/ping from 127.0.0.1 UNAUTHORIZED",
      "refusal POST /sign-out from 127.0.0.1 UNAUTHORIZED",
      "refusal POST /sign-out from 127.0.0.1 ORIGIN_NOT_ALLOWED",
      "sign-in Another program signed out",
      "refusal GET /sdk/ping from 127.0.0.1 UNAUTHORIZED",
    ]);
  });

  it("[A626] is not made for an agent's process", async () => {
    const peers = {
      findSocket: async () => ({ uid: 0, inode: "1" }),
      findProcess: async () => ({ pid: 1, command: "curl", markers: [], isOfHelper: true }),
    };
    const { server, token } = await serve({ webRoot: makeWebRoot(), peers });
    for (const address of [server.signInUrl(), `${server.url}/?tkn=${token}`]) {
      const reply = await get(address);
      expect([reply.status, reply.headers.get("set-cookie")]).toEqual([403, null]);
    }
  });
});

describe("[Z4] the cookie", () => {
  const agents = "/sdk/acp/agents";

  it("[Z4] counts for requests that name their origin or bear the page's mark, and for no others", async () => {
    const serving = await servePage();
    const { url } = serving.server;
    const cookie = await cookieOf(serving);
    const statusWith = async (headers: Record<string, string>): Promise<number> =>
      (await get(url + agents, headers)).status;
    expect(await statusWith({ cookie, origin: url })).toBe(200);
    expect(await statusWith({ cookie, "x-holdfast-page": "1" })).toBe(200);
    expect(await statusWith({ cookie })).toBe(401);
    expect(await statusWith({ cookie, origin: "http://127.0.0.1:9" })).toBe(403);
    expect(await statusWith({ origin: url })).toBe(401);
    expect(await statusWith({ cookie: `${cookie}x`, origin: url })).toBe(401);
  });

  it("[Z4] gives way to a key that is sent with it", async () => {
    const serving = await servePage();
    const { url } = serving.server;
    const cookie = await cookieOf(serving);
    expect((await get(url + agents, { cookie, origin: url, "x-api-key": "wrong" })).status).toBe(401);
  });

  it("[Z4] of one host is none of another's, whatever their ports", async () => {
    const serving = await servePage();
    const { server: other } = await serve({ webRoot: makeWebRoot(), token: "another-hosts-token" });
    const cookie = (await cookieOf(serving)).replace(/^holdfast-\d+/, `holdfast-${other.port}`);
    expect((await get(other.url + agents, { cookie, origin: other.url })).status).toBe(401);
  });

  it("[Z4] is not asked of a WebSocket that does not come from the page", async () => {
    const serving = await servePage();
    const cookie = await cookieOf(serving);
    const address = `${serving.server.url.replace("http", "ws")}/ahp`;
    expect(await socketStatus(address, { cookie })).toBe(401);
    expect(await socketStatus(address, { cookie, origin: "http://127.0.0.1:9" })).toBe(403);
    // Admitted, but this fake host does not speak AHP.
    expect(await socketStatus(address, { cookie, origin: serving.server.url })).not.toBe(401);
  });
});

/** The status with which a WebSocket is refused, or 101. */
function socketStatus(address: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, { headers });
    socket.once("open", () => {
      socket.terminate();
      resolve(101);
    });
    socket.once("unexpected-response", (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.once("error", reject);
  });
}

/** The body as it comes over the wire: `fetch` would unpack it. */
async function rawBody(address: string): Promise<Buffer> {
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    const asking = request(address, { headers: { "accept-encoding": "gzip" } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("end", () => resolve(Buffer.concat(chunks)));
    });
    asking.once("error", reject).end();
  });
}

// Pages of other origins in a real browser: everything with the token, nothing without it.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { describePage, openPage, sharePage } from "./page-test.ts";
import { whenConnected } from "./page-walk.ts";

/** Log lines of the browser for refused requests. */
const refusals = /Failed to load resource|blocked by CORS|ERR_|WebSocket connection to/;

/** Response to a page's script; `failure` when the browser withheld it. */
interface Fetched {
  readonly status?: number;
  readonly text?: string;
  readonly turnId?: string | null;
  readonly failure?: string;
}

describePage("[A12] a page of another origin", () => {
  let host: TestedHost;
  let elsewhere: Server;
  let origin: string;

  beforeAll(async () => {
    host = await startHostInProcess({ config: { apps: { enabled: true } } });
    elsewhere = createServer((_request, response) => {
      response.setHeader("content-type", "text/html").end("<!doctype html><title>Elsewhere</title>");
    });
    await new Promise<void>((resolve) => {
      elsewhere.listen(0, "127.0.0.1", resolve);
    });
    origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    elsewhere?.close();
    await host?.close();
  });

  it("[A320] with the token uses the API, its streams and its errors", async () => {
    const { page } = await sharePage(origin, { expectedFaults: refusals });
    const headers = { authorization: `Bearer ${host.token}`, "content-type": "application/json" };
    const created = await fetchIn(page, `${host.url}/sdk/acp/session`, {
      method: "POST",
      headers: { ...headers, "x-app-id": "web" },
      body: JSON.stringify({ agent_id: "shell", cwd: host.project, approvalPolicy: "approve-all" }),
    });
    expect(created.status).toBe(200);
    const { session } = JSON.parse(created.text ?? "") as { session: { session_key: string } };
    const at = `${host.url}/sdk/acp/session/${encodeURIComponent(session.session_key)}`;
    const streamed = await fetchIn(page, `${at}/chat/stream`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": "once" },
      body: JSON.stringify({ message: "echo hi" }),
    });
    expect(streamed).toMatchObject({ status: 200, turnId: expect.any(String) });
    expect(streamed.text).toContain("event: close");
    const replayed = await fetchIn(page, `${at}/events?turn_id=${streamed.turnId}`, {
      headers: { ...headers, "last-event-id": "0" },
    });
    expect(replayed.text).toContain("event: close");
    expect(await fetchIn(page, at, { method: "DELETE", headers })).toMatchObject({ status: 200 });
    expect(await fetchIn(page, at, { headers: { "x-api-key": "wrong" } })).toMatchObject({
      status: 401,
      text: expect.stringContaining("UNAUTHORIZED"),
    });
  });

  it("[E320] with the token opens a WebSocket, by its address or a subprotocol", async () => {
    const { page } = await sharePage(origin, { expectedFaults: refusals });
    const address = host.url.replace("http", "ws");
    expect(await socketIn(page, `${address}/ahp?tkn=${host.token}`)).toBe("open");
    expect(await socketIn(page, address, [`holdfast.token.${host.token}`])).toBe("open");
  });

  it("[A12] without it reads and does nothing, though the browser has the host's cookie", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`, {
      expectedFaults: refusals,
    });
    await whenConnected(page);
    const before = await listed();
    await page.goto(origin);
    const wish = JSON.stringify({ app_id: "sneaky", permissions: ["acp.agent"] });
    const start = JSON.stringify({ agent_id: "shell", cwd: host.project });
    const attempts: [path: string, init: RequestInit][] = [
      ["/healthz", {}],
      ["/sdk/acp/sessions", { credentials: "include" }],
      ["/sdk/acp/sessions", { credentials: "include", headers: { "x-holdfast-page": "1" } }],
      ["/sdk/acp/session", { method: "POST", credentials: "include", body: start }],
      [
        "/sdk/acp/session",
        { method: "POST", credentials: "include", body: start, headers: { "x-api-key": "x" } },
      ],
      ["/sdk/register", { method: "POST", body: wish, headers: { "content-type": "application/json" } }],
      ["/sdk/register", { method: "POST", body: wish, headers: { "x-api-key": "x" } }],
      ["/admin/keys", { credentials: "include", headers: { authorization: "Bearer x" } }],
    ];
    for (const [path, init] of attempts) {
      const fetched = await fetchIn(page, host.url + path, init);
      const isWrongKey = fetched.status === 401 && (fetched.text ?? "").includes("UNAUTHORIZED");
      expect(isWrongKey || fetched.failure !== undefined, `${path} ${JSON.stringify(fetched)}`).toBe(true);
    }
    // Sent without asking first; the response is hidden either way, so what counts is that nothing was done.
    for (const path of ["/sdk/acp/session", "/sdk/register", "/"]) {
      const body = path === "/sdk/acp/session" ? start : wish;
      await fetchIn(page, host.url + path, { method: "POST", mode: "no-cors", credentials: "include", body });
    }
    const address = host.url.replace("http", "ws");
    expect(await socketIn(page, `${address}/ahp`)).toBe("refused");
    expect(await socketIn(page, `${address}/ahp?tkn=wrong`)).toBe("refused");
    expect(await listed()).toEqual(before);
  });

  async function listed(): Promise<unknown> {
    const headers = { "x-api-key": host.token };
    const read = async (path: string): Promise<unknown> => (await fetch(host.url + path, { headers })).json();
    return [await read("/sdk/acp/sessions"), await read("/admin/apps"), await read("/admin/keys")];
  }
});

function fetchIn(page: Page, url: string, init: RequestInit): Promise<Fetched> {
  return page.evaluate(
    async ([address, options]): Promise<Fetched> => {
      try {
        const response = await fetch(address, options);
        const turnId = response.headers.get("x-holdfast-turn-id");
        return { status: response.status, text: await response.text(), turnId };
      } catch (error) {
        return { failure: String(error) };
      }
    },
    [url, init] as const,
  );
}

function socketIn(page: Page, url: string, protocols: string[] = []): Promise<string> {
  return page.evaluate(
    ([address, offered]) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(address, [...offered]);
        socket.addEventListener("open", () => {
          socket.close();
          resolve("open");
        });
        socket.addEventListener("error", () => resolve("refused"));
      }),
    [url, protocols] as const,
  );
}

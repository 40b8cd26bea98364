// Whether the host lives and takes work, as anybody may ask.
import { describe, expect, it, onTestFinished } from "vitest";
import { openAccess } from "../auth/access.ts";
import { serve } from "../testing/serving.ts";
import { SmallHost } from "../testing/small-host.ts";
import { openWatch } from "../watch.ts";
import { createApp } from "./app.ts";
import type { Readiness } from "./health.ts";
import { OpenStreams } from "./open-streams.ts";

describe("[O6] health and readiness", () => {
  it("[O6] are told without a key, and only on request", async () => {
    const { client, server } = await serve();
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { success: true, status: "ready" }]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const refused = await client.send("POST", "/readyz");
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET"]);
  });

  it("[O6] a host that lives may not be ready; it says why, and that it is again", async () => {
    let readiness: Readiness = { ready: false, reason: "What is kept cannot be written." };
    const { server } = await serve({ isReady: () => readiness });
    const busy = await fetch(`${server.url}/readyz`);
    expect([busy.status, await busy.json()]).toEqual([
      503,
      { success: false, code: "HOST_NOT_READY", error: "What is kept cannot be written." },
    ]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    readiness = { ready: true };
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  it("[O6] are kept from pages of other origins and from other hosts' names", async () => {
    const { server } = await serve();
    const reply = await fetch(`${server.url}/readyz`, { headers: { origin: "http://example.org" } });
    expect([reply.status, await reply.json()]).toMatchObject([403, { code: "ORIGIN_NOT_ALLOWED" }]);
  });

  it("[O6] a host that stops is not ready, whatever else it says", async () => {
    const host = new SmallHost();
    const log = (): void => {};
    const access = openAccess({ token: "t", log });
    const streams = new OpenStreams();
    const watch = openWatch({ host, log, access, streams });
    onTestFinished(() => watch.close());
    const app = createApp({
      host,
      log,
      access,
      streams,
      watch,
      version: "0.0.0",
      heartbeatMs: 1000,
      clients: () => [],
      isStopping: () => true,
      isReady: () => ({ ready: true }),
    });
    const response = await app.request("/readyz", { headers: { host: "localhost" } });
    expect([response.status, await response.json()]).toMatchObject([503, { code: "HOST_STOPPING" }]);
  });
});

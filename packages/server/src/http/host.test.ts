// Requests about the host: health, audit and stopping.
import { MemoryMeta } from "@holdfast/core/testing";
import { type AuditRecord, OPERATIONS } from "@holdfast/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { openAccess } from "../auth/access.ts";
import { Refusals } from "../auth/refusals.ts";
import { ApiClient } from "../testing/api-client.ts";
import { serve } from "../testing/serving.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { openWatch } from "../watch.ts";
import { createApp } from "./app.ts";
import type { Readiness } from "./host.ts";
import { OpenStreams } from "./open-streams.ts";

describe("[O6] health and readiness", () => {
  it("[O6] need no key, and are only there on request", async () => {
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

  it("[V687] a policy file that cannot be used is reported by a host that is ready", async () => {
    const { server } = await serve({ isReady: () => ({ ready: true, policy: "broken" }) });
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { success: true, status: "ready", policy: "broken" },
    ]);
  });

  it("[V646] readiness names the isolation of sessions", async () => {
    const isolation = { level: "guard", backend: "landlock" };
    const { server } = await serve({ isReady: () => ({ ready: true, isolation }) });
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({
      success: true,
      status: "ready",
      isolation,
    });
  });

  it("[O6] are kept from pages of other origins and from other hosts' names", async () => {
    const { server } = await serve();
    const reply = await fetch(`${server.url}/readyz`, { headers: { origin: "http://example.org" } });
    expect([reply.status, await reply.json()]).toMatchObject([403, { code: "ORIGIN_NOT_ALLOWED" }]);
  });

  it("[O6] a host that stops is not ready, whatever else it says", async () => {
    const host = new FakeHost();
    const log = (): void => {};
    const meta = new MemoryMeta();
    const access = openAccess({ token: "t", log, meta });
    const streams = new OpenStreams();
    const watch = openWatch({ host, log, meta, access, streams });
    onTestFinished(() => watch.close());
    const app = createApp({
      host,
      log,
      audit: { record: log },
      refusals: new Refusals({ record: log }, log),
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

it("[A220] stops the host for those who may do everything, once it has answered; where nobody stops it, there is no such request", async () => {
  const stops: string[] = [];
  const { client } = await serve({ onStopRequest: (work) => stops.push(work) });
  expect((await client.send("GET", "/admin/stop")).status).toBe(405);
  expect((await new ApiClient(client.url, "another").send("POST", "/admin/stop")).status).toBe(401);
  expect(await client.send("POST", "/admin/stop?work=perhaps")).toMatchObject({
    status: 400,
    body: { code: "INVALID_REQUEST" },
  });
  expect(stops).toEqual([]);
  expect(await client.send("POST", "/admin/stop")).toMatchObject({ status: 202, body: { success: true } });
  expect(await client.send("POST", "/admin/stop?work=end")).toMatchObject({ status: 202 });
  expect(stops).toEqual(["keep", "end"]);
  const { client: other } = await serve();
  expect((await other.send("POST", "/admin/stop")).status).toBe(404);
});

function command(id: number, session: string): AuditRecord {
  return {
    id,
    at: "2026-01-02T03:04:05.000Z",
    session,
    what: "command",
    subject: "make",
    by: "policy",
    decision: "allowed",
  };
}

describe("[A84] the audit", () => {
  it("[A84] is given from an id on, of all sessions or of one", async () => {
    const { client, host } = await serve();
    host.audit.push(command(1, "a"), command(2, "b"), command(3, "a"));
    const list = async (query: string): Promise<unknown> => {
      const { status, body } = await client.send("GET", `/admin/audit${query}`);
      expect([status, OPERATIONS.listAudit.response.safeParse(body).error]).toEqual([200, undefined]);
      return body["entries"];
    };
    expect(await list("")).toEqual(host.audit);
    expect(await list("?after=1")).toEqual([command(2, "b"), command(3, "a")]);
    expect(await list("?after=1&session=a&limit=1000")).toEqual([command(3, "a")]);
  });

  it("[A675] the ends of the chain of hashes are given, to nobody but the owner", async () => {
    const { client, host } = await serve();
    const hash = "ab".repeat(32);
    host.audit.push({ ...command(1, "a"), hash, environment: ["A"], exitCode: 0, durationMs: 5 });
    const { status, body } = await client.send("GET", "/admin/audit/chain");
    expect([status, OPERATIONS.getAuditChain.response.safeParse(body).error]).toEqual([200, undefined]);
    expect(body["chain"]).toEqual({ anchor: { id: 0, hash: "0".repeat(64) }, head: { id: 1, hash } });
    const listed = await client.send("GET", "/admin/audit?what=command&since=2026-01-02T03:04:05Z");
    expect(listed.body["entries"]).toEqual(host.audit);
  });

  it.each(["after=-1", "limit=0", "limit=1001", "session=", "what=nothing", "since=yesterday"])(
    "[A84] %s is refused",
    async (query) => {
      const { client } = await serve();
      expect(await client.send("GET", `/admin/audit?${query}`)).toMatchObject({
        status: 400,
        body: { code: "INVALID_REQUEST" },
      });
    },
  );

  it("[A84] is for nobody else", async () => {
    const { client, server } = await serve();
    const { body } = await client.send("POST", "/admin/keys", {
      body: { name: "app", scopes: ["acp.agent", "terminal"] },
    });
    const app = new ApiClient(server.url, String(body["secret"]));
    for (const address of ["/admin/audit", "/admin/audit/chain"]) {
      expect(await app.send("GET", address)).toMatchObject({ status: 403, body: { permission: "admin" } });
    }
  });
});

it("[A806, A807] processes and usage are for admins, within bounds", async () => {
  const { client } = await serve();
  const processes = (await client.send("GET", "/admin/processes")).body;
  expect(processes).toEqual({ success: true, processes: { runs: [], unowned: [] } });
  const usage = (await client.send("GET", "/admin/usage?days=7")).body;
  expect(OPERATIONS.readUsage.response.safeParse(usage).error).toBeUndefined();
  for (const days of ["0", "367", "x"]) {
    expect((await client.send("GET", `/admin/usage?days=${days}`)).status).toBe(400);
  }
});

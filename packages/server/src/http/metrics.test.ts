// Metrics of requests, who may see them, and which of them are in the log.
import { describe, expect, it } from "vitest";
import { ApiClient } from "../testing/api-client.ts";
import { serve, type Serving } from "../testing/serving.ts";
import { turnDone, turnStarted } from "../testing/watched-host.ts";
import { FailureLog } from "./metrics.ts";

async function scrape({ server, token }: Pick<Serving, "server" | "token">): Promise<string[]> {
  const response = await fetch(`${server.url}/metrics`, { headers: { "x-api-key": token } });
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  return (await response.text()).split("\n");
}

describe("[O8] the measurements", () => {
  it("[O8] are for the owner and for keys that may do everything", async () => {
    const { server, client } = await serve();
    expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
    const keys = await Promise.all(
      ["acp.agent", "admin"].map(async (scope) => {
        const { body } = await client.send("POST", "/admin/keys", { body: { name: scope, scopes: [scope] } });
        return String(body["secret"]);
      }),
    );
    const statuses = keys.map(
      async (key) => (await fetch(`${server.url}/metrics`, { headers: { "x-api-key": key } })).status,
    );
    expect(await Promise.all(statuses)).toEqual([403, 200]);
    expect((await client.send("POST", "/metrics")).headers.get("allow")).toBe("GET");
  });

  it("[O8] show the host's stats, its turns, its streams and its process", async () => {
    const serving = await serve();
    const { client, host } = serving;
    const stream = await client.stream(await client.createSession());
    host.notifyWatchers(turnStarted());
    host.notifyWatchers(turnDone());
    const lines = await scrape(serving);
    expect(lines).toEqual(
      expect.arrayContaining([
        'holdfast_sessions{state="ready"} 1',
        "holdfast_turns_running 1",
        "holdfast_sse_streams_open 1",
        'holdfast_turns_started_total{agent="shell"} 1',
        'holdfast_turns_ended_total{agent="shell",state="complete"} 1',
        'holdfast_turn_duration_seconds_bucket{le="2",agent="shell"} 1',
        'holdfast_turn_duration_seconds_bucket{le="1",agent="shell"} 0',
        "holdfast_webhook_deliveries_waiting 0",
        "holdfast_terminal_bytes_total 0",
        "holdfast_survivors_ended_total 0",
        expect.stringMatching(/^holdfast_event_loop_delay_seconds\{quantile="0.99"\} \d/),
        expect.stringMatching(/^holdfast_process_memory_bytes\{kind="resident"\} \d{7}/),
      ]),
    );
    stream.abort();
  });
});

describe("[O9] requests", () => {
  it("[O9] are counted by operation and status, whatever their path", async () => {
    const serving = await serve();
    const { client, server } = serving;
    await client.createSession();
    for (const path of ["/nowhere", "/nowhere/else", "/sdk/acp/session/a", "/sdk/acp/session/b"]) {
      expect((await client.send("GET", path)).status).toBe(404);
    }
    await fetch(`${server.url}/sdk/acp/sessions`);
    await fetch(`${server.url}/readyz`);
    const lines = await scrape(serving);
    expect(lines.filter((line) => line.startsWith("holdfast_http_requests_total{"))).toEqual([
      'holdfast_http_requests_total{operation="createSession",status="200"} 1',
      'holdfast_http_requests_total{operation="none",status="404"} 2',
      'holdfast_http_requests_total{operation="getSession",status="404"} 2',
      'holdfast_http_requests_total{operation="none",status="401"} 1',
      'holdfast_http_requests_total{operation="readyz",status="200"} 1',
    ]);
    expect(lines).toContain('holdfast_http_request_duration_seconds_count{operation="createSession"} 1');
  });

  it("[O9] that are not let in are counted by why, and the first of many is in the log", async () => {
    const serving = await serve();
    const { lines, server } = serving;
    const stranger = new ApiClient(server.url, "of-another-making");
    for (let count = 0; count < 10; count += 1) {
      expect((await stranger.send("GET", "/sdk/ping")).status).toBe(401);
    }
    expect((await stranger.send("GET", "/sdk/ping")).status).toBe(429);
    expect(
      (
        await new ApiClient(server.url, "").send("GET", "/sdk/ping", {
          headers: { origin: "http://example.org" },
        })
      ).status,
    ).toBe(403);
    expect(lines).toEqual([
      {
        level: "warn",
        message: "Rejected a request",
        facts: { code: "UNAUTHORIZED", address: "127.0.0.1" },
      },
    ]);
    const shown = await scrape(serving);
    expect(shown).toContain('holdfast_auth_failures_total{code="UNAUTHORIZED"} 10');
    expect(shown).toContain('holdfast_auth_failures_total{code="RATE_LIMITED"} 1');
    expect(shown).toContain('holdfast_auth_failures_total{code="ORIGIN_NOT_ALLOWED"} 1');
  });
});

describe("[O10] failures in the log", () => {
  it("[O10] name the operation and the session they concern", async () => {
    const { client, host, lines } = await serve();
    const key = await client.createSession();
    host.failure = new Error("unforeseen");
    expect((await client.send("GET", `/sdk/acp/session/${key}`)).status).toBe(500);
    expect(lines).toMatchObject([
      { level: "error", facts: { method: "GET", operation: "getSession", session: key } },
    ]);
  });
});

describe("[O7] the log of those who were not let in", () => {
  it("[O7] has a line every ten seconds at most, which counts the others", () => {
    const lines: unknown[] = [];
    let nowMs = 5000;
    const failures = new FailureLog(
      (_level, _message, facts) => void lines.push(facts),
      () => nowMs,
    );
    for (const code of ["first", "second", "third"]) failures.note({ code });
    nowMs += 10_000;
    failures.note({ code: "fourth" });
    nowMs += 10_000;
    failures.note({ code: "fifth" });
    expect(lines).toEqual([{ code: "first" }, { code: "fourth", othersSinceLastLine: 2 }, { code: "fifth" }]);
  });
});

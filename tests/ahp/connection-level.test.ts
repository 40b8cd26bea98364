// What AHP has beside sessions and terminals: progress of slow starts, telemetry, and tokens for protected resources.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { fieldsOf, listOf, type WireFields } from "../../packages/ahp/src/testing/wire/reference.ts";
import { answer } from "../../packages/core/src/testing/script.ts";
import { type ServedHost, useServedHosts } from "./served-host.ts";
import type { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();
const session = "mine:/one";
const metrics = "ahp-otlp:/metrics";

function framesOf(client: WireClient, method: string): WireFields[] {
  return client.heard.filter((heard) => heard.method === method).map(({ params }) => fieldsOf(params));
}

function create(client: WireClient, host: ServedHost, more: object = {}): Promise<unknown> {
  const workingDirectories = [`file://${host.work}`];
  return client.request("createSession", { channel: session, provider: "mine", workingDirectories, ...more });
}

test("[E816] the creator of a session that starts slowly gets its progress, up to the total", async () => {
  const newSession = [{ do: "until", path: "go" }, answer({ sessionId: "s1" })];
  const host = await serveHost({ script: { newSession } });
  const client = await host.client({ clientId: "creator" });
  const other = await host.client({ clientId: "other", subscriptions: ["ahp-root://"] });
  await create(client, host, { progressToken: "start-1" });
  // Without a token there is no progress.
  await create(client, host, { channel: "mine:/two" });
  const frames = (): WireFields[] => framesOf(client, "root/progress");
  await expect.poll(() => frames().length).toBeGreaterThanOrEqual(2);
  for (const frame of frames()) {
    expect(frame).toMatchObject({ channel: "ahp-root://", progressToken: "start-1" });
    expect(frame["message"]).toMatch(/^Starting /);
    expect(Number(frame["progress"])).toBeLessThan(Number(frame["total"]));
  }
  writeFileSync(path.join(host.work, "..", "go"), "");
  await expect.poll(() => frames().at(-1)?.["progress"]).toBe(frames()[0]?.["total"]);
  expect(new Set(frames().map(({ progressToken }) => progressToken))).toEqual(new Set(["start-1"]));
  const progress = frames().map((frame) => Number(frame["progress"]));
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  expect(framesOf(other, "root/progress")).toEqual([]);
});

test("[E815] a subscriber of the telemetry channel gets the metrics of /metrics", async () => {
  const host = await serveHost();
  const client = await host.socket();
  expect(await client.initialize({ version: "0.9.0" })).toMatchObject({ telemetry: { metrics } });
  expect(await client.request("subscribe", { channel: metrics })).toEqual({});
  await expect.poll(() => framesOf(client, "otlp/exportMetrics")).toHaveLength(1);
  const [frame = {}] = framesOf(client, "otlp/exportMetrics");
  expect(frame["channel"]).toBe(metrics);
  const [resource = {}] = listOf(fieldsOf(frame["payload"])["resourceMetrics"]);
  const [scope = {}] = listOf(resource["scopeMetrics"]);
  const names = listOf(scope["metrics"]).map(({ name }) => String(name));
  const text = await (await host.fetch("/metrics")).text();
  const expected = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name);
  expect(new Set(names)).toEqual(new Set(expected));
  expect(names).toContain("holdfast_sessions");
});

test("[E815] a client that reconnects gets metrics again, the seed has none", async () => {
  const host = await serveHost();
  const client = await host.client({ clientId: "back", subscriptions: [metrics] });
  await expect.poll(() => framesOf(client, "otlp/exportMetrics")).toHaveLength(1);
  const closed = client.closed;
  client.socket.terminate();
  await closed;
  const back = await host.socket();
  const params = { clientId: "back", lastSeenServerSeq: 0, subscriptions: [metrics] };
  expect(await back.request("reconnect", { channel: "ahp-root://", ...params })).not.toHaveProperty(
    "missing",
    [metrics],
  );
  await expect.poll(() => framesOf(back, "otlp/exportMetrics")).toHaveLength(1);
  const old = await host.socket();
  expect(await old.initialize({ clientId: "old", version: "0.1.0" })).not.toHaveProperty("telemetry");
  expect((await old.ask("subscribe", { resource: metrics })).error).toBeDefined();
});

test("[E813] a token for a resource that no agent has is refused with the reason", async () => {
  const host = await serveHost();
  const client = await host.client();
  const params = { channel: "ahp-root://", resource: "https://api.example.org", token: "secret-token" };
  const { error } = await client.ask("authenticate", params);
  expect(error?.code).toBe(-32602);
  expect(error?.message).toContain("no agent takes tokens for https://api.example.org");
  expect(error?.message).toContain("holdfast agents doctor");
  expect(host.faults).toEqual([]);
});

test("[E814] turns cannot be taken back, and the rejection says what to do", async () => {
  const host = await serveHost();
  const client = await host.client();
  await create(client, host);
  const chat = defaultChatUri(makeId("session URI", session));
  await client.subscribe(chat);
  client.dispatch({ type: "chat/truncated" }, chat);
  const { rejectionReason } = await client.action("chat/truncated");
  expect(rejectionReason).toBe(
    "Turns cannot be removed: the agent remembers them. Start a new session to continue without them.",
  );
});

test("[E851] a client whose actions wait for an earlier one is not read beyond 16 MiB of them, and none is lost", async () => {
  const option = { id: "effort", name: "Effort", type: "select", currentValue: "low" };
  const options = ["low", "high"].map((value) => ({ value, name: value }));
  const configOptions = [{ ...option, options }];
  const set = [
    { do: "until", path: "gate" },
    { do: "answer", result: { configOptions } },
  ];
  const host = await serveHost({ script: { session: { configOptions }, set }, ahp: { heartbeatMs: 500 } });
  const client = await host.client();
  await create(client, host);
  await expect
    .poll(async () => (await client.subscribe(session)).state)
    .toMatchObject({ lifecycle: "ready", config: { values: { effort: "low" } } });
  const pause = vi.spyOn(WebSocket.prototype, "pause");
  const ping = vi.spyOn(WebSocket.prototype, "ping");
  client.dispatch({ type: "session/configChanged", config: { effort: "high" } }, session);
  const padding = "x".repeat(1024 * 1024);
  const titles = Array.from({ length: 20 }, (_, index) => `Title ${index}`);
  for (const [index, title] of titles.entries()) {
    const action = { type: "session/titleChanged", title };
    const params = { channel: session, clientSeq: 100 + index, action, padding };
    client.send({ jsonrpc: "2.0", method: "dispatchAction", params });
  }
  await expect.poll(() => pause.mock.calls.length).toBe(1);
  expect(client.actions.some(({ action }) => action.type === "session/titleChanged")).toBe(false);
  // The responses to these are not read.
  const pings = ping.mock.calls.length;
  await expect.poll(() => ping.mock.calls.length).toBeGreaterThan(pings + 2);
  writeFileSync(path.join(host.work, "..", "gate"), "");
  await client.action("session/titleChanged", ({ action }) => action.title === titles.at(-1));
  const shown = client.actions.flatMap(({ action: { type, title } }) =>
    type === "session/titleChanged" ? [title] : [],
  );
  expect(shown).toEqual(titles);
});

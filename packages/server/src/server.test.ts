// How a server starts and stops.
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { MemoryMeta } from "@holdfast/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openAccess } from "./auth/access.ts";
import { Refusals } from "./auth/refusals.ts";
import { createApp } from "./http/app.ts";
import { OpenStreams } from "./http/open-streams.ts";
import { startServer } from "./server.ts";
import { serve } from "./testing/serving.ts";
import { FakeHost } from "./testing/fake-host.ts";
import { turnDone } from "./testing/watched-host.ts";
import { WebhookReceiver } from "./testing/webhook-receiver.ts";
import { openWatch } from "./watch.ts";

describe("[A40] closing", () => {
  it("[A40] lets a running stream come to its end", async () => {
    const { client, host, server } = await serve({ graceMs: 30_000 });
    const stream = await client.stream(await client.createSession());
    host.lastTurn.say("one");
    await stream.next();
    const closed = server.close();
    expect(server.close()).toBe(closed);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed");
    host.lastTurn.say("two");
    host.lastTurn.complete();
    expect((await stream.rest()).map(({ event }) => event)).toEqual(["text_delta", "done", "close"]);
    await closed;
  });

  it("[A40] takes no new work, not even on a connection that is there", async () => {
    const host = new FakeHost();
    const log = (): void => {};
    const meta = new MemoryMeta();
    const access = openAccess({ token: "t", log, meta });
    const streams = new OpenStreams();
    const watch = openWatch({ host, log, meta, access, streams });
    onTestFinished(() => watch.close());
    const app = createApp({
      host,
      access,
      log,
      audit: { record: log },
      refusals: new Refusals({ record: log }, log),
      version: "0.0.0",
      heartbeatMs: 1000,
      streams,
      watch,
      clients: () => [],
      isStopping: () => true,
    });
    const response = await app.request("/healthz", { headers: { host: "localhost" } });
    expect(response.status).toBe(503);
    expect(response.headers.get("connection")).toBe("close");
    expect(await response.json()).toMatchObject({ success: false, code: "HOST_STOPPING" });
  });

  it("[A40] warns the streams that do not end in time, and ends them", async () => {
    const { client, host, server } = await serve({ graceMs: 10 });
    const stream = await client.stream(await client.createSession());
    const closed = server.close();
    expect(await stream.rest()).toMatchObject([
      { event: "error", data: { code: "HOST_STOPPING" } },
      { event: "close", data: { success: false } },
    ]);
    await closed;
    expect(host.lastTurn.isActive).toBe(true);
    expect(host.lastTurn.isForgotten).toBe(true);
  });

  it("[A716] cuts streams of work that is kept at once, and without a last event", async () => {
    const { client, host, server } = await serve({ graceMs: 30_000 });
    const stream = await client.stream(await client.createSession());
    host.lastTurn.say("one");
    await stream.next();
    const stopped = server.stop("keep");
    await expect(stream.rest()).rejects.toThrow("terminated");
    await stopped;
    expect(host.lastTurn.isActive).toBe(true);
  });

  it("[A40] waits for nobody who neither asks nor reads", async () => {
    const { server } = await serve({ graceMs: 10 });
    const idle = connect({ host: "127.0.0.1", port: server.port });
    await once(idle, "connect");
    const ended = once(idle, "close");
    await server.close();
    expect(await ended).toEqual([false]);
  });
});

describe("[A83] between the end of the server and that of the host", () => {
  it("[A83] nobody is served any more, and those who are called still hear what happens", async () => {
    const { client, host, server } = await serve();
    const receiver = await WebhookReceiver.start();
    await client.send("POST", "/sdk/webhooks", { body: { url: receiver.url } });
    const stopped = server.stop();
    expect(server.stop()).toBe(stopped);
    await stopped;
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed");
    host.notifyWatchers(turnDone("the-last"));
    const [delivery] = await receiver.arrivals(1);
    expect(delivery?.body).toMatchObject({ event: "turn_done", turnId: "the-last" });
    expect(host.watcherCount).toBeGreaterThan(0);
    await server.close();
    expect(host.watcherCount).toBe(0);
  });

  it("[A83] an event that comes too late to be delivered is kept for the next start", async () => {
    const meta = new MemoryMeta();
    const receiver = await WebhookReceiver.start();
    receiver.replies.push(() => undefined);
    const { client, host, server } = await serve({ meta });
    await client.send("POST", "/sdk/webhooks", { body: { url: receiver.url } });
    await server.stop();
    host.notifyWatchers(turnDone("the-last"));
    await receiver.arrivals(1);
    await server.close();
    await serve({ meta });
    const [first, second] = await receiver.arrivals(2);
    expect(second?.text).toBe(first?.text);
  });
});

describe("[A41] starting", () => {
  it("[A41] gives the address it listens on", async () => {
    const { server } = await serve();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it("[A41] says which port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const listen = { host: "127.0.0.1", port };
    const options = { host: new FakeHost(), token: "t", log: () => {}, meta: new MemoryMeta(), listen };
    await expect(startServer(options)).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use.`);
    other.close();
  });
});

// Shows the client against a fake host: mirrors, own actions, silence, refusals.
import { expect, test } from "vitest";
import { ClientBench, quiet, SESSION, TERMINAL, title } from "../testing/client-bench.ts";
import type { ChannelEvent, DispatchOutcome } from "./subscription.ts";

const shortTimeouts = { pingAfterMs: 100, notRespondingAfterMs: 200, giveUpAfterMs: 400 };

test("[E40] a channel is followed from its state on, by any number of viewers, over one subscription", async () => {
  const { host, client } = new ClientBench();
  await expect(client.connect()).resolves.toMatchObject({ protocolVersion: "1.0.0", _meta: { holdfast: 1 } });
  const events: ChannelEvent<"terminal">[] = [];
  const first = await client.subscribe(TERMINAL, "terminal", { onEvent: (event) => events.push(event) });
  const second = await client.subscribe(TERMINAL, "terminal");
  expect(events).toMatchObject([{ type: "snapshot", state: { title: "bash" }, content: [{ text: "$ " }] }]);

  host.dispatch(TERMINAL, title("vim"));
  await quiet();
  expect(events.at(-1)).toMatchObject({ type: "action", action: title("vim"), isOwn: false });
  expect(first.state).toEqual(host.state(TERMINAL));
  expect(second.state).toBe(first.state);

  first.close();
  host.dispatch(TERMINAL, title("less"));
  await quiet();
  expect(second.state.title).toBe("less");
  expect(events).toHaveLength(2);
  client.close();
});

test("[E40] with the last viewer the client unsubscribes, and can subscribe again", async () => {
  const { host, client } = new ClientBench();
  await client.connect();
  const handle = await client.subscribe(TERMINAL, "terminal");
  handle.close();
  handle.close();
  await quiet();
  host.dispatch(TERMINAL, title("unseen"));
  await quiet();
  const again = await client.subscribe(TERMINAL, "terminal");
  expect(again.state.title).toBe("unseen");
  client.close();
});

test("[E40] a channel that the host does not have is refused, also before there is a connection", async () => {
  const { client } = new ClientBench();
  const early = client.subscribe("ahp-terminal:/none", "terminal");
  await Promise.all([client.connect(), expect(early).rejects.toMatchObject({ code: -32008 })]);
  await expect(client.subscribe(SESSION, "session")).resolves.toMatchObject({ uri: SESSION });
  await expect(client.subscribe(SESSION, "terminal")).rejects.toThrow("is a session");
  client.close();
});

test("[E41] an own action shows at once and is confirmed", async () => {
  const { host, client } = new ClientBench();
  await client.connect();
  const handle = await client.subscribe(TERMINAL, "terminal");
  const outcome = handle.dispatch(title("mine"));
  expect(handle.state.title).toBe("mine");
  expect(handle.confirmed.title).toBe("bash");
  await expect(outcome).resolves.toEqual({ status: "confirmed", serverSeq: 1 });
  expect(handle.confirmed.title).toBe("mine");
  expect(handle.state).toEqual(host.state(TERMINAL));
  await expect(handle.dispatch(title("mine"))).resolves.toMatchObject({ status: "confirmed" });
  client.close();
});

test("[E41] a refused action is taken back with the reason, and others that wait are not", async () => {
  const { host, client } = new ClientBench();
  host.refuse = (action) => (action.type === "terminal/titleChanged" ? "Not yours." : undefined);
  await client.connect();
  const events: string[] = [];
  const onEvent = (event: ChannelEvent<"terminal">): number => events.push(event.type);
  const handle = await client.subscribe(TERMINAL, "terminal", { onEvent });
  const refused = handle.dispatch(title("mine"));
  const kept = handle.dispatch({ type: "terminal/resized", cols: 7, rows: 7 });
  await expect(refused).resolves.toEqual({ status: "rejected", reason: "Not yours." });
  await expect(kept).resolves.toMatchObject({ status: "confirmed" });
  expect(handle.state).toMatchObject({ title: "bash", size: { cols: 7 } });
  expect(events).toEqual(["snapshot", "rebased", "rebased", "rebased", "action"]);
  client.close();
});

test("[E42] a message that the host sends twice counts once", async () => {
  const { host, client } = new ClientBench();
  host.repeats = true;
  await client.connect();
  const seen: string[] = [];
  const onEvent = ({ type }: ChannelEvent<"session">): number => seen.push(type);
  const handle = await client.subscribe(SESSION, "session", { onEvent });
  const notice = { id: "n", at: "", severity: "info", title: "x" };
  host.dispatch(SESSION, { type: "session/noticeAdded", notice } as Parameters<typeof host.dispatch>[1]);
  await handle.dispatch({ type: "session/titleChanged", title: "mine" });
  await quiet();
  expect(handle.state.notices).toHaveLength(1);
  expect(handle.state).toEqual(host.state(SESSION));
  expect(seen).toEqual(["snapshot", "rebased", "action", "action"]);
  client.close();
});

test("[E45] silence is broken by a ping, whose response gives the latency", async () => {
  const bench = new ClientBench({ timeouts: shortTimeouts });
  const { client, timing } = bench;
  await client.connect();
  bench.wire.hold();
  timing.advance(100);
  timing.advance(30);
  bench.wire.release();
  await quiet();
  expect(bench.events).toContainEqual({ type: "latency", latencyMs: 30 });
  expect(client.status.status).toBe("connected");
  client.close();
});

test("[E45] a host that stays silent is given up, and another connection is tried", async () => {
  const bench = new ClientBench({ timeouts: shortTimeouts });
  await bench.client.connect();
  bench.wire.hold();
  bench.timing.advance(100);
  bench.timing.advance(300);
  await quiet();
  await bench.comeBack();
  expect(bench.client.status.status).toBe("connected");
  expect(bench.wireCount).toBe(2);
  bench.client.close();
});

test("[E45] any sign of life counts: a host that talks is not asked", async () => {
  const bench = new ClientBench({ timeouts: shortTimeouts });
  const { client, host, timing } = bench;
  await client.connect();
  await client.subscribe(TERMINAL, "terminal");
  for (let turn = 0; turn < 8; turn += 1) {
    timing.advance(60);
    host.dispatch(TERMINAL, title(`t${turn}`));
    await quiet();
  }
  expect(bench.events.filter(({ type }) => type === "latency")).toEqual([]);
  client.close();
});

test("[E220] a host that answers no ping does not respond until it is heard again; actions wait and are sent once", async () => {
  const bench = new ClientBench({ timeouts: shortTimeouts });
  const { client, host, timing } = bench;
  const initialized = await client.connect();
  const handle = await client.subscribe(TERMINAL, "terminal");
  bench.events.length = 0;
  bench.wire.hold();
  timing.advance(199);
  expect(client.status.status).toBe("connected");
  timing.advance(1);
  expect(client.status).toEqual({ status: "not-responding", silentSinceMs: 0, host: initialized });
  const outcome = handle.dispatch(title("typed meanwhile"));
  const asked = client.request("listSessions", { channel: "ahp-root://" });
  timing.advance(100);
  bench.wire.release();
  await expect(outcome).resolves.toMatchObject({ status: "confirmed" });
  await expect(asked).resolves.toEqual({ items: [] });
  expect(client.status.status).toBe("connected");
  expect(host.carriedOut).toHaveLength(1);
  expect(bench.events.map((event) => (event.type === "status" ? event.status.status : event.type))).toEqual([
    "not-responding",
    "connected",
    "latency",
  ]);
  client.close();
});

test("[E220] attempts that meet the same silence change nothing, those that fail otherwise do", async () => {
  const bench = new ClientBench({ timeouts: shortTimeouts, backoff: { firstMs: 10, maxMs: 10 } });
  const { client, timing } = bench;
  await client.connect();
  bench.events.length = 0;
  bench.mayOpen = false;
  bench.wire.hold();
  for (let look = 0; look < 50; look += 1) {
    timing.advance(50);
    await quiet();
  }
  const statuses = (): readonly string[] =>
    bench.events.flatMap((event) => (event.type === "status" ? event.status.status : []));
  expect(statuses()).toEqual(["not-responding"]);
  expect(bench.openCount).toBeGreaterThan(3);
  expect(client.status).toMatchObject({ status: "not-responding", silentSinceMs: 0 });
  bench.isReachable = false;
  timing.advance(400);
  await bench.comeBack();
  expect(client.status.status).toBe("waiting");
  bench.isReachable = true;
  bench.mayOpen = true;
  await bench.comeBack();
  expect(client.status.status).toBe("connected");
  client.close();
});

test("[E220] a first connection that nobody accepts is reported, and one that is accepted too late is closed", async () => {
  const bench = new ClientBench({ timeouts: shortTimeouts });
  const { client, timing } = bench;
  bench.mayOpen = false;
  const connected = client.connect();
  await quiet();
  timing.advance(200);
  expect(client.status).toEqual({ status: "not-responding", silentSinceMs: 0, host: undefined });
  timing.advance(200);
  await quiet();
  bench.letOpen();
  await quiet();
  expect(bench.wire.isCut).toBe(true);
  await bench.comeBack();
  await expect(connected).resolves.toMatchObject({ protocolVersion: "1.0.0" });
  client.close();
});

test("[E220] a client whose computer slept asks before it says that the host does not respond", async () => {
  const bench = new ClientBench({ timeouts: shortTimeouts });
  const { client, timing } = bench;
  await client.connect();
  timing.sleep(3_600_000);
  bench.events.length = 0;
  timing.advance(1);
  await quiet();
  expect(bench.events).toEqual([{ type: "latency", latencyMs: 1 }]);
  expect(bench.wireCount).toBe(1);
  client.close();
});

test("[E47] a closed client leaves nothing behind: no timer, no wire, no open promise", async () => {
  const bench = new ClientBench();
  const { client, timing } = bench;
  await client.connect();
  const types: string[] = [];
  const onEvent = ({ type }: ChannelEvent<"terminal">): number => types.push(type);
  const handle = await client.subscribe(TERMINAL, "terminal", { onEvent });
  bench.wire.hold();
  const outcome = handle.dispatch(title("mine"));
  const asked = client.request("listSessions", { channel: "ahp-root://" });
  client.close();
  client.close();
  await expect(outcome).resolves.toEqual({ status: "lost" });
  await expect(asked).rejects.toThrow("closed");
  await expect(client.subscribe(TERMINAL, "terminal")).rejects.toThrow("closed");
  await quiet();
  expect(types.at(-1)).toBe("gone");
  expect(bench.wire.isCut).toBe(true);
  expect(timing.nextInMs).toBeUndefined();
  expect(bench.events.at(-1)).toEqual({ type: "status", status: { status: "closed" } });
});

test("[E47] a client that is closed while it waits does not come back", async () => {
  const bench = new ClientBench();
  await bench.client.connect();
  bench.wire.cut();
  await quiet();
  bench.client.close();
  await quiet();
  expect(bench.timing.nextInMs).toBeUndefined();
  expect(bench.wireCount).toBe(1);
});

test("[E47] a client that is closed by what the handshake brings does not come back", async () => {
  const bench = new ClientBench();
  const { client, timing } = bench;
  await client.connect();
  let snapshots = 0;
  await client.subscribe(TERMINAL, "terminal", {
    onEvent: ({ type }) => {
      if (type === "snapshot") snapshots += 1;
      if (snapshots === 2) client.close();
    },
  });
  bench.wire.cut();
  bench.host.forgetClients();
  await bench.comeBack();
  expect(client.status).toEqual({ status: "closed" });
  expect(timing.nextInMs).toBeUndefined();
  expect(bench.wire.isCut).toBe(true);
});

test("[E49] no more actions wait for an answer than the bound allows", async () => {
  const bench = new ClientBench({ maxPendingActions: 2 });
  await bench.client.connect();
  const handle = await bench.client.subscribe(TERMINAL, "terminal");
  bench.wire.cut();
  await quiet();
  const outcomes: Promise<DispatchOutcome>[] = ["a", "b", "c"].map((text) => handle.dispatch(title(text)));
  await expect(outcomes[2]).resolves.toEqual({ status: "lost" });
  expect(handle.state.title).toBe("b");
  await bench.comeBack();
  await expect(Promise.all(outcomes.slice(0, 2))).resolves.toMatchObject([
    { status: "confirmed" },
    { status: "confirmed" },
  ]);
  bench.client.close();
});

test("[E40] a request without a connection is refused at once", async () => {
  const { client } = new ClientBench();
  await expect(client.request("listSessions", { channel: "ahp-root://" })).rejects.toMatchObject({
    kind: "not-connected",
  });
});

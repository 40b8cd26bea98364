// Shows how the client returns to a host after a lost connection: what it missed, what it sent, and when it tries.
import { describe, expect, test } from "vitest";
import { ClientBench, quiet, SESSION, TERMINAL, title } from "../testing/client-bench.ts";
import type { TinyHost } from "../testing/tiny-host.ts";
import type { ChannelEvent } from "./subscription.ts";
import { backoffMs } from "./timing.ts";
import { SocketError } from "./transport.ts";

test("[E43] what was missed while the connection was lost is delivered after it is back", async () => {
  const bench = new ClientBench();
  const { host, client } = bench;
  await client.connect();
  const types: string[] = [];
  const onEvent = ({ type }: ChannelEvent<"terminal">): number => types.push(type);
  const handle = await client.subscribe(TERMINAL, "terminal", { onEvent });
  bench.wire.cut();
  await quiet();
  expect(client.status).toMatchObject({ status: "waiting", attempt: 0 });
  host.dispatch(TERMINAL, title("one"));
  host.dispatch(TERMINAL, title("two"));
  await bench.comeBack();
  expect(client.status.status).toBe("connected");
  expect(handle.state).toEqual(host.state(TERMINAL));
  expect(types).toEqual(["snapshot", "action", "action"]);
  client.close();
});

test("[E43] where the host no longer knows what was missed, states stand for it, and what is gone is said to be", async () => {
  const bench = new ClientBench();
  const { host, client } = bench;
  await client.connect();
  const types: string[] = [];
  const onEvent = ({ type }: ChannelEvent<"terminal">): number => types.push(type);
  const handle = await client.subscribe(TERMINAL, "terminal", { onEvent });
  const goneTypes: string[] = [];
  const gone = await client.subscribe(SESSION, "session", { onEvent: ({ type }) => goneTypes.push(type) });
  bench.wire.cut();
  host.dispatch(TERMINAL, title("one"));
  host.forgetLogs();
  host.shut(SESSION);
  await bench.comeBack();
  expect(types).toEqual(["snapshot", "snapshot"]);
  expect(handle.state.title).toBe("one");
  expect(goneTypes).toEqual(["snapshot", "gone"]);
  await expect(gone.dispatch({ type: "session/titleChanged", title: "x" })).resolves.toEqual({
    status: "lost",
  });
  client.close();
});

test("[E43] a host that forgot the client is initialized again, and the channels continue", async () => {
  const bench = new ClientBench();
  const { host, client } = bench;
  await client.connect();
  const handle = await client.subscribe(TERMINAL, "terminal");
  bench.wire.cut();
  host.forgetClients();
  host.dispatch(TERMINAL, title("after the restart"));
  await bench.comeBack();
  expect(handle.state.title).toBe("after the restart");
  host.dispatch(TERMINAL, title("live"));
  await quiet();
  expect(handle.state.title).toBe("live");
  client.close();
});

test.each<[string, number, (host: TinyHost) => void]>([
  ["forgot the client", 3, (host) => host.forgetClients()],
  ["forgot its logs", 1, (host) => host.forgetLogs()],
  ["knows what was missed", 1, () => undefined],
])(
  "[E48] output that arrives together with the response to the handshake is kept: a host that %s",
  async (_name, messagesBefore, forget) => {
    const bench = new ClientBench();
    const { host, client } = bench;
    await client.connect();
    let seen: string[] = [];
    await client.subscribe(TERMINAL, "terminal", {
      onEvent: (event) => {
        if (event.type === "snapshot") seen = [];
        if (event.type === "action" && event.action.type === "terminal/data") seen.push(event.action.data);
      },
    });
    host.dispatch(TERMINAL, { type: "terminal/data", data: "one", offset: 0, endOffset: 3 });
    bench.wire.cut();
    forget(host);
    bench.holdsNewWires = true;
    await bench.comeBack();
    for (let count = 0; count < messagesBefore; count += 1) {
      bench.wire.release(1);
      await quiet();
    }
    host.dispatch(TERMINAL, { type: "terminal/data", data: "two", offset: 3, endOffset: 6 });
    bench.wire.release();
    await quiet();
    expect(seen.at(-1)).toBe("two");
    client.close();
  },
);

test("[E44] an action whose response was lost is sent again and runs once", async () => {
  const bench = new ClientBench();
  const { host, client } = bench;
  await client.connect();
  const handle = await client.subscribe(TERMINAL, "terminal");
  bench.wire.hold();
  const outcome = handle.dispatch(title("mine"));
  bench.wire.release(1);
  await quiet();
  expect(host.carriedOut).toEqual(["ada#1"]);
  bench.wire.cut();
  await bench.comeBack();
  await expect(outcome).resolves.toMatchObject({ status: "confirmed" });
  expect(host.carriedOut).toEqual(["ada#1"]);
  expect(handle.state).toEqual(host.state(TERMINAL));
  client.close();
});

test("[E44] to a host that forgot the client, what it may have done is not sent again; what was never sent is", async () => {
  const bench = new ClientBench();
  const { host, client } = bench;
  await client.connect();
  const handle = await client.subscribe(TERMINAL, "terminal");
  bench.wire.hold();
  const typed = handle.dispatch({ type: "terminal/input", data: "rm -r x\r" });
  bench.wire.release(1);
  bench.wire.cut();
  await quiet();
  const unsent = handle.dispatch(title("offline"));
  expect(handle.state.title).toBe("offline");
  host.forgetClients();
  await bench.comeBack();
  await expect(typed).resolves.toEqual({ status: "lost" });
  await expect(unsent).resolves.toMatchObject({ status: "confirmed" });
  expect(host.carriedOut).toEqual(["ada#1", "ada#2"]);
  client.close();
});

describe("[E44] typed input that a killed host did not confirm", () => {
  async function typeAndKill(before: boolean, after: boolean): Promise<{ host: TinyHost; status: string }> {
    const bench = new ClientBench();
    const { host, client } = bench;
    host.keysInput = before;
    await client.connect();
    const handle = await client.subscribe(TERMINAL, "terminal");
    bench.wire.hold();
    const typed = handle.dispatch({ type: "terminal/input", data: "ls\r" });
    bench.wire.release(1);
    bench.wire.cut();
    await quiet();
    const later = handle.dispatch({ type: "terminal/input", data: "pwd\r" });
    host.forgetClients();
    host.keysInput = after;
    await bench.comeBack();
    const [{ status }] = await Promise.all([typed, later]);
    client.close();
    return { host, status };
  }

  test("is sent again under its key, before what was typed later", async () => {
    const { host, status } = await typeAndKill(true, true);
    expect(status).toBe("confirmed");
    expect(host.carriedOut).toEqual(["ada#1", "ada#1", "ada#2"]);
    expect(host.inputKeys.map(({ number }) => number)).toEqual([1, 1, 2]);
    expect(new Set(host.inputKeys.map(({ writer }) => writer)).size).toBe(1);
  });

  test.each([
    ["the killed host did not read keys", false, true],
    ["the next host does not read keys", true, false],
  ])("is lost where %s", async (_, before, after) => {
    const { host, status } = await typeAndKill(before, after);
    expect(status).toBe("lost");
    expect(host.carriedOut).toEqual(["ada#1", "ada#2"]);
  });
});

test("[E46] attempts grow rarer up to a limit, and start over after success", async () => {
  const bench = new ClientBench({ backoff: { firstMs: 100, maxMs: 1000 } });
  const { client, timing } = bench;
  timing.chance = 0;
  await client.connect();
  bench.isReachable = false;
  bench.wire.cut();
  const delays: number[] = [];
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await quiet();
    if (client.status.status === "waiting") delays.push(client.status.delayMs);
    timing.advance(timing.nextInMs ?? 0);
  }
  expect(delays).toEqual([50, 100, 200, 400, 500, 500]);
  bench.isReachable = true;
  await bench.comeBack();
  expect(client.status.status).toBe("connected");
  bench.wire.cut();
  await quiet();
  expect(client.status).toMatchObject({ status: "waiting", attempt: 0, delayMs: 50 });
  client.close();
});

test("[E46] a host that said that it restarts is tried often, for 10 s", async () => {
  const bench = new ClientBench({ backoff: { firstMs: 60_000, maxMs: 60_000 } });
  const { client, timing } = bench;
  timing.chance = 0;
  await client.connect();
  bench.isReachable = false;
  bench.wire.cut(new SocketError("The host is restarting.", 1012));
  const delays: number[] = [];
  for (let attempt = 0; attempt < 202; attempt += 1) {
    await quiet();
    if (client.status.status === "waiting") delays.push(client.status.delayMs);
    timing.advance(timing.nextInMs ?? 0);
  }
  expect(delays.slice(0, 200)).toEqual(delays.slice(0, 200).fill(50));
  expect(delays.at(-1)).toBe(30_000);
  client.close();
});

test("[E46] half of a wait is left to chance, so that clients do not come back all at once", () => {
  const backoff = { firstMs: 100, maxMs: 1000 };
  expect([0, 0.5, 0.999].map((chance) => backoffMs(backoff, 1, chance))).toEqual([100, 150, 199.9]);
  expect(backoffMs(backoff, 10_000, 0)).toBe(500);
});

// Shows that a client that was cut off comes back to exactly what it would have seen, and that nothing it did happens twice.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { queryObjects } from "node:v8";
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { forwardTo } from "@holdfast/terminal/port";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { say } from "../../packages/core/src/testing/script.ts";
import { AhpConnection } from "../../packages/server/src/ahp/connection.ts";
import { type ServedHost, useServedHosts, transportOf } from "./served-host.ts";
import type { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();

const uri = "ahp-terminal:/shell";
const claim = { kind: "client", clientId: "ada" };

async function open(host: ServedHost, version = "1.0.0"): Promise<WireClient> {
  const client = await host.client({ clientId: "ada", version, subscriptions: ["ahp-root://"] });
  await client.request("createTerminal", { channel: uri, claim });
  await client.subscribe(uri);
  return client;
}

/** Cuts a client off without a word. */
async function cut(client: WireClient): Promise<number> {
  client.socket.terminate();
  await once(client.socket, "close");
  return client.actions.reduce((last, { serverSeq }) => Math.max(last, serverSeq), 0);
}

async function clientsOf(host: ServedHost): Promise<object[]> {
  return ((await (await host.fetch("/admin/clients")).json()) as { clients: object[] }).clients;
}

function back(lastSeenServerSeq: number, subscriptions = ["ahp-root://", uri]): object {
  return { clientId: "ada", lastSeenServerSeq, subscriptions };
}

test("[E73] a client that reconnects gets the actions it missed, once and in order, and then the following ones", async () => {
  const host = await serveHost();
  const client = await open(host);
  const other = await host.client({ clientId: "other" });
  await other.subscribe(uri);
  client.dispatch({ type: "terminal/input", data: "echo before-$((1+1))\r" }, uri);
  await expect.poll(() => client.output()).toContain("before-2");
  const lastSeen = await cut(client);
  // Its departure is published to the watchers, and to the client that comes back.
  await other.action("terminal/claimed");
  const next = await host.socket();
  const answer = await next.request("reconnect", back(lastSeen, ["ahp-root://", uri, "ahp-session:/gone"]));
  expect(answer).toMatchObject({ type: "replay", missing: ["ahp-session:/gone"] });
  const replayed = answer.actions ?? [];
  expect(replayed.every(({ serverSeq }) => serverSeq > lastSeen)).toBe(true);
  next.dispatch({ type: "terminal/input", data: "echo after-$((2+2))\r" }, uri, 2);
  await expect.poll(() => next.output()).toContain("after-4");
  await expect.poll(() => other.output()).toContain("after-4");
  const last = replayed.at(-1)?.serverSeq ?? lastSeen;
  expect(
    next.actions.filter(
      ({ serverSeq, rejectionReason }) => rejectionReason === undefined && serverSeq < last,
    ),
  ).toEqual([]);
});

test.each([
  ["1.0.0", "closed"],
  ["0.5.0", "closed"],
  [1, "closed"],
  ["1.0.0", "closed and reopened"],
] as const)(
  "[E850] a client of %s gets the end of a session that was %s while it was away",
  async (version, how) => {
    const host = await serveHost({ script: { prompts: { "*": [say("working"), { do: "hang" }] } } });
    const session = "mine:/one";
    const otherChat = defaultChatUri(makeId("session URI", session));
    const chat = version === 1 ? session : otherChat;
    const other = await host.client({ clientId: "other" });
    const workingDirectories = [pathToFileURL(host.work).href];
    await other.request("createSession", { channel: session, provider: "mine", workingDirectories });
    const client = await host.client({ version });
    await client.subscribe(session);
    await client.subscribe(chat);
    await other.subscribe(otherChat);
    const startedAt = new Date(0).toISOString();
    const message = { text: "hello", origin: { kind: "user" } };
    other.dispatch({ type: "chat/turnStarted", turnId: "t", startedAt, message }, otherChat);
    await client.notified((heard) => JSON.stringify(heard).includes("working"));
    const lastSeen = await cut(client);
    await other.request("disposeSession", { channel: session });
    await other.action("chat/turnCancelled");
    if (how !== "closed") await other.request("reopenSession", { channel: session });
    const next = await host.socket();
    const answer = await next.request("reconnect", back(lastSeen, [session, chat]));
    const { activeTurn, turns } = answer.snapshots?.find(({ resource }) => resource === chat)?.state ?? {};
    expect({ activeTurn, turns }).toMatchObject({ activeTurn: undefined, turns: [{ state: "cancelled" }] });
  },
);

test("[E850] a closed session that a client has seen to its end costs it no states", async () => {
  const host = await serveHost();
  const session = "mine:/one";
  const other = await host.client({ clientId: "other" });
  const workingDirectories = [pathToFileURL(host.work).href];
  await other.request("createSession", { channel: session, provider: "mine", workingDirectories });
  await expect.poll(() => host.host.hub.state(session, "session")?.lifecycle.status).toBe("ready");
  await other.request("disposeSession", { channel: session });
  const client = await host.client({ subscriptions: ["ahp-root://"] });
  const { fromSeq } = await client.subscribe(session);
  await cut(client);
  const next = await host.socket();
  const answer = await next.request("reconnect", back(fromSeq, ["ahp-root://", session]));
  expect(answer).toMatchObject({ type: "replay", missing: [] });
});

test("[E833] a client that the host does not know gets an error with its own code, and may initialize", async () => {
  const host = await serveHost();
  const client = await host.socket();
  expect(await client.ask("reconnect", { ...back(0), clientId: "eve" })).toMatchObject({
    error: {
      code: -32008,
      message: expect.stringContaining("initialize"),
      data: { code: "CLIENT_NOT_FOUND" },
    },
  });
  expect(await client.initialize({ clientId: "eve" })).toMatchObject({ protocolVersion: "1.0.0" });
});

test("[E73] a client that is not known, or claims to have seen the future, begins with states", async () => {
  const host = await serveHost();
  const client = await open(host);
  const stranger = await host.socket();
  expect(await stranger.ask("reconnect", { ...back(0), clientId: "eve" })).toMatchObject({
    error: { code: -32008 },
  });
  await cut(client);
  const next = await host.socket();
  const answer = await next.request("reconnect", back(Number.MAX_SAFE_INTEGER));
  expect(answer).toMatchObject({
    type: "snapshot",
    snapshots: [{ resource: "ahp-root://" }, { resource: uri }],
  });
});

test.each(["1.0.0", "0.9.0"])(
  "[E72] what a client of %s sends again after a loss is answered as before and not done again",
  async (version) => {
    const host = await serveHost();
    const client = await open(host, version);
    const typed = client.dispatch({ type: "terminal/input", data: "echo n-$((n+=1))\r" }, uri);
    const renamed = client.dispatch({ type: "terminal/titleChanged", title: "Mine" }, uri);
    const refused = client.dispatch({ type: "terminal/resized", cols: 0, rows: 1 }, uri);
    await expect.poll(() => client.output()).toContain("n-1");
    const { serverSeq } = await client.action("terminal/titleChanged", ({ origin }) => origin !== undefined);
    const lastSeen = await cut(client);
    const next = await host.socket();
    await next.request("reconnect", back(lastSeen));
    next.dispatch({ type: "terminal/input", data: "echo n-$((n+=1))\r" }, uri, typed);
    next.dispatch({ type: "terminal/titleChanged", title: "Mine" }, uri, renamed);
    next.dispatch({ type: "terminal/resized", cols: 0, rows: 1 }, uri, refused);
    next.dispatch({ type: "terminal/input", data: "echo m-$((n+=1))\r" }, uri, refused + 1);
    const again = await next.action("terminal/titleChanged", ({ origin }) => origin !== undefined);
    // Not with its old number: a client that has seen later ones would pass it over (E324).
    expect(again.serverSeq).toBeGreaterThanOrEqual(Math.max(serverSeq, lastSeen));
    expect(again).toMatchObject({
      action: { title: "Mine" },
      origin: { clientId: "ada", clientSeq: renamed },
    });
    expect(await next.action("terminal/resized", ({ origin }) => origin !== undefined)).toHaveProperty(
      "rejectionReason",
    );
    // Typed twice, the number would be three.
    await expect.poll(() => next.output()).toContain("m-2");
  },
);

test("[E72] a new introduction starts a new count", async () => {
  const host = await serveHost();
  const client = await open(host);
  client.dispatch({ type: "terminal/titleChanged", title: "One" }, uri, 1);
  await client.action("terminal/titleChanged", ({ action }) => action.title === "One");
  await cut(client);
  const next = await host.client({ clientId: "ada", subscriptions: [uri] });
  next.dispatch({ type: "terminal/titleChanged", title: "Two" }, uri, 1);
  const echo = await next.action("terminal/titleChanged", ({ action }) => action.title === "Two");
  expect(echo).toMatchObject({ origin: { clientId: "ada", clientSeq: 1 } });
});

test("[E86] a client that reconnects while its old connection is still there takes its place", async () => {
  const host = await serveHost();
  const client = await open(host);
  const next = await host.socket();
  await next.request("reconnect", back(0));
  expect(await client.closed).toBe(4409);
  next.dispatch({ type: "terminal/input", data: "echo here-$((3+3))\r" }, uri, 1);
  await expect.poll(() => next.output()).toContain("here-6");
});

test("[E87] our client reconnects after a loss, with the same state and title as all others", async () => {
  const host = await serveHost();
  const holder = await open(host);
  const sockets: WebSocket[] = [];
  const own = await host.own("own", {
    backoff: { firstMs: 5, maxMs: 20 },
    open: () => {
      const socket = new WebSocket(host.address());
      sockets.push(socket);
      return transportOf(socket);
    },
  });
  const handle = await own.subscribe(uri, "terminal");
  sockets.at(-1)?.terminate();
  holder.dispatch({ type: "terminal/titleChanged", title: "While away" }, uri);
  await expect.poll(() => handle.state.title).toBe("While away");
  expect(sockets.length).toBeGreaterThan(1);
});

test("[E116] a client that is back leaves nothing of its connections before behind", async () => {
  const host = await serveHost();
  let client = await open(host);
  let lastSeen = 0;
  for (let times = 0; times < 20; times += 1) {
    lastSeen = Math.max(lastSeen, await cut(client));
    client = await host.socket();
    expect(await client.request("reconnect", back(lastSeen))).toMatchObject({ type: "replay" });
  }
  await expect.poll(() => queryObjects(AhpConnection, { format: "count" })).toBeLessThan(5);
});

test("[E116] a client that disconnects while it subscribes leaves nothing behind", async () => {
  const held: (() => void)[] = [];
  let isHeld = false;
  const host = await serveHost({
    wrapPort: (port) =>
      forwardTo(port, {
        start: async (request, sink) => {
          if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
          return port.start(request, sink);
        },
      }),
  });
  execFileSync("git", ["init", "-q"], { cwd: host.work });
  const owner = await host.client({ clientId: "other" });
  const session = "mine:/followed";
  const workingDirectory = pathToFileURL(host.work).href;
  await owner.request("createSession", { channel: session, provider: "mine", workingDirectory });
  await expect.poll(() => host.host.hub.state(session, "session")?.lifecycle.status).toBe("ready");
  const channel = `${session}/changeset/session`;
  // The host reads the changes with git, and the client is gone before git has begun.
  isHeld = true;
  const before = queryObjects(AhpConnection, { format: "count" });
  for (let times = 0; times < 4; times += 1) {
    const client = await host.client({ clientId: `client-${times}` });
    client.send({ jsonrpc: "2.0", id: "late", method: "subscribe", params: { channel } });
    await expect.poll(() => held.length).toBeGreaterThan(0);
    await cut(client);
  }
  await expect.poll(async () => (await clientsOf(host)).length).toBe(1);
  isHeld = false;
  for (const release of held) release();
  // It is answered after those that were asked for before.
  await owner.subscribe(channel);
  await expect.poll(() => queryObjects(AhpConnection, { format: "count" })).toBeLessThan(before + 2);
});

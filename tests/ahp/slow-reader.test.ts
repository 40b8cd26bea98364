// Shows that a client that reads slowly or not at all costs the host little, costs nobody else anything, and converges.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { useServedHosts, transportOf, type ServedHost } from "./served-host.ts";
import type { HeardPart, HeardSnapshot } from "./heard.ts";
import type { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();

const flood = "ahp-terminal:/flood";
const quiet = "ahp-terminal:/quiet";
const isLong = process.env["HOLDFAST_LONG"] !== undefined;
/** Several times what the host and the system keep for a client that does not read. */
const floodBytes = isLong ? 40_000_000 : 16_000_000;

async function openTerminals(host: ServedHost): Promise<WireClient> {
  const client = await host.client({ clientId: "ada" });
  const claim = { kind: "client", clientId: "ada" };
  for (const channel of [flood, quiet]) {
    await client.request("createTerminal", { channel, claim });
    await client.subscribe(channel);
  }
  return client;
}

/** How long it takes until what is typed is seen, in milliseconds. */
async function typeInto(client: WireClient, channel: string, word: string): Promise<number> {
  const startMs = performance.now();
  client.dispatch({ type: "terminal/input", data: `: ${word}\r` }, channel);
  await client.action(
    "terminal/data",
    ({ channel: of, action }) => of === channel && (action.data ?? "").includes(word),
  );
  return performance.now() - startMs;
}

/** A viewer's screen of a terminal, from its snapshot and the actions since. */
function shownBy(client: WireClient, channel: string, snapshot: HeardSnapshot): string {
  let text = textOf(snapshot.state.content);
  for (const { channel: of, action, rejectionReason } of client.actions) {
    if (of !== channel || rejectionReason !== undefined) continue;
    if (action.type === "terminal/cleared") text = "";
    if (action.type === "terminal/data") text += action.data;
  }
  return text;
}

function textOf(content: readonly HeardPart[] = []): string {
  return content.map((part) => (part.type === "command" ? part.output : part.value)).join("");
}

test.each(isLong ? ["\\0", "\\a", "\\001"] : ["\\0"])(
  "[E450] output of nothing but %s reaches its viewer to the exit, and the next terminal is heard",
  async (byte) => {
    const host = await serveHost();
    const ada = await openTerminals(host);
    for (const [channel, count] of [
      [flood, 300_000],
      [quiet, 3_000_000],
    ] as const) {
      const line = `head -c ${count} /dev/zero | tr '\\0' '${byte}'; exit 3\r`;
      ada.dispatch({ type: "terminal/input", data: line }, channel);
      const exited = await ada.action("terminal/exited", ({ channel: of }) => of === channel);
      expect(exited.action).toMatchObject({ exitCode: 3 });
    }
  },
);

test("[E83] a client that does not read a flood still hears, once it reads, how it ended, and holds nobody up", async () => {
  const host = await serveHost();
  const ada = await openTerminals(host);
  const slow = await host.client({ clientId: "slow" });
  const snapshot = await slow.subscribe(flood);
  slow.socket.pause();
  const line = `head -c ${floodBytes} /dev/zero | tr '\\0' x; echo; echo all-$((20+1)); exit 7\r`;
  ada.dispatch({ type: "terminal/input", data: line }, flood);
  const latencies: number[] = [];
  const flooding = { hasEnded: false };
  void ada.action("terminal/exited").then(() => (flooding.hasEnded = true));
  while (!flooding.hasEnded) latencies.push(await typeInto(ada, quiet, `r${latencies.length}.`));
  slow.socket.resume();
  const exited = await slow.action("terminal/exited");
  expect(exited).toMatchObject({ action: { exitCode: 7 } });
  const fresh = await host.client({ clientId: "fresh" });
  const whole = await fresh.subscribe(flood);
  const expected = textOf(whole.state.content);
  expect(expected).toContain("all-21");
  const shown = shownBy(slow, flood, snapshot);
  expect(shown.endsWith(expected.slice(-100_000))).toBe(true);
  // It was not sent all that was written: most of it was over before it read.
  expect(slow.output().length).toBeLessThan(floodBytes / 2);
  const numbers = slow.actions.map(({ serverSeq }) => serverSeq);
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  const sorted = latencies.toSorted((one, other) => one - other);
  // Somebody who types is not kept waiting: half of the echoes come within a few batches of output.
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(100);
  expect(host.faults).toEqual([]);
});

test("[E852] a watch of files does not push a flood to a client that does not read, and loses nothing", async () => {
  const host = await serveHost();
  const ada = await openTerminals(host);
  const slow = await host.client({ clientId: "slow" });
  await slow.subscribe(flood);
  const folder = path.join(host.work, "watched");
  mkdirSync(folder);
  const uri = pathToFileURL(folder).href;
  await slow.request("resourceRequest", { channel: "ahp-root://", uri, read: true });
  const created = await slow.request("createResourceWatch", { channel: "ahp-root://", uri });
  const { channel = "" } = created as { channel?: string };
  await slow.subscribe(channel);
  const watcher = await host.client({ clientId: "watcher" });
  await watcher.subscribe(channel);
  slow.socket.pause();
  const names = Array.from({ length: 25 }, (_, index) => `file-${index}.txt`);
  // Less than a log keeps comes between two changes of files.
  for (const name of names) {
    const line = `head -c 600000 /dev/zero | tr '\\0' x; echo; echo wrote-"${name}"\r`;
    ada.dispatch({ type: "terminal/input", data: line }, flood);
    await ada.wrote(`wrote-${name}`);
    writeFileSync(path.join(folder, name), "");
    await watcher.notified((heard) => JSON.stringify(heard).includes(name));
  }
  ada.dispatch({ type: "terminal/input", data: "exit 7\r" }, flood);
  slow.socket.resume();
  await slow.action("terminal/exited");
  const watched = (): string =>
    JSON.stringify(slow.actions.filter(({ action }) => action.type === "resourceWatch/changed"));
  await expect.poll(watched).toContain(names.at(-1));
  expect(names.filter((name) => !watched().includes(name))).toEqual([]);
  expect(slow.output().length).toBeLessThan((names.length * 600_000) / 2);
  const numbers = slow.actions.map(({ serverSeq }) => serverSeq);
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
});

test("[E852] a client that does not read annotations is cut off, and comes back to their state", async () => {
  const host = await serveHost();
  const ada = await host.client({ clientId: "ada" });
  const session = "mine:/noted";
  const workingDirectories = [`file://${host.work}`];
  await ada.request("createSession", { channel: session, provider: "mine", workingDirectories });
  const channel = `${session}/annotations`;
  const slow = await host.client({ clientId: "slow" });
  await slow.subscribe(channel);
  slow.socket.pause();
  await ada.subscribe(channel);
  for (let round = 0; round < 300; round += 1) {
    const entries = [{ id: "e", text: `${round} ${"x".repeat(60_000)}` }];
    const range = { start: { line: 2, character: 0 }, end: { line: 4, character: 3 } };
    const annotation = { id: "a", turnId: "t", resource: "file:///a", range, resolved: false, entries };
    const clientSeq = ada.dispatch({ type: "annotations/set", annotation }, channel);
    await ada.notified(({ params }) => params?.origin?.clientSeq === clientSeq);
  }
  slow.socket.resume();
  expect(await slow.closed).toBe(1013);
});

test("[E84] a client that was cut off in a flood is caught up in band, and the rest is replayed", async () => {
  const host = await serveHost();
  const ada = await openTerminals(host);
  const slow = await host.client({ clientId: "slow" });
  await slow.subscribe(flood);
  await slow.subscribe(quiet);
  slow.socket.terminate();
  await slow.closed;
  ada.dispatch({ type: "terminal/titleChanged", title: "Renamed" }, quiet);
  ada.dispatch(
    { type: "terminal/input", data: "head -c 5000000 /dev/zero | tr '\\0' y; echo; echo end-$((1+1))\r" },
    flood,
  );
  await ada.wrote("end-2");
  const back = await host.socket();
  const lastSeenServerSeq = Math.max(0, ...slow.actions.map(({ serverSeq }) => serverSeq));
  const first = slow.heard.find(({ result }) => result?.serverSeq !== undefined)?.result?.serverSeq ?? 0;
  const answer = await back.request("reconnect", {
    clientId: "slow",
    lastSeenServerSeq: Math.max(first, lastSeenServerSeq),
    subscriptions: [flood, quiet],
  });
  expect(answer.type).toBe("replay");
  expect(JSON.stringify(answer.actions)).toContain("Renamed");
  await back.action("terminal/cleared", ({ channel }) => channel === flood);
  await back.wrote("end-2");
});

test("[E84] our own client's state of a terminal that was caught up is that of a new one", async () => {
  const host = await serveHost();
  const ada = await openTerminals(host);
  const sockets: WebSocket[] = [];
  const own = await host.own("own", {
    open: () => {
      const socket = new WebSocket(host.address());
      sockets.push(socket);
      return transportOf(socket);
    },
  });
  let hasCleared = false;
  const handle = await own.subscribe(flood, "terminal", {
    onEvent: (event) => {
      hasCleared ||= event.type === "action" && event.action.type === "terminal/cleared";
    },
  });
  sockets.at(-1)?.pause();
  ada.dispatch(
    { type: "terminal/input", data: `head -c ${floodBytes} /dev/zero | tr '\\0' z; echo; exit\r` },
    flood,
  );
  await ada.action("terminal/exited");
  sockets.at(-1)?.resume();
  await expect.poll(() => handle.confirmed.lifecycle.status).toBe("exited");
  const other = await host.own("other");
  const fresh = await other.subscribe(flood, "terminal");
  expect(hasCleared).toBe(true);
  const { openCommand: _open, lastCommand: _last, ...expected } = fresh.confirmed;
  await expect.poll(() => handle.confirmed).toMatchObject(expected);
});

test("[E88] a client that is too slow for a chat is cut off, and comes back to its state", async () => {
  const content = { type: "text", text: "$prompt.text" };
  const say = { do: "update", update: { sessionUpdate: "agent_message_chunk", content } };
  const host = await serveHost({ script: { prompts: { "*": Array.from({ length: 120 }, () => say) } } });
  const session = "mine:/long";
  const chat = defaultChatUri(makeId("session URI", session));
  const ada = await host.client({ clientId: "ada" });
  await ada.request("createSession", {
    channel: session,
    provider: "mine",
    workingDirectories: [`file://${host.work}`],
  });
  await ada.subscribe(session);
  const slow = await host.client({ clientId: "slow", subscriptions: [chat] });
  slow.socket.pause();
  const message = { text: "x".repeat(200_000), origin: { kind: "user" } };
  ada.dispatch(
    { type: "chat/turnStarted", turnId: "t1", startedAt: "2026-01-01T00:00:00.000Z", message },
    chat,
  );
  await expect.poll(() => host.host.hub.state(chat, "chat")?.turns.length).toBe(1);
  slow.socket.resume();
  expect(await slow.closed).toBe(1013);
  const back = await host.socket();
  const lastSeenServerSeq = Math.max(0, ...slow.actions.map(({ serverSeq }) => serverSeq));
  const answer = await back.request("reconnect", {
    clientId: "slow",
    lastSeenServerSeq,
    subscriptions: [chat],
  });
  expect(answer).toMatchObject({ type: "snapshot", snapshots: [{ resource: chat }] });
});

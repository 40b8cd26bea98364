// A feed gives what memory and what is kept hold together, each entry once, in order.
import { makeId, type PartId, type TurnId } from "@holdfast/ahp";
import { expect, it } from "vitest";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { openSession } from "../testing/storage-samples.ts";
import { Hub } from "./hub.ts";
import { LogFeed } from "./log-feed.ts";

const turnId: TurnId = makeId("turn", "turn-1");
const partId: PartId = makeId("part", "part-1");

interface World {
  readonly hub: Hub;
  readonly storage: MemoryStorage;
  readonly chat: string;
}

function openWorld(keepLogBytes?: number, logLimitBytes?: number): World {
  const storage = new MemoryStorage(keepLogBytes === undefined ? {} : { keepLogBytes });
  const { journal, sequence } = storage;
  const hub = new Hub({ journal, sequence, ...(logLimitBytes !== undefined && { logLimitBytes }) });
  const { chat } = openSession(hub, "a");
  hub.dispatch(chat, {
    type: "chat/turnStarted",
    turnId,
    startedAt: "2026-01-01T00:00:00.000Z",
    message: { text: "Hi", origin: { kind: "user" } },
  });
  hub.dispatch(chat, {
    type: "chat/responsePart",
    turnId,
    part: { kind: "markdown", id: partId, content: "" },
  });
  return { hub, storage, chat };
}

function say({ hub, chat }: World, from: number, to: number): void {
  for (let index = from; index < to; index += 1) {
    hub.dispatch(chat, { type: "chat/delta", turnId, partId, content: `${index} ` });
  }
}

function openFeed({ hub, storage, chat }: World, afterSeq: number, onReadable = (): void => {}): LogFeed {
  const readLog = storage.readLog.bind(storage);
  return new LogFeed({ hub, uri: chat, readLog, load: () => {}, onReadable }, afterSeq);
}

/** The texts of all that can be read now. */
function texts(feed: LogFeed, maxEntries = 3): string[] {
  const found: string[] = [];
  while (feed.hasMore) {
    const reading = feed.read(maxEntries);
    if (reading.kind !== "entries") return [...found, reading.kind];
    if (reading.entries.length === 0) break;
    found.push(
      ...reading.entries.map(({ action }) => (action.type === "chat/delta" ? action.content : action.type)),
    );
  }
  return found;
}

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `${from + index} `);

it("[H20] reads on from what is kept into what memory holds, each entry once", async () => {
  const world = openWorld();
  say(world, 0, 10);
  await world.hub.settled();
  world.hub.forgetLog(world.chat);
  say(world, 10, 20);
  await world.hub.settled();
  const whole = ["chat/turnStarted", "chat/responsePart", ...numbers(0, 20)];
  const { serverSeq = 0 } = world.storage.readLog(world.chat, 0, 100).entries[0] ?? {};
  for (let index = 0; index <= whole.length; index += 1) {
    const feed = openFeed(world, serverSeq - 1 + index);
    expect(texts(feed)).toEqual(whole.slice(index));
    feed.close();
  }
});

it("[H20] is told of what comes after the last entry that is kept", async () => {
  const world = openWorld();
  say(world, 0, 5);
  await world.hub.settled();
  world.hub.forgetLog(world.chat);
  let woken = 0;
  const feed = openFeed(world, 0, () => (woken += 1));
  expect(texts(feed)).toHaveLength(7);
  say(world, 5, 7);
  await world.hub.settled();
  expect(woken).toBe(1);
  expect(texts(feed)).toEqual(numbers(5, 7));
});

it("[H20] a reader that is too slow for memory goes on with what is kept, and loses nothing", async () => {
  const world = openWorld(undefined, 2000);
  await world.hub.settled();
  const feed = openFeed(world, 0);
  expect(texts(feed)).toHaveLength(2);
  say(world, 0, 100);
  await world.hub.settled();
  say(world, 100, 200);
  await world.hub.settled();
  expect(world.hub.logStart(world.chat)).toBeGreaterThan(100);
  expect(texts(feed)).toEqual(numbers(0, 200));
  say(world, 200, 203);
  await world.hub.settled();
  expect(texts(feed)).toEqual(numbers(200, 203));
});

it("[H20] says that there is a gap when the beginning is kept nowhere", async () => {
  const world = openWorld(4000);
  say(world, 0, 200);
  await world.hub.settled();
  world.hub.forgetLog(world.chat);
  expect(openFeed(world, 0).read().kind).toBe("gap");
});

it("[H20] ends with a channel that is closed", async () => {
  const world = openWorld();
  say(world, 0, 3);
  await world.hub.settled();
  world.hub.close(world.chat);
  await world.hub.settled();
  expect(texts(openFeed(world, 0)).slice(2)).toEqual([...numbers(0, 3), "closed"]);
});

it("[H21] unloads what is kept and read by nobody, and nothing else", async () => {
  const world = openWorld();
  const { hub, chat, storage } = world;
  expect(hub.unload(chat)).toBe(false);
  await hub.settled();
  const { cursor } = hub.subscribe(chat);
  expect(hub.unload(chat)).toBe(false);
  cursor.close();
  expect(hub.unload(chat)).toBe(true);
  expect(hub.has(chat)).toBe(false);
  const kept = storage.loadChannel(chat);
  expect(kept?.isOpen).toBe(true);
  if (kept?.kind === "chat") hub.restore(chat, "chat", kept.state);
  say(world, 0, 2);
  await hub.settled();
  expect(texts(openFeed(world, 0)).slice(2)).toEqual(numbers(0, 2));
});

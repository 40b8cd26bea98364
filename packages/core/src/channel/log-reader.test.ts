// A reader with a history returns what memory and storage hold together, each entry once, in order.
import { type Action, makeId, type PartId, type TurnId } from "@holdfast/ahp";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { openSession } from "../testing/storage/samples.ts";
import { Hub } from "./hub.ts";
import type { Journal } from "./journal.ts";
import type { LogEntry } from "./log-entry.ts";
import { earliest, LogReader, type NoEntry } from "./log-reader.ts";

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
  return { hub, storage, chat: openChat(hub) };
}

/** A chat in which a turn has begun. */
function openChat(hub: Hub): string {
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
  return chat;
}

function say({ hub, chat }: World, from: number, to: number): void {
  for (let index = from; index < to; index += 1) {
    hub.dispatch(chat, { type: "chat/delta", turnId, partId, content: `${index} ` });
  }
}

function openFeed(
  { hub, storage, chat }: World,
  afterSeq: number,
  onReadable = (): void => {},
  load = (): void => {},
): LogReader {
  const history = {
    uri: chat,
    readPage: (after: number, limit: number) => storage.readLog(chat, after, limit),
    open: () => {
      load();
      return hub.source(chat);
    },
  };
  return new LogReader({ history, afterSeq }, onReadable);
}

/** Brings the chat back if it was unloaded. */
function loadAgain({ hub, storage, chat }: World): void {
  const kept = hub.has(chat) ? undefined : storage.loadChannel(chat);
  if (kept?.kind === "chat") hub.restore(chat, "chat", kept.state);
}

function textOf(action: Action): string {
  return action.type === "chat/delta" ? action.content : action.type;
}

/** The texts of all that can be read now. */
function texts(feed: LogReader, maxEntries = 3): string[] {
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

it("[H20] is notified of what comes after the last entry that is kept", async () => {
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

it("[H20] a reader that is too slow for memory continues with what is kept, and loses nothing", async () => {
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

it("[H20] loses nothing that was too much for memory while nothing could be kept", async () => {
  const storage = new MemoryStorage();
  const { sequence } = storage;
  let isBroken = false;
  const journal: Journal = {
    commit: (records) => {
      if (isBroken) throw new Error("The disk is full");
      return storage.journal.commit(records);
    },
  };
  const hub = new Hub({ journal, sequence, logLimitBytes: 2000, onFault: () => {} });
  const world = { hub, storage, chat: openChat(hub) };
  await hub.settled();
  const feed = openFeed(world, 0);
  expect(texts(feed)).toHaveLength(2);
  isBroken = true;
  say(world, 0, 100);
  await expect(hub.settled()).rejects.toThrow("The disk is full");
  expect(texts(feed)).toEqual([]);
  isBroken = false;
  say(world, 100, 101);
  await hub.settled();
  expect(texts(feed)).toEqual(numbers(0, 101));
});

it("[H20] ends with a channel that is closed", async () => {
  const world = openWorld();
  say(world, 0, 3);
  await world.hub.settled();
  world.hub.close(world.chat);
  await world.hub.settled();
  expect(texts(openFeed(world, 0)).slice(2)).toEqual([...numbers(0, 3), "closed"]);
});

it("[H20][H21] whatever leaves memory between reads, each entry comes once and in order", async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("say" as const), count: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ do: fc.constant("read" as const), count: fc.integer({ min: 1, max: 8 }) }),
    fc.record({ do: fc.constantFrom("settle" as const, "forget" as const, "unload" as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, isSmall) => {
      const world = openWorld(undefined, isSmall ? 2000 : undefined);
      const { hub, chat } = world;
      await hub.settled();
      const load = (): void => loadAgain(world);
      const feeds = [0, 1].map(() => openFeed(world, 0, undefined, load));
      const found: string[][] = [[], []];
      let said = 0;
      for (const next of steps) {
        if (next.do === "say") {
          load();
          say(world, said, (said += next.count));
        } else if (next.do === "read") {
          // The first reads a little, the second is only there at the end.
          const reading = feeds[0]?.read(next.count);
          const entries = reading?.kind === "entries" ? reading.entries : [];
          found[0]?.push(...entries.map(({ action }) => textOf(action)));
        } else if (next.do === "settle") await hub.settled();
        else if (next.do === "forget") hub.forgetLog(chat);
        else hub.unload(chat);
      }
      await hub.settled();
      feeds.forEach((feed, index) => found[index]?.push(...texts(feed)));
      const whole = ["chat/turnStarted", "chat/responsePart", ...numbers(0, said)];
      expect(found).toEqual([whole, whole]);
      feeds.forEach((feed) => feed.close());
    }),
    { numRuns: 200 },
  );
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

it("[H7] peek takes nothing, and an owner that has taken all is woken by the next entry", async () => {
  const world = openWorld();
  await world.hub.settled();
  let woken = 0;
  const { cursor: reader } = world.hub.subscribe(world.chat, () => (woken += 1));
  expect([reader.peek(), reader.take()]).toEqual(["nothing", undefined]);
  say(world, 0, 2);
  await world.hub.settled();
  expect([woken, reader.peek()]).toEqual([1, reader.peek()]);
  expect([textAt(reader.take()), reader.take(), textAt(reader.peek())]).toEqual(["0 ", undefined, "1 "]);
  say(world, 2, 3);
  await world.hub.settled();
  // It knows that there is more.
  expect(woken).toBe(1);
  const rest = [reader.take(), reader.peek(), reader.take(), reader.peek()];
  expect(rest.map(textAt)).toEqual(["1 ", "2 ", "2 ", "nothing"]);
  say(world, 3, 4);
  await world.hub.settled();
  expect(woken).toBe(2);
});

it("[H9][H10] peek reports a gap, and the end of a channel after its last entry", async () => {
  const world = openWorld(undefined, 2000);
  await world.hub.settled();
  const { cursor: slow } = world.hub.subscribe(world.chat);
  say(world, 0, 50);
  await world.hub.settled();
  say(world, 50, 100);
  await world.hub.settled();
  // Without a history nothing else can follow.
  expect([slow.peek(), slow.take(), slow.read().kind]).toEqual(["gap", undefined, "gap"]);
  const { cursor: reader } = world.hub.subscribe(world.chat);
  say(world, 100, 101);
  world.hub.close(world.chat);
  await world.hub.settled();
  expect([textAt(reader.peek()), textAt(reader.take()), reader.peek()]).toEqual(["100 ", "100 ", "closed"]);
  const onClosed = vi.fn<() => void>();
  reader.onClosed(onClosed).close();
  reader.close();
  expect([onClosed.mock.calls.length, reader.peek(), reader.isOver]).toEqual([1, "closed", true]);
});

it("[E74] several logs are read as one, in the order of their numbers", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 60 }), async (steps) => {
      const { hub } = openWorld();
      const chats = ["x", "y", "z"].map((name) => openSession(hub, name).chat);
      const readers = new Set(chats.map((chat) => hub.subscribe(chat).cursor));
      const none: NoEntry[] = [];
      const read: number[] = [];
      const readNext = (): LogEntry | undefined => {
        const entry = earliest(readers, (_reader, why) => none.push(why))?.take();
        if (entry !== undefined) read.push(entry.serverSeq);
        return entry;
      };
      const sent: number[] = [];
      for (const [index, step] of steps.entries()) {
        const chat = chats[step];
        // The step beyond the chats is a read between two ticks.
        if (chat === undefined) {
          await hub.settled();
          readNext();
        } else {
          hub.dispatch(chat, { type: "chat/activityChanged", activity: `step ${index}` });
          sent.push(hub.lastSeq);
        }
      }
      await hub.settled();
      while (readNext() !== undefined);
      expect(read).toEqual(sent);
      expect(new Set(none)).toEqual(new Set(["nothing"]));
    }),
    { numRuns: 100 },
  );
});

function textAt(entry: LogEntry | NoEntry | undefined): string {
  return entry === undefined || typeof entry === "string" ? `${entry}` : textOf(entry.action);
}

it("[H7] wakes a reader that attaches before what was dispatched meanwhile is published", async () => {
  const world = openWorld(undefined, 1);
  say(world, 0, 99);
  await world.hub.settled();
  // Evicts what was published before it.
  say(world, 99, 100);
  await world.hub.settled();
  const onReadable = vi.fn<() => void>();
  const reader = openFeed(world, 0, onReadable);
  // After the first page it reads storage and is not attached.
  expect(reader.read(64)).toMatchObject({ kind: "entries" });
  say(world, 100, 101);
  let reading = reader.read();
  while (reading.kind === "entries" && reading.entries.length > 0) reading = reader.read();
  expect(reading).toEqual({ kind: "entries", entries: [] });
  onReadable.mockClear();
  await world.hub.settled();
  expect(onReadable).toHaveBeenCalledOnce();
  const last = reader.read();
  expect(last.kind === "entries" && last.entries.map(({ action }) => action)).toMatchObject([
    { content: "100 " },
  ]);
});

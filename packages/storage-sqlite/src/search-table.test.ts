// The full-text index: what was there before it, how matches are marked, and SQLite without FTS5.
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type Action,
  makeId,
  newChatState,
  newSessionState,
  chatUri,
  sessionUri,
  type Turn,
} from "@holdfast/ahp";
import { LogEntry, type JournalRecord, type Storage } from "@holdfast/core/ports";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Database } from "./database.ts";
import { checkFile } from "./repair/check-file.ts";
import { openSqliteStorage } from "./sqlite-storage.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;

let folder = "";
let storage: Storage;
const session = sessionUri(makeId("session", "one"));
const chat = chatUri(makeId("chat", "one"));
const at = "2026-01-01T00:00:00.000Z";

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "holdfast-search-"));
});
afterEach(async () => {
  storage.close();
  await rm(folder, { recursive: true });
});

const open = async (): Promise<void> => {
  storage = await openSqliteStorage({ file: path.join(folder, "holdfast.db") });
};

/** A session with turns that nobody indexed. */
async function fill(turns: readonly string[]): Promise<void> {
  const owner = { kind: "person" } as const;
  const names = { key: makeId("session key", "agent:shell:acp:one"), provider: makeId("agent", "shell") };
  const state = { resource: session, ...names, owner, title: "About roses", at, workingDirectories: [] };
  const records: JournalRecord[] = [
    { type: "opened", channel: session, opened: { kind: "session", state: newSessionState(state) } },
    {
      type: "opened",
      channel: chat,
      opened: { kind: "chat", state: newChatState({ resource: chat, title: "x", at }) },
    },
  ];
  const apply = (channel: string, action: Action): void => {
    const serverSeq = storage.sequence.next();
    const entry = new LogEntry({ channel, action, serverSeq, origin: undefined, sizeBytes: 1, atMs: 0 });
    records.push({ type: "applied", entry });
  };
  const phase = { status: "idle" } as const;
  apply(session, {
    type: "session/chatAdded",
    chat: { resource: chat, title: "x", modifiedAt: at, isRead: true, isArchived: false, phase },
  });
  for (const [index, text] of turns.entries()) {
    const turnId = makeId("turn", `${index}`);
    const message = { text, origin: { kind: "user" } } as const;
    apply(chat, { type: "chat/turnStarted", turnId, startedAt: at, message });
    apply(chat, { type: "chat/turnComplete", turnId, endedAt: at, durationMs: 1, stopReason: "end_turn" });
  }
  await storage.journal.commit(records);
}

/** A turn like the first one of the chat. */
function turnOf(id: string, text: string): Turn {
  const stored = storage.loadChannel(chat);
  const [first] = stored?.kind === "chat" ? stored.state.turns : [];
  if (first === undefined) throw new Error("The chat has no turn");
  return { ...first, id: makeId("turn", id), message: { ...first.message, text } };
}

const find = (...words: string[]): unknown[] =>
  storage.search.find({ words, limit: 10 }).map(({ turnId, snippet }) => [turnId, snippet]);

it("[D743] adds the turns of chats that were there before, in steps, and again those of open chats at a start", async () => {
  await open();
  await fill(["the first message", "the second message"]);
  expect(find("message")).toEqual([]);
  let steps = 0;
  while (storage.search.step()) steps += 1;
  expect(steps).toBeGreaterThan(0);
  expect(find("second")).toEqual([["1", "the \u0001second\u0002 message"]]);
  storage.close();
  await open();
  while (storage.search.step()) continue;
  expect(find("first")).toEqual([["0", "the \u0001first\u0002 message"]]);
  expect(find("message")).toHaveLength(2);
  storage.purge(session);
  expect(find("message")).toEqual([]);
});

it("[D743] indexes a part of many turns in a search, and the rest in steps", async () => {
  await open();
  await fill(["a turn"]);
  for (let index = 0; index < 250; index += 1) storage.search.put(chat, turnOf(`${index}`, "message"));
  const count = (): number => storage.search.find({ words: ["message"], limit: 1000 }).length;
  expect(count()).toBe(100);
  while (storage.search.step()) continue;
  expect(count()).toBe(250);
});

it("[D743] finds what is indexed while the database cannot be written", async () => {
  storage = await openSqliteStorage({ file: path.join(folder, "holdfast.db"), busyTimeoutMs: 10 });
  await fill(["the first message"]);
  while (storage.search.step()) continue;
  storage.search.put(chat, turnOf("later", "the later message"));
  const other = await Database.open({ file: path.join(folder, "holdfast.db"), busyTimeoutMs: 10 });
  other.exec("BEGIN IMMEDIATE");
  expect(find("message")).toEqual([["0", "the first \u0001message\u0002"]]);
  other.exec("ROLLBACK");
  other.close();
  expect(find("message")).toHaveLength(2);
});

it("[D743] marks matches and finds titles, in any case and without accents", async () => {
  await open();
  await fill(["Le CAFÉ est fermé"]);
  while (storage.search.step()) continue;
  expect(find("cafe")).toEqual([["0", "Le \u0001CAFÉ\u0002 est fermé"]]);
  expect(find("ROSES")).toEqual([[undefined, "About \u0001roses\u0002"]]);
});

it("[D744] searches without an index where SQLite has no FTS5", async () => {
  const exec = Database.prototype.exec;
  vi.spyOn(Database.prototype, "exec").mockImplementation(function (this: Database, sql) {
    if (sql.includes("fts5")) throw new Error("no such module: fts5");
    exec.call(this, sql);
  });
  await open();
  await fill(["the first message", "the second message"]);
  while (storage.search.step()) continue;
  expect(find("SECOND", "mess")).toEqual([["1", "the \u0001second\u0002 \u0001mess\u0002age\n\n"]]);
  vi.restoreAllMocks();
  storage.close();
  // A later version of SQLite makes the index of what is there.
  await open();
  expect(find("second")).toEqual([["1", "the \u0001second\u0002 message"]]);
});

/** The sizes of texts decide how SQLite lays its index out. */
const texts = fc.array(fc.constantFrom("one", "two", "three", "flood", "x1", "x2", "x33"), {
  minLength: 1,
  maxLength: 400,
});

it("[D745] stays whole, whatever turns are indexed, replaced and removed", async () => {
  await open();
  // A connection that has checked before would check what it remembers.
  const check = async (): Promise<unknown> => {
    const file = path.join(folder, "holdfast.db");
    const database = await Database.openReadOnly({ file, busyTimeoutMs: 1000 });
    const [result] = Object.values(database.all("PRAGMA quick_check")[0] ?? {});
    database.close();
    return result;
  };
  await fill(["message"]);
  const steps = fc.array(fc.record({ turn: fc.nat(30), words: texts }), { minLength: 100, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      for (const [index, { turn, words }] of all.entries()) {
        const text = words.map((word) => `${word}${(index * words.length) % 997}`).join(" ");
        storage.search.put(chat, turnOf(`${turn}`, text));
        storage.search.find({ words: ["one"], limit: 1 });
      }
      expect(await check()).toBe("ok");
    }),
    { numRuns: isLong ? 100 : 3, endOnFailure: true },
  );
  storage.purge(session);
  expect(await check()).toBe("ok");
});

it("[D745] has no word of a removed session in the file", async () => {
  await open();
  await fill(["an unforgettable message"]);
  while (storage.search.step()) continue;
  const file = path.join(folder, "holdfast.db");
  const holds = (): boolean => ["", "-wal"].some((end) => readFileSync(file + end).includes("unforgettable"));
  expect(holds()).toBe(true);
  storage.purge(session);
  expect(holds()).toBe(false);
});

it("[D746] is made again where it is damaged, or was made with a setting that damages it", async () => {
  await open();
  await fill(["the first message", "the second message"]);
  while (storage.search.step()) continue;
  const file = path.join(folder, "holdfast.db");
  for (const damage of [
    "UPDATE search_data SET block = x'ffffffffffff' WHERE id > 10",
    "DELETE FROM search_data WHERE id > 10",
    "INSERT INTO search (search, rank) VALUES ('secure-delete', 1)",
    "INSERT INTO search (search, rowid, prompt, reply, commands) VALUES ('delete', 1, 'else', '', '')",
  ]) {
    storage.close();
    const database = await Database.open({ file, busyTimeoutMs: 1000 });
    database.exec(damage);
    database.close();
    expect(await lastOf(checkFile(file))).toEqual({ checked: true });
    await open();
    expect(find("second")).toEqual([["1", "the \u0001second\u0002 message"]]);
    storage.search.put(chat, turnOf("again", "again"));
    expect(find("again")).toHaveLength(1);
  }
  storage.purge(session);
  expect(find("message")).toEqual([]);
});

async function lastOf<Value>(values: AsyncIterable<Value>): Promise<Value | undefined> {
  let last: Value | undefined;
  for await (const value of values) last = value;
  return last;
}

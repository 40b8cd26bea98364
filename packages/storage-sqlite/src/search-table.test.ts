// The full-text index: what was there before it, how matches are marked, and SQLite without FTS5.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Action, makeId, newChatState, newSessionState, chatUri, sessionUri } from "@holdfast/ahp";
import { LogEntry, type JournalRecord, type Storage } from "@holdfast/core/ports";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Database } from "./database.ts";
import { openSqliteStorage } from "./sqlite-storage.ts";

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

// The log of a turn whose state has left text out: it is not trimmed, and is read as it was.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeId, newChatState, type Action } from "@holdfast/ahp";
import { LogEntry, type Storage, type StoredAction } from "@holdfast/core/ports";
import { expect, it, onTestFinished } from "vitest";
import { openSqliteStorage } from "./sqlite-storage.ts";

const chat = makeId("chat URI", "ahp-chat:/c");
const at = "2026-01-01T00:00:00.000Z";

async function openChat(): Promise<Storage> {
  const folder = await mkdtemp(path.join(tmpdir(), "holdfast-kept-"));
  const file = path.join(folder, "holdfast.db");
  const storage = await openSqliteStorage({ file, keepLogBytes: 20_000, snapshotAfterBytes: 1000 });
  onTestFinished(async () => {
    storage.close();
    await rm(folder, { recursive: true });
  });
  const state = newChatState({ resource: chat, title: "", at });
  await storage.journal.commit([{ type: "opened", channel: chat, opened: { kind: "chat", state } }]);
  return storage;
}

async function apply({ journal, sequence }: Storage, action: Action): Promise<number> {
  const serverSeq = sequence.next();
  const parts = { channel: chat, serverSeq, action, origin: undefined, sizeBytes: 1, atMs: 0 };
  await journal.commit([{ type: "applied", entry: new LogEntry(parts) }]);
  // Snapshots are written, and logs trimmed, between the ticks.
  await new Promise((resolve) => setImmediate(resolve));
  return serverSeq;
}

/** A turn of 40 pieces of 1,000 characters; one that is `long` leaves out of its state all but the last. */
async function runTurn(storage: Storage, name: string, isLong: boolean): Promise<number> {
  const turnId = makeId("turn", name);
  const partId = makeId("part", name);
  const message = { text: "Go", origin: { kind: "user" } } as const;
  const startSeq = await apply(storage, { type: "chat/turnStarted", turnId, startedAt: at, message });
  const part = { kind: "markdown", id: partId, content: "" } as const;
  await apply(storage, { type: "chat/responsePart", turnId, part });
  for (let piece = 0; piece < 40; piece += 1) {
    await apply(storage, { type: "chat/delta", turnId, partId, content: `${piece}`.padEnd(1000, ".") });
    if (!isLong || piece === 0) continue;
    await apply(storage, { type: "chat/textOmitted", turnId, partId, charCount: 1000 });
  }
  const ended = { turnId, endedAt: at, durationMs: 1, stopReason: "end_turn" } as const;
  await apply(storage, { type: "chat/turnComplete", ...ended });
  return startSeq;
}

/** The log from a number up to the end of the turn that begins there. */
function readTurn(storage: Storage, startSeq: number): StoredAction[] {
  const read: StoredAction[] = [];
  for (let afterSeq = startSeq - 1; read.at(-1)?.action.type !== "chat/turnComplete";) {
    const page = storage.readLog(chat, afterSeq, 7);
    if (!page.isComplete || page.entries.length === 0) throw new Error(`The log ends after ${afterSeq}.`);
    read.push(...page.entries);
    afterSeq = page.entries.at(-1)?.serverSeq ?? afterSeq;
    const end = read.findIndex(({ action }) => action.type === "chat/turnComplete");
    if (end >= 0) return read.slice(0, end + 1);
  }
  return read;
}

it("[D240] the log of the newest turn stays whole for readers that are behind when it ends", async () => {
  const storage = await openChat();
  const firstSeq = await runTurn(storage, "first", false);
  expect(readTurn(storage, firstSeq)).toHaveLength(43);
  await runTurn(storage, "second", false);
  expect(storage.readLog(chat, firstSeq - 1, 10).isComplete).toBe(false);
});

it("[D240] the log of a turn that left text out of its state stays whole and is read from any place in it", async () => {
  const storage = await openChat();
  const shortSeq = await runTurn(storage, "short", false);
  const longSeq = await runTurn(storage, "long", true);
  for (const name of ["a", "b", "c", "d"]) await runTurn(storage, name, false);
  const lastSeq = await runTurn(storage, "last", false);

  expect(storage.readLog(chat, shortSeq - 1, 10).isComplete).toBe(false);
  expect(storage.findTurnStart(chat, { turnId: "short" })).toBeUndefined();
  expect(storage.findTurnStart(chat, { turnId: "long" })).toBe(longSeq);
  expect(storage.findTurnStart(chat, { atOrBefore: longSeq + 5 })).toBe(longSeq);
  const log = readTurn(storage, longSeq);
  const text = log.map(({ action }) => (action.type === "chat/delta" ? action.content : "")).join("");
  expect(text).toHaveLength(40_000);
  expect(text.startsWith("0...")).toBe(true);

  // After it, what is gone is said to be gone.
  const lastOfLong = log.at(-1)?.serverSeq ?? 0;
  expect(storage.readLog(chat, lastOfLong, 10)).toMatchObject({ isComplete: false });
  expect(storage.findTurnStart(chat, { turnId: "a" })).toBeUndefined();
  expect(readTurn(storage, lastSeq).length).toBeGreaterThan(40);
});

it("[D240] while a turn runs its log is not trimmed, because text may still leave its state", async () => {
  const storage = await openChat();
  const turnId = makeId("turn", "running");
  const partId = makeId("part", "running");
  const message = { text: "Go", origin: { kind: "user" } } as const;
  const startSeq = await apply(storage, { type: "chat/turnStarted", turnId, startedAt: at, message });
  await apply(storage, {
    type: "chat/responsePart",
    turnId,
    part: { kind: "markdown", id: partId, content: "" },
  });
  for (let piece = 0; piece < 60; piece += 1) {
    await apply(storage, { type: "chat/delta", turnId, partId, content: "x".repeat(1000) });
  }
  expect(storage.readLog(chat, startSeq - 1, 1).isComplete).toBe(true);
  await apply(storage, { type: "chat/textOmitted", turnId, partId, charCount: 59_000 });
  await runTurnEnd(storage, turnId);
  for (const name of ["a", "b"]) await runTurn(storage, name, false);
  const text = readTurn(storage, startSeq)
    .map(({ action }) => (action.type === "chat/delta" ? action.content : ""))
    .join("");
  expect(text).toHaveLength(60_000);
});

async function runTurnEnd(storage: Storage, turnId: ReturnType<typeof makeId<"turn">>): Promise<void> {
  await apply(storage, {
    type: "chat/turnComplete",
    turnId,
    endedAt: at,
    durationMs: 1,
    stopReason: "end_turn",
  });
}

// Behaviour specific to a database: the file's permissions, the state after a failed commit, unreadable content.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeId, newChatState, type Action } from "@holdfast/ahp";
import { LogEntry, type JournalRecord, type Storage } from "@holdfast/core/ports";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { connect, type Connection, numberOf } from "./driver.ts";
import { openSqliteStorage } from "./sqlite-storage.ts";

const chat = makeId("chat URI", "ahp-chat:/c");
const turnId = makeId("turn", "t");
const partId = makeId("part", "p");
const opened: JournalRecord = {
  type: "opened",
  channel: chat,
  opened: {
    kind: "chat",
    state: newChatState({ resource: chat, title: "", at: "2026-01-01T00:00:00.000Z" }),
  },
};

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "holdfast-database-"));
  file = path.join(folder, "holdfast.db");
  onTestFinished(() => rm(folder, { recursive: true }));
});

function applied({ sequence }: Storage, action: Action): JournalRecord {
  const entry = {
    channel: chat,
    serverSeq: sequence.next(),
    action,
    origin: undefined,
    sizeBytes: 1,
    atMs: 0,
  };
  return { type: "applied", entry: new LogEntry(entry) };
}

function titled(storage: Storage, title: string): JournalRecord {
  return applied(storage, { type: "chat/titleChanged", title });
}

/** A turn that says something in pieces. */
function turn(storage: Storage, pieces: number): JournalRecord[] {
  const startedAt = "2026-01-01T00:00:00.000Z";
  const message = { text: "Go", origin: { kind: "user" } } as const;
  // In the order of their numbers.
  const started = applied(storage, { type: "chat/turnStarted", turnId, startedAt, message });
  const part = { kind: "markdown", id: partId, content: "" } as const;
  const begun = applied(storage, { type: "chat/responsePart", turnId, part });
  const deltas = Array.from({ length: pieces }, (_, index) =>
    applied(storage, { type: "chat/delta", turnId, partId, content: `piece ${index} ` }),
  );
  return [started, begun, ...deltas];
}

/** A second way into the database, as another program has it. */
async function look(): Promise<Connection> {
  const connection = await connect(file);
  onTestFinished(() => connection.close());
  return connection;
}

function count(connection: Connection, table: string): number {
  return numberOf(connection.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get([]) ?? {}, "n");
}

describe("the database", () => {
  it("[D14] can be read by its owner alone, and so can the files beside it", async () => {
    await writeFile(file, "", { mode: 0o644 });
    const storage = await openSqliteStorage({ file });
    void storage.journal.commit([opened]);
    const files = await readdir(folder);
    expect(files.length).toBeGreaterThan(1);
    for (const each of files) expect((await stat(path.join(folder, each))).mode & 0o777).toBe(0o600);
    storage.close();
  });

  it("[D4] joins adjacent text of one part into few rows, across commits and within one", async () => {
    const storage = await openSqliteStorage({ file });
    const [started, part, ...deltas] = turn(storage, 100);
    if (!started || !part) throw new Error("a turn begins");
    void storage.journal.commit([opened, started, part, ...deltas.slice(0, 50)]);
    for (const delta of deltas.slice(50)) void storage.journal.commit([delta]);
    expect(count(await look(), "action")).toBe(3);
    expect(storage.readLog(chat, 0, 1000).entries).toHaveLength(102);
    storage.close();
  });

  it("[D4] keeps rows short, so that a long text is not written again and again", async () => {
    const storage = await openSqliteStorage({ file });
    void storage.journal.commit([opened, ...turn(storage, 2000)]);
    const longest = (await look())
      .prepare("SELECT MAX(LENGTH(body)) AS n, COUNT(*) AS rows FROM action")
      .get([]);
    expect(numberOf(longest ?? {}, "n")).toBeLessThan(4096);
    expect(numberOf(longest ?? {}, "rows")).toBeLessThan(30);
    storage.close();
  });

  it("[D9] keeps nothing of a commit that fails, and takes the same records again", async () => {
    const storage = await openSqliteStorage({ file, busyTimeoutMs: 1 });
    const [started, part, ...deltas] = turn(storage, 4);
    if (!started || !part) throw new Error("a turn begins");
    void storage.journal.commit([opened, started, part, ...deltas.slice(0, 2)]);
    const before = storage.readLog(chat, 0, 100);
    const other = await look();
    other.exec("BEGIN IMMEDIATE");
    const records = [...deltas.slice(2), titled(storage, "after")];
    expect(() => storage.journal.commit(records)).toThrow(/holds a lock on/);
    expect(storage.readLog(chat, 0, 100)).toEqual(before);
    other.exec("ROLLBACK");
    void storage.journal.commit(records);
    expect(storage.readLog(chat, 0, 100).entries).toHaveLength(7);
    expect(storage.loadChannel(chat)?.state).toMatchObject({
      title: "after",
      activeTurn: { openPart: { content: "piece 0 piece 1 piece 2 piece 3 " } },
    });
    storage.close();
  });

  it("[D9] forgets what it had in mind when a commit fails half way", async () => {
    const storage = await openSqliteStorage({ file });
    const [started, part, ...deltas] = turn(storage, 3);
    if (!started || !part) throw new Error("a turn begins");
    void storage.journal.commit([opened, started, part, ...deltas.slice(0, 1)]);
    const other = await look();
    other.exec(
      `CREATE TRIGGER full BEFORE INSERT ON action WHEN NEW.body LIKE '%poison%'
       BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
    );
    const records = [...deltas.slice(1), titled(storage, "poison"), titled(storage, "after")];
    expect(() => storage.journal.commit(records)).toThrow("the disk is full");
    expect(storage.readLog(chat, 0, 100).entries).toHaveLength(3);
    other.exec("DROP TRIGGER full");
    void storage.journal.commit(records);
    expect(storage.readLog(chat, 0, 100).entries).toHaveLength(7);
    expect(storage.loadChannel(chat)?.state).toMatchObject({
      title: "after",
      activeTurn: { openPart: { content: "piece 0 piece 1 piece 2 " } },
    });
    storage.close();
  });

  it("[D9] takes records that were kept after all as done", async () => {
    const storage = await openSqliteStorage({ file });
    const records = [titled(storage, "a"), titled(storage, "b")];
    void storage.journal.commit([opened]);
    void storage.journal.commit(records);
    void storage.journal.commit([...records, titled(storage, "c")]);
    expect(storage.readLog(chat, 0, 10).entries).toHaveLength(3);
    expect(storage.loadChannel(chat)).toMatchObject({ state: { title: "c" } });
    storage.close();
  });

  it("[D9] writes nothing at all for a tick in which everything is transient", async () => {
    const storage = await openSqliteStorage({ file });
    void storage.journal.commit([opened]);
    const walBytes = async (): Promise<number> => (await stat(`${file}-wal`)).size;
    const before = await walBytes();
    void storage.journal.commit([
      applied(storage, { type: "chat/draftChanged", draft: { text: "x", origin: { kind: "user" } } }),
    ]);
    expect(await walBytes()).toBe(before);
    storage.close();
  });

  it("[D6] writes states outside of commits, and replays only what came after", async () => {
    const storage = await openSqliteStorage({ file, snapshotAfterBytes: 500 });
    void storage.journal.commit([opened, ...turn(storage, 200)]);
    const connection = await look();
    const snapshotSeq = (): number => {
      return numberOf(connection.prepare("SELECT seq FROM snapshot").get([]) ?? {}, "seq");
    };
    expect(snapshotSeq()).toBe(0);
    await new Promise((resolve) => {
      setImmediate(() => setImmediate(resolve));
    });
    expect(snapshotSeq()).toBe(202);
    // The old rows are not looked at: the state is there without them.
    connection.exec("UPDATE action SET body = 'nonsense'");
    // More text of the same part does not join a row that is not looked at.
    void storage.journal.commit([
      applied(storage, { type: "chat/delta", turnId, partId, content: "the end" }),
    ]);
    const loaded = storage.loadChannel(chat);
    expect(loaded).toMatchObject({ seq: 203, state: { activeTurn: { openPart: { id: partId } } } });
    expect(JSON.stringify(loaded)).toContain("piece 199 the end");
    storage.close();
  });

  it("[D14] reports a row that cannot be read, and gives the rest of the channel", async () => {
    const faults: unknown[] = [];
    const storage = await openSqliteStorage({ file, onFault: (error) => faults.push(error) });
    const records = ["a", "b", "c"].map((title) => titled(storage, title));
    void storage.journal.commit([
      opened,
      ...records,
      applied(storage, { type: "chat/isReadChanged", isRead: false }),
    ]);
    (await look()).exec(`UPDATE action SET body = '{"type":"chat/titleChanged"}' WHERE seq = 3`);
    expect(storage.loadChannel(chat)).toMatchObject({ seq: 4, state: { title: "b", isRead: false } });
    expect(faults).toMatchObject([{ code: "damaged", message: expect.stringContaining("Action 3") }]);
    storage.close();
  });

  it("[D14] refuses a database or a row of a newer Holdfast, and a file that is no database", async () => {
    const storage = await openSqliteStorage({ file });
    void storage.journal.commit([opened, titled(storage, "a")]);
    const connection = await look();
    connection.exec("UPDATE action SET model_version = 999");
    expect(() => storage.loadChannel(chat)).toThrow(expect.objectContaining({ code: "too_new" }));
    storage.close();
    connection.exec("PRAGMA user_version = 999");
    await expect(openSqliteStorage({ file })).rejects.toMatchObject({ code: "too_new" });

    const text = path.join(folder, "text.db");
    await writeFile(
      text,
      "This is no database, though it is long enough to be read as the first page of one.".repeat(60),
    );
    await expect(openSqliteStorage({ file: text })).rejects.toMatchObject({ code: "corrupt" });
    expect(await readFile(text, "utf8")).toMatch(/^This is no database/);
    const nowhere = path.join(folder, "missing", "holdfast.db");
    await expect(openSqliteStorage({ file: nowhere })).rejects.toMatchObject({ code: "unusable" });
  });

  it("[D10] leaves nothing of a purged session in the files", async () => {
    const storage = await openSqliteStorage({ file });
    const session = makeId("session URI", "ahp-session:/s");
    void storage.journal.commit([opened, titled(storage, "a very secret title")]);
    (await look()).exec(`UPDATE channel SET session_uri = '${session}'`);
    storage.purge(session);
    for (const each of await readdir(folder)) {
      expect((await readFile(path.join(folder, each))).includes("a very secret title")).toBe(false);
    }
    storage.close();
  });
});

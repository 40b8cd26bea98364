// Behaviour of every store of sessions, and of the folder in particular.
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textBlock } from "../acp/session-update.ts";
import { makeScratchFolder } from "../testing/shell-fixture.ts";
import { FolderStore, MemoryStore } from "./session-store.ts";
import type { KeptSession } from "./session.ts";

const scratch = makeScratchFolder();
const makeFolderStore = (folder: string): FolderStore =>
  new FolderStore(folder, (error) => {
    expect(error).toBeUndefined();
  });

function makeSession(title: string, sessionId: string = randomUUID()): KeptSession {
  return {
    record: {
      sessionId,
      cwd: "/tmp",
      title,
      updatedAt: "2026-01-01T00:00:00.000Z",
      mode: "trust",
      output: "none",
      allowed: ["writes"],
    },
    history: {
      dropped: 3,
      updates: [{ sessionUpdate: "agent_message_chunk", messageId: "m", content: textBlock(title) }],
    },
  };
}

describe.each([
  ["in memory", () => new MemoryStore()],
  ["in a folder", () => makeFolderStore(join(scratch, randomUUID(), "deep"))],
])("a store %s", (_name, makeStore) => {
  it("[S18] gives back what was saved last, at once", async () => {
    const store = makeStore();
    const session = makeSession("first");
    store.save(session);
    expect(await store.load(session.record.sessionId)).toEqual(session);
    const latest = makeSession("latest", session.record.sessionId);
    for (const title of ["a", "b", "c"]) store.save(makeSession(title, session.record.sessionId));
    store.save(latest);
    expect(await store.load(session.record.sessionId)).toEqual(latest);
    expect(await store.list()).toEqual([latest.record]);
  });

  it("[S18] knows nothing of others", async () => {
    const store = makeStore();
    expect(await store.list()).toEqual([]);
    for (const id of [randomUUID(), "../../etc/passwd", ""]) expect(await store.load(id)).toBeUndefined();
  });

  it("[S18] keeps many at once", async () => {
    const store = makeStore();
    const sessions = Array.from({ length: 40 }, (_, index) => makeSession(`session ${index}`));
    for (const session of sessions) store.save(session);
    await store.flush();
    const titles = (await store.list()).map((record) => record.title);
    expect(new Set(titles)).toEqual(new Set(sessions.map((session) => session.record.title)));
  });
});

describe("the store in memory", () => {
  it("[S18] lets the sessions go that were saved longest ago", async () => {
    const store = new MemoryStore(2);
    const [one, two, three] = [makeSession("one"), makeSession("two"), makeSession("three")];
    for (const session of [one, two, one, three]) store.save(session);
    expect((await store.list()).map((record) => record.title)).toEqual(["one", "three"]);
  });
});

describe("the store in a folder", () => {
  it("[S18] is closed to others, and another process finds what is in it", async () => {
    const folder = join(scratch, randomUUID());
    const store = makeFolderStore(folder);
    const session = makeSession("kept");
    store.save(session);
    await store.flush();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const names = readdirSync(folder);
    expect(names.toSorted()).toEqual(
      [`${session.record.sessionId}.history.json`, `${session.record.sessionId}.json`].toSorted(),
    );
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(await makeFolderStore(folder).load(session.record.sessionId)).toEqual(session);
  });

  it("[S18] passes over files that are broken or not its own", async () => {
    const folder = join(scratch, randomUUID());
    const store = makeFolderStore(folder);
    const [fine, broken, lost] = [makeSession("fine"), makeSession("broken"), makeSession("lost")];
    for (const session of [fine, broken, lost]) store.save(session);
    await store.flush();
    writeFileSync(join(folder, `${broken.record.sessionId}.json`), "{");
    writeFileSync(join(folder, `${lost.record.sessionId}.history.json`), "[]");
    writeFileSync(join(folder, "notes.json"), readFileSync(join(folder, `${fine.record.sessionId}.json`)));
    const titles = (await store.list()).map((record) => record.title);
    expect(new Set(titles)).toEqual(new Set(["fine", "lost"]));
    expect(titles).toHaveLength(2);
    expect(await store.load(broken.record.sessionId)).toBeUndefined();
    expect(await store.load(lost.record.sessionId)).toEqual({
      ...lost,
      history: { dropped: 0, updates: [] },
    });
  });

  it("[S18] reports a session that cannot be written, and continues", async () => {
    const file = join(scratch, randomUUID());
    writeFileSync(file, "");
    const faults: unknown[] = [];
    const store = new FolderStore(join(file, "folder"), (error) => faults.push(error));
    store.save(makeSession("homeless"));
    await store.flush();
    expect(faults).toMatchObject([{ code: "ENOTDIR" }]);
  });
});

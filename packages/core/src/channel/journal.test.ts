// The hub with a journal: nothing is published before it is kept.
import { makeId, newChatState, type Action } from "@holdfast/ahp";
import { describe, expect, it } from "vitest";
import { Hub } from "./hub.ts";
import type { Journal, JournalRecord } from "./journal.ts";

const at = "2026-01-01T00:00:00.000Z";
const chat = makeId("chat URI", "ahp-chat:/c1");
const newChat = newChatState({ resource: chat, title: "Chat", at });

function titled(title: string): Action {
  return { type: "chat/titleChanged", title };
}

/** A journal whose commits are answered by hand. */
class HeldJournal implements Journal {
  readonly batches: string[][] = [];
  readonly #answers: { resolve: () => void; reject: (error: Error) => void }[] = [];

  commit(records: readonly JournalRecord[]): Promise<void> {
    this.batches.push(records.map(nameOf));
    return new Promise((resolve, reject) => {
      this.#answers.push({ resolve, reject });
    });
  }

  keep(): void {
    this.#answers.shift()?.resolve();
  }

  fail(error: Error): void {
    this.#answers.shift()?.reject(error);
  }
}

function nameOf(record: JournalRecord): string {
  if (record.type !== "applied") return record.type;
  const { action, serverSeq } = record.entry;
  return action.type === "chat/titleChanged" ? `${serverSeq} ${action.title}` : action.type;
}

/** Resolves after all that is waiting in this tick. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe("a hub with a journal", () => {
  it("[H6] commits a tick as one batch, in order, and lets it be read only when it is kept", async () => {
    const journal = new HeldJournal();
    const hub = new Hub({ journal });
    hub.open(chat, "chat", newChat);
    let woken = 0;
    const { cursor } = hub.subscribe(chat, () => (woken += 1));
    for (const title of ["a", "b"]) hub.dispatch(chat, titled(title));
    await nextTick();
    expect(journal.batches).toEqual([["opened", "1 a", "2 b"]]);
    expect(hub.state(chat, "chat")?.title).toBe("b");
    expect([woken, cursor.hasMore, cursor.read()]).toEqual([0, false, { kind: "entries", entries: [] }]);

    hub.dispatch(chat, titled("c"));
    await nextTick();
    expect(journal.batches).toHaveLength(1);
    journal.keep();
    await nextTick();
    expect(woken).toBe(1);
    expect(cursor.read()).toMatchObject({ entries: [{ serverSeq: 1 }, { serverSeq: 2 }] });
    expect(journal.batches[1]).toEqual(["3 c"]);
    expect(cursor.read()).toEqual({ kind: "entries", entries: [] });

    hub.close(chat);
    journal.keep();
    await nextTick();
    expect(woken).toBe(2);
    expect(cursor.read()).toMatchObject({ entries: [{ serverSeq: 3 }] });
    expect(journal.batches[2]).toEqual(["closed"]);
    const settled = hub.settled();
    journal.keep();
    await settled;
    expect(cursor.read()).toEqual({ kind: "closed" });
  });

  it("[H6] a subscriber in between has what is not kept yet in its snapshot, and nothing twice", async () => {
    const journal = new HeldJournal();
    const hub = new Hub({ journal });
    hub.open(chat, "chat", newChat);
    hub.dispatch(chat, titled("a"));
    await nextTick();
    const { snapshot, cursor } = hub.subscribe(chat);
    expect(snapshot).toMatchObject({ seq: 1, state: { title: "a" } });
    hub.dispatch(chat, titled("b"));
    journal.keep();
    await nextTick();
    journal.keep();
    await hub.settled();
    expect(cursor.read()).toMatchObject({ entries: [{ serverSeq: 2 }] });
  });

  it("[H6] publishes nothing when the journal fails, reports it, and gives it everything again", async () => {
    const journal = new HeldJournal();
    const faults: unknown[] = [];
    const hub = new Hub({ journal, onFault: (error) => faults.push(error) });
    hub.open(chat, "chat", newChat);
    const { cursor } = hub.subscribe(chat);
    hub.dispatch(chat, titled("a"));
    const full = new Error("disk full");
    const settled = hub.settled();
    await nextTick();
    journal.fail(full);
    await expect(settled).rejects.toBe(full);
    expect(faults).toEqual([full]);
    expect(cursor.hasMore).toBe(false);
    hub.dispatch(chat, titled("b"));
    await nextTick();
    expect(journal.batches[1]).toEqual(["opened", "1 a", "2 b"]);
    journal.keep();
    await hub.settled();
    expect(cursor.read()).toMatchObject({ entries: [{ serverSeq: 1 }, { serverSeq: 2 }] });
  });

  it("[H6] publishes in the same tick when the journal keeps at once, and takes an exception as a failure", async () => {
    const faults: unknown[] = [];
    const full = new Error("disk full");
    let isFull = true;
    const commit = (): void => {
      if (isFull) throw full;
    };
    const hub = new Hub({ journal: { commit }, onFault: (error) => faults.push(error) });
    hub.restore(chat, "chat", newChat);
    const { cursor } = hub.subscribe(chat);
    hub.dispatch(chat, titled("a"));
    await expect(hub.settled()).rejects.toBe(full);
    isFull = false;
    hub.dispatch(chat, titled("b"));
    await Promise.resolve();
    expect(cursor.read()).toMatchObject({ entries: [{ serverSeq: 1 }, { serverSeq: 2 }] });
    expect(faults).toEqual([full]);
  });

  it("[H6] does not hear of a channel that was restored from it", async () => {
    const journal = new HeldJournal();
    const hub = new Hub({ journal });
    hub.restore(chat, "chat", newChat);
    await hub.settled();
    expect(journal.batches).toEqual([]);
  });
});

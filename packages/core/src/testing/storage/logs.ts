// Contract of storages for logs of channels: pages, turns in them, and their bound.
import { makeId } from "@holdfast/ahp";
import { expect, it } from "vitest";
import { dispatchAll, openSession, turnActions } from "./samples.ts";
import { nextTurn, type World } from "./world.ts";

export function describeLogs({ start, storage, hub }: World): void {
  it("[D4] reads the log from any number on, in pages, as it was applied", async () => {
    await start();
    const { chat } = openSession(hub(), "a");
    const { cursor } = hub().subscribe(chat);
    for (let turn = 1; turn <= 3; turn += 1) {
      for (const action of turnActions(turn, ["one ", "two ", "three ", "four"])) {
        hub().dispatch(chat, action);
        if (turn > 1) await hub().settled();
      }
    }
    await hub().settled();
    const reading = cursor.read(1000);
    const published = reading.kind === "entries" ? reading.entries : [];
    expect(published).toHaveLength(21);
    for (let from = 0; from < published.length; from += 1) {
      const afterSeq = (published[from]?.serverSeq ?? 1) - 1;
      const { entries, hasMore, isComplete } = storage().readLog(chat, afterSeq, 5);
      expect(entries.map(({ serverSeq, action }) => ({ serverSeq, action }))).toEqual(
        published.slice(from, from + 5).map(({ serverSeq, action }) => ({ serverSeq, action })),
      );
      expect([hasMore, isComplete]).toEqual([from + 5 < published.length, true]);
    }
    expect(storage().readLog("ahp-chat:/unknown", 0, 5)).toEqual({
      entries: [],
      hasMore: false,
      isComplete: true,
    });
  });

  it("[D16] finds where a turn begins, by its id and by a number inside it", async () => {
    await start();
    const { chat } = openSession(hub(), "a");
    const starts: number[] = [];
    for (let turn = 1; turn <= 3; turn += 1) {
      starts.push(hub().lastSeq + 1);
      dispatchAll(hub(), chat, turnActions(turn, ["one ", "two"]));
    }
    await hub().settled();
    const [first = 0, second = 0, third = 0] = starts;
    const { entries } = storage().readLog(chat, second - 1, 1);
    const action = entries[0]?.action;
    const turnId = action?.type === "chat/turnStarted" ? action.turnId : "";
    expect(storage().findTurnStart(chat, { turnId })).toBe(second);
    expect(storage().findTurnStart(chat, { turnId: "unknown" })).toBeUndefined();
    expect(storage().findTurnStart("ahp-chat:/unknown", { turnId })).toBeUndefined();
    const around = [first - 1, first, second - 1, second, third + 2, third + 1000];
    expect(around.map((atOrBefore) => storage().findTurnStart(chat, { atOrBefore }))).toEqual([
      undefined,
      first,
      first,
      second,
      third,
      third,
    ]);
    expect([0, second, third + 1].map((atOrAfter) => storage().findTurnStart(chat, { atOrAfter }))).toEqual([
      first,
      second,
      undefined,
    ]);
  });

  it("[D4] keeps who sent an action, and when", async () => {
    await start();
    const { chat } = openSession(hub(), "a");
    const origin = { clientId: makeId("client", "ada"), clientSeq: 7 };
    const entry = hub().dispatch(chat, { type: "chat/titleChanged", title: "Mine" }, origin);
    await hub().settled();
    expect(storage().readLog(chat, 0, 5).entries).toEqual([
      { serverSeq: entry?.serverSeq, action: entry?.action, origin, atMs: entry?.atMs },
    ]);
  });

  it("[D6] bounds the log of a channel, says what is missing, and keeps the state whole", async () => {
    await start({ keepLogBytes: 8000, snapshotAfterBytes: 1000 });
    const { chat } = openSession(hub(), "a");
    for (let turn = 1; turn <= 60; turn += 1) {
      dispatchAll(hub(), chat, turnActions(turn, ["x".repeat(200)]));
      await hub().settled();
      await nextTurn();
    }
    const all = storage().readLog(chat, 0, 1000);
    expect(all.isComplete).toBe(false);
    expect(all.entries.length).toBeGreaterThan(0);
    expect(all.entries.length).toBeLessThan(120);
    const [first] = all.entries;
    expect(storage().readLog(chat, first?.serverSeq ?? 0, 1000)).toMatchObject({ isComplete: true });
    expect(storage().loadChannel(chat)?.state).toEqual(hub().state(chat, "chat"));
  });
}

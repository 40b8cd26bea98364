// What every storage must do, as a suite of tests that each implementation runs.
import { makeId, newChatState, newRootState, newTerminalState, ROOT_URI, type Action } from "@holdfast/ahp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Hub } from "../channel/hub.ts";
import type { Storage } from "../ports.ts";
import { momentAt, openHub, openSession, turnActions } from "./storage-samples.ts";
import { describeProperties } from "./storage-properties.ts";
import { nextTurn, type StorageHome, type WantedStorage, type World } from "./storage-world.ts";

const day = 24 * 60 * 60 * 1000;

/** Tests an implementation of the port. */
export function storageContract(name: string, makeHome: () => Promise<StorageHome>): void {
  describe(`the ${name} storage`, () => {
    let home: StorageHome;
    let storage: Storage;
    let hub: Hub;
    const start = async (wanted?: WantedStorage): Promise<void> => {
      storage = await home.open(wanted);
      hub = openHub(storage);
    };
    beforeEach(async () => {
      home = await makeHome();
    });
    afterEach(async () => {
      storage.close();
      await home.remove();
    });
    const world: World = {
      start,
      storage: () => storage,
      hub: () => hub,
      restart: async (isClean) => {
        if (isClean) storage.close();
        await start();
      },
    };

    describeChannels(world);
    describeLogs(world);
    describeSessions(world);
    describeRemoval(world);
    describeRecords(world);
  });
  describe(`the ${name} storage, whatever happens`, () => {
    describeProperties(makeHome);
  });
}

function dispatchAll(hub: Hub, uri: string, actions: readonly Action[]): void {
  for (const action of actions) hub.dispatch(uri, action);
}

function describeChannels({ start, restart, storage, hub }: World): void {
  it.each([true, false])("[D1] gives back what was committed, after a clean stop: %s", async (isClean) => {
    await start();
    const { session, chat, terminal } = openSession(hub(), "a");
    dispatchAll(hub(), chat, turnActions(1, ["Hel", "lo"]));
    await hub().settled();
    const kept = [session, chat, terminal].map((uri) => hub().subscribe(uri).snapshot);
    await restart(isClean);
    for (const { uri, kind, state } of kept) {
      expect(storage().loadChannel(uri)).toMatchObject({ uri, kind, isOpen: true });
      expect(storage().loadChannel(uri)?.state).toEqual(state);
    }
    expect(storage().loadChannel("ahp-chat:/unknown")).toBeUndefined();
  });

  it.each([true, false])("[D3] gives no number twice, after a clean stop: %s", async (isClean) => {
    await start();
    const given: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      expect(storage().sequence.last).toBeGreaterThanOrEqual(given.at(-1) ?? 0);
      for (let count = 0; count < 5000; count += 1) given.push(storage().sequence.next());
      await restart(isClean);
    }
    expect(given.every((number, index) => number > (given[index - 1] ?? 0))).toBe(true);
  });

  it("[D2] keeps neither the root nor what is transient", async () => {
    await start();
    hub().open(ROOT_URI, "root", newRootState());
    const { session, chat, terminal } = openSession(hub(), "a");
    await hub().settled();
    const seqs = [chat, terminal, session].map((uri) => storage().loadChannel(uri)?.seq);
    hub().dispatch(ROOT_URI, { type: "root/agentsChanged", agents: [] });
    hub().dispatch(chat, { type: "chat/draftChanged", draft: { text: "secret", origin: { kind: "user" } } });
    hub().dispatch(terminal, { type: "terminal/data", data: "x", offset: 0, endOffset: 1 });
    hub().dispatch(terminal, { type: "terminal/titleChanged", title: "10%", source: "program" });
    hub().dispatch(session, { type: "session/activityChanged", activity: "thinking" });
    await hub().settled();
    expect([chat, terminal, session].map((uri) => storage().loadChannel(uri)?.seq)).toEqual(seqs);
    expect(storage().loadChannel(ROOT_URI)).toBeUndefined();
    expect(storage().loadChannel(chat)?.state).not.toHaveProperty("draft.text");
  });

  it("[D8] names the sessions and terminals that were open, with their states", async () => {
    await start();
    const names = ["a", "b", "c", "d"].map((name, index) => openSession(hub(), name, index));
    const [, closed, failed, gone] = names;
    if (!closed || !failed || !gone) throw new Error("there are four");
    const by = { kind: "host" } as const;
    hub().dispatch(closed.session, { type: "session/closed", at: momentAt(5), by });
    hub().dispatch(failed.session, { type: "session/closed", at: momentAt(5), by });
    hub().close(failed.session);
    hub().close(gone.session);
    hub().close(gone.terminal);
    await hub().settled();
    await restart(false);
    expect(storage().openChannels("session")).toMatchObject([
      { state: { title: "a", backendId: "backend a" } },
    ]);
    expect(
      storage()
        .openChannels("terminal")
        .map(({ uri }) => uri),
    ).toEqual(names.slice(0, 3).map(({ terminal }) => terminal));
    expect(storage().loadChannel(gone.terminal)).toMatchObject({ kind: "terminal", isOpen: false });
    expect(storage().channelsOf(gone.session)).toEqual([gone.session, gone.chat, gone.terminal]);
  });

  it("[D15] takes a URI that is used again as a new channel", async () => {
    await start();
    const { chat } = openSession(hub(), "a");
    dispatchAll(hub(), chat, turnActions(1, ["old"]));
    hub().close(chat);
    hub().open(chat, "chat", newChatState({ resource: chat, title: "new", at: momentAt(1) }));
    const entry = hub().dispatch(chat, { type: "chat/isReadChanged", isRead: false });
    await hub().settled();
    expect(storage().loadChannel(chat)).toMatchObject({ isOpen: true, state: { title: "new", turns: [] } });
    expect(
      storage()
        .readLog(chat, 0, 10)
        .entries.map(({ serverSeq }) => serverSeq),
    ).toEqual([entry?.serverSeq]);
  });
}

function describeLogs({ start, storage, hub }: World): void {
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
    const told = reading.kind === "entries" ? reading.entries : [];
    expect(told).toHaveLength(21);
    for (let from = 0; from < told.length; from += 1) {
      const afterSeq = (told[from]?.serverSeq ?? 1) - 1;
      const { entries, hasMore, isComplete } = storage().readLog(chat, afterSeq, 5);
      expect(entries.map(({ serverSeq, action }) => ({ serverSeq, action }))).toEqual(
        told.slice(from, from + 5).map(({ serverSeq, action }) => ({ serverSeq, action })),
      );
      expect([hasMore, isComplete]).toEqual([from + 5 < told.length, true]);
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

function describeSessions({ start, restart, storage, hub }: World): void {
  it("[D7] lists sessions, those with the newest activity first, in pages", async () => {
    await start();
    const samples = [4, 1, 3, 2, 5].map((seconds) => openSession(hub(), `s${seconds}`, seconds));
    await hub().settled();
    await restart(false);
    const titles: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = storage().listSessions({ limit: 2, ...(cursor !== undefined && { cursor }) });
      titles.push(page.sessions.map(({ summary }) => summary.title));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(titles).toEqual([["s5", "s4"], ["s3", "s2"], ["s1"]]);
    expect(samples).toHaveLength(5);
  });

  it("[D7] keeps the list in step with every commit", async () => {
    await start();
    const one = openSession(hub(), "one", 1);
    openSession(hub(), "two", 2);
    await hub().settled();
    hub().dispatch(one.session, { type: "session/titleChanged", title: "first" });
    hub().dispatch(one.session, { type: "session/ready", at: momentAt(3) });
    await hub().settled();
    const listed = storage().listSessions();
    expect(listed.sessions.map(({ summary }) => summary.title)).toEqual(["first", "two"]);
    expect(listed.sessions[0]).toMatchObject({ isOpen: true, summary: { phase: { status: "ready" } } });
    hub().dispatch(one.session, { type: "session/closed", at: momentAt(4), by: { kind: "host" } });
    await hub().settled();
    const titlesOf = (isOpen: boolean): string[] =>
      storage()
        .listSessions({ isOpen })
        .sessions.map(({ summary }) => summary.title);
    expect([titlesOf(true), titlesOf(false)]).toEqual([["two"], ["first"]]);
  });
}

function describeRemoval({ start, storage, hub }: World): void {
  it("[D10] purges a session with its chats and terminals, and nothing else", async () => {
    await start();
    const gone = openSession(hub(), "gone");
    const kept = openSession(hub(), "kept");
    const taken = makeId("terminal URI", "ahp-terminal:/taken");
    const claim = { kind: "session", session: gone.session, chat: gone.chat } as const;
    hub().open(taken, "terminal", newTerminalState({ resource: taken, run: "tty", title: "sh", claim }));
    hub().dispatch(taken, {
      type: "terminal/claimed",
      claim: { kind: "client", clientId: makeId("client", "ada") },
    });
    storage().audit.append(auditEntry(1, gone.session));
    await hub().settled();
    expect(storage().purge(gone.session)).toEqual({ sessions: [gone.session], terminals: [gone.terminal] });
    for (const uri of [gone.session, gone.chat, gone.terminal]) {
      expect(storage().loadChannel(uri)).toBeUndefined();
      expect(storage().readLog(uri, 0, 5).entries).toEqual([]);
    }
    expect(storage().loadChannel(taken)).toBeDefined();
    expect(storage().loadChannel(kept.chat)).toBeDefined();
    expect(storage().listSessions().sessions).toHaveLength(1);
    expect(storage().audit.read()).toHaveLength(1);
    expect(storage().purge(gone.session)).toEqual({ sessions: [], terminals: [] });
    // What is still on its way finds nothing, and disturbs nothing.
    hub().dispatch(gone.chat, { type: "chat/titleChanged", title: "late" });
    hub().dispatch(kept.chat, { type: "chat/titleChanged", title: "in time" });
    await hub().settled();
    expect(storage().loadChannel(gone.chat)).toBeUndefined();
    expect(storage().loadChannel(kept.chat)).toMatchObject({ state: { title: "in time" } });
  });

  it("[D11] prunes closed sessions that are old, a few at a time", async () => {
    await start();
    const samples = [1, 2, 3, 4, 5].map((days) => openSession(hub(), `day ${days}`, days * 86_400));
    for (const { session } of samples.slice(0, 4)) {
      hub().dispatch(session, { type: "session/closed", at: momentAt(0), by: { kind: "host" } });
    }
    await hub().settled();
    const nowMs = Date.parse(momentAt(6 * 86_400));
    const retention = { nowMs, maxAgeMs: 2.5 * day, maxSessions: 2 };
    expect(storage().prune(retention)).toEqual({
      sessions: samples.slice(0, 2).map(({ session }) => session),
      terminals: samples.slice(0, 2).map(({ terminal }) => terminal),
      isDone: false,
    });
    expect(storage().prune(retention)).toMatchObject({ sessions: [samples[2]?.session], isDone: true });
    expect(storage().prune({ ...retention, maxAgeMs: 0 })).toMatchObject({ isDone: true });
    expect(
      storage()
        .listSessions()
        .sessions.map(({ summary }) => summary.title),
    ).toEqual(["day 5"]);
  });

  it("[D11] makes room: first the oldest closed sessions, then logs, never a state", async () => {
    await start({ snapshotAfterBytes: 1e9 });
    const samples = [1, 2, 3].map((seconds) => openSession(hub(), `s${seconds}`, seconds));
    const [oldest, , open] = samples;
    if (!oldest || !open) throw new Error("there are three");
    for (const { chat } of samples) {
      // A long text that the chat then forgets: a large log and a small state.
      dispatchAll(
        hub(),
        chat,
        turnActions(
          1,
          Array.from({ length: 20 }, () => "x".repeat(20_000)),
        ),
      );
      hub().dispatch(chat, { type: "chat/truncated" });
    }
    for (const { session } of samples.slice(0, 2)) {
      hub().dispatch(session, { type: "session/closed", at: momentAt(0), by: { kind: "host" } });
    }
    await hub().settled();
    const pruned = storage().prune({ nowMs: 0, maxBytes: 1_000_000 });
    expect(pruned).toMatchObject({ sessions: [oldest.session], isDone: true });
    expect(storage().readLog(open.chat, 0, 1000).entries.length).toBeGreaterThan(20);

    const state = storage().loadChannel(open.chat);
    let isDone = false;
    while (!isDone) ({ isDone } = storage().prune({ nowMs: 0, maxBytes: 100 }));
    expect(
      storage()
        .listSessions()
        .sessions.map(({ summary }) => summary.title),
    ).toEqual(["s3"]);
    expect(storage().readLog(open.chat, 0, 5)).toMatchObject({ entries: [], isComplete: false });
    expect(storage().loadChannel(open.chat)).toEqual(state);
  });

  it("[D11] prunes terminals that were closed long ago and belong to nobody", async () => {
    await start();
    const claim = { kind: "client", clientId: makeId("client", "ada") } as const;
    for (const name of ["closed", "open"]) {
      const resource = makeId("terminal URI", `ahp-terminal:/${name}`);
      hub().open(resource, "terminal", newTerminalState({ resource, run: "tty", title: "sh", claim }));
    }
    hub().close("ahp-terminal:/closed");
    await hub().settled();
    expect(storage().prune({ nowMs: Date.now(), maxAgeMs: day })).toMatchObject({ terminals: [] });
    expect(storage().prune({ nowMs: Date.now() + 2 * day, maxAgeMs: day })).toMatchObject({
      terminals: ["ahp-terminal:/closed"],
    });
    expect(storage().openChannels("terminal")).toHaveLength(1);
  });
}

function auditEntry(seconds: number, session: string): Parameters<Storage["audit"]["append"]>[0] {
  return {
    at: momentAt(seconds),
    session,
    what: "command",
    subject: "make",
    by: "policy",
    verdict: "allowed",
  };
}

function describeRecords({ start, restart, storage }: World): void {
  it("[D12] keeps the audit at once, and reads the newest, or those after an entry, or of a session", async () => {
    await start();
    for (let seconds = 1; seconds <= 5; seconds += 1) {
      storage().audit.append(auditEntry(seconds, seconds % 2 === 0 ? "even" : "odd"));
    }
    await restart(false);
    const momentsOf = (query: Parameters<Storage["audit"]["read"]>[0]): string[] =>
      storage()
        .audit.read(query)
        .map(({ entry }) => entry.at);
    expect(storage().audit.read()[0]?.entry).toEqual(auditEntry(1, "odd"));
    expect(momentsOf({ limit: 2 })).toEqual([momentAt(4), momentAt(5)]);
    const [second] = storage().audit.read({ session: "even", limit: 9 });
    expect(momentsOf({ after: second?.id ?? 0, limit: 2 })).toEqual([momentAt(3), momentAt(4)]);
    expect(momentsOf({ session: "even" })).toEqual([momentAt(2), momentAt(4)]);
    storage().prune({ nowMs: Date.parse(momentAt(10)), auditMaxAgeMs: 7000 });
    expect(momentsOf({})).toEqual([momentAt(3), momentAt(4), momentAt(5)]);
  });

  it("[D13] remembers small things by name", async () => {
    await start();
    storage().meta.set("a", "1");
    storage().meta.set("a", "2");
    storage().meta.set("b", "3");
    storage().meta.delete("b");
    await restart(false);
    expect(["a", "b", "c"].map((key) => storage().meta.get(key))).toEqual(["2", undefined, undefined]);
    for (const key of ["x/2", "x/1", "x%", "y/1", "x"]) storage().meta.set(key, key);
    expect(storage().meta.keys("x/")).toEqual(["x/1", "x/2"]);
    expect(storage().meta.keys("x%")).toEqual(["x%"]);
  });
}

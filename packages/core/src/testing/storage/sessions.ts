// Contract of storages for sessions: how they are listed, purged and pruned.
import { makeId, newTerminalState } from "@holdfast/ahp";
import { expect, it } from "vitest";
import { auditEntry, dispatchAll, momentAt, openSession, turnActions } from "./samples.ts";
import type { World } from "./world.ts";

const day = 24 * 60 * 60 * 1000;

export function describeSessions({ start, restart, storage, hub }: World): void {
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

export function describeRemoval({ start, storage, hub }: World): void {
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
    // Late records find nothing, and disturb nothing.
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

  it("[D11] frees space: first the oldest closed sessions, then logs, never a state", async () => {
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

  it("[D11] comes to the logs behind those of which nothing can go, and to an end", async () => {
    await start({ snapshotAfterBytes: 1e9 });
    const pieces = Array.from({ length: 20 }, () => "x".repeat(20_000));
    const samples = [1, 2, 3, 4, 5].map((seconds) => openSession(hub(), `s${seconds}`, seconds));
    // The newest turn of a chat stays.
    for (const { chat } of samples) dispatchAll(hub(), chat, turnActions(1, pieces));
    const last = openSession(hub(), "last", 6);
    dispatchAll(hub(), last.chat, turnActions(1, pieces));
    hub().dispatch(last.chat, { type: "chat/truncated" });
    await hub().settled();
    for (let pass = 0; pass < 2; pass += 1) {
      let calls = 1;
      while (!storage().prune({ nowMs: 0, maxBytes: 100, maxSessions: 2 }).isDone && calls < 100) calls += 1;
      expect(calls).toBeLessThan(20);
      expect(storage().readLog(last.chat, 0, 5).entries).toEqual([]);
    }
    expect(storage().listSessions({ isOpen: true }).sessions).toHaveLength(6);
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

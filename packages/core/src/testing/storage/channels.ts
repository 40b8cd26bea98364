// Contract of storages for channels: what is kept, and what opens again.
import { newChatState, newRootState, ROOT_URI } from "@holdfast/ahp";
import { expect, it } from "vitest";
import { dispatchAll, momentAt, openSession, turnActions } from "./samples.ts";
import type { World } from "./world.ts";

export function describeChannels({ start, restart, storage, hub }: World): void {
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

  it("[N810] keeps a channel that was reopened as an open one, with its state and its log", async () => {
    await start();
    const { session, chat } = openSession(hub(), "a");
    dispatchAll(hub(), chat, turnActions(1, ["before"]));
    const by = { kind: "host" } as const;
    hub().dispatch(session, { type: "session/closed", at: momentAt(5), by });
    for (const uri of [session, chat]) hub().close(uri);
    await hub().settled();
    const kept = [session, chat].map((uri) => storage().loadChannel(uri));
    for (const stored of kept) {
      if (stored?.kind === "session") hub().reopen(stored.uri, "session", stored.state);
      if (stored?.kind === "chat") hub().reopen(stored.uri, "chat", stored.state);
    }
    hub().dispatch(session, { type: "session/reopened", at: momentAt(6), by });
    dispatchAll(hub(), chat, turnActions(2, ["after"]));
    await hub().settled();
    await restart(false);
    expect(storage().openChannels("session")).toMatchObject([
      { uri: session, state: { lifecycle: { status: "stale", cause: "reopened" } } },
    ]);
    expect(storage().listSessions({ isOpen: true }).sessions).toHaveLength(1);
    const reopened = storage().loadChannel(chat);
    expect(reopened?.isOpen).toBe(true);
    expect(reopened?.kind === "chat" && reopened.state.turns).toHaveLength(2);
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

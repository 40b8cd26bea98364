// The hub: order, atomic subscription, waking, gaps, resuming, closing.
import { makeId, newChatState, newRootState, newTerminalState, ROOT_URI, type Action } from "@holdfast/ahp";
import { describe, expect, it } from "vitest";
import type { LogReader } from "./log-reader.ts";
import { Hub } from "./hub.ts";
import { CountingSequence } from "./journal.ts";

const at = "2026-01-01T00:00:00.000Z";
const chat = makeId("chat URI", "ahp-chat:/c1");
const terminal = makeId("terminal URI", "ahp-terminal:/t1");
const origin = { clientId: makeId("client", "ada"), clientSeq: 7 };

function openHub(options: ConstructorParameters<typeof Hub>[0] = {}): Hub {
  const hub = new Hub(options);
  const claim = { kind: "client", clientId: origin.clientId } as const;
  hub.open(ROOT_URI, "root", newRootState());
  hub.open(chat, "chat", newChatState({ resource: chat, title: "Chat", at }));
  hub.open(terminal, "terminal", newTerminalState({ resource: terminal, run: "tty", title: "bash", claim }));
  return hub;
}

function titled(title: string): Action {
  return { type: "chat/titleChanged", title };
}

/** The titles that a cursor has to read, or why it has none. */
function titlesFrom(cursor: LogReader, maxEntries?: number): string[] | "gap" | "closed" {
  const reading = cursor.read(maxEntries);
  if (reading.kind !== "entries") return reading.kind;
  return reading.entries.map(({ action }) =>
    action.type === "chat/titleChanged" ? action.title : action.type,
  );
}

describe("dispatching", () => {
  it("[H453] refuses an action that is nested deeper than 256 levels before anything changes", async () => {
    const committed: number[] = [];
    const hub = openHub({ journal: { commit: (records) => void committed.push(records.length) } });
    const before = hub.state(chat, "chat");
    let update: Record<string, unknown> = {};
    for (let depth = 0; depth < 5000; depth += 1) update = { update };
    const deep = { type: "chat/agentUpdateReceived", updateKind: "deep", update: update as never } as const;
    expect(() => hub.dispatch(chat, deep)).toThrow("nested too deep");
    expect(hub.state(chat, "chat")).toBe(before);
    hub.dispatch(chat, titled("a"));
    await hub.settled();
    expect(committed).toEqual([4]);
  });

  it("[H1] reduces, numbers and logs, with one count for all channels", () => {
    const hub = openHub({ nowMs: () => 123, sequence: new CountingSequence(40) });
    const { cursor } = hub.subscribe(chat);
    const first = hub.dispatch(chat, titled("a"));
    const second = hub.dispatch(terminal, { type: "terminal/resized", cols: 90, rows: 20 }, origin);
    const third = hub.dispatch(chat, titled("b"));
    expect([first, second, third].map((entry) => entry?.serverSeq)).toEqual([41, 42, 43]);
    expect(hub.lastSeq).toBe(43);
    expect(first).toMatchObject({ channel: chat, action: titled("a"), origin: undefined, atMs: 123 });
    expect(second).toMatchObject({ channel: terminal, origin });
    expect(hub.state(chat, "chat")?.title).toBe("b");
    expect(hub.state(terminal, "terminal")?.size).toEqual({ cols: 90, rows: 20 });
    expect(cursor.read()).toEqual({ kind: "entries", entries: [first, third] });
  });

  it("[H1] gives numbers for what no log keeps out of the same count", () => {
    const hub = openHub();
    hub.dispatch(chat, titled("a"));
    expect(hub.takeSeq()).toBe(2);
    expect(hub.dispatch(chat, titled("b"))?.serverSeq).toBe(3);
  });

  it("[H3] checks what comes from outside, says where it is wrong, and changes nothing", () => {
    const hub = openHub();
    const before = hub.state(chat, "chat");
    const problems: [unknown, string][] = [
      [{ type: "chat/titleChanged", title: 7 }, "title: expected a string"],
      [{ type: "terminal/input", data: "x" }, "type: expected one of"],
      ["chat/titleChanged", "expected an object"],
    ];
    for (const [value, problem] of problems) {
      const refusal: unknown = expect.objectContaining({ code: "invalid_action", uri: chat });
      expect(() => hub.submit(chat, value, origin)).toThrow(refusal);
      expect(() => hub.submit(chat, value, origin)).toThrow(problem);
    }
    expect(hub.state(chat, "chat")).toBe(before);
    expect(hub.lastSeq).toBe(0);
    expect(hub.submit(chat, { type: "chat/titleChanged", title: "ok" }, origin)).toMatchObject({ origin });
  });

  it("[H3] refuses a channel that is not there, one that is there already, and an action of another kind", () => {
    const hub = openHub();
    const refusal = (code: string): unknown => expect.objectContaining({ name: "ChannelError", code });
    expect(() => hub.dispatch("ahp-chat:/none", titled("a"))).toThrow(refusal("channel_not_found"));
    expect(() => hub.subscribe("ahp-chat:/none")).toThrow(refusal("channel_not_found"));
    expect(() => hub.close("ahp-chat:/none")).toThrow(refusal("channel_not_found"));
    expect(() => hub.open(ROOT_URI, "root", newRootState())).toThrow(refusal("channel_exists"));
    expect(() => hub.dispatch(terminal, titled("a"))).toThrow(refusal("wrong_channel"));
    expect(hub.lastSeq).toBe(0);
  });

  it("[H4] neither numbers nor logs an action that changes nothing", async () => {
    const hub = openHub();
    let woken = 0;
    const { cursor } = hub.subscribe(chat, () => (woken += 1));
    expect(hub.dispatch(chat, titled("Chat"))).toBeUndefined();
    expect(hub.dispatch(chat, { type: "chat/turnResume", turnId: makeId("turn", "none") })).toBeUndefined();
    await hub.settled();
    expect([hub.lastSeq, woken, titlesFrom(cursor)]).toEqual([0, 0, []]);
  });

  it("[H4] never logs what is typed into a terminal", () => {
    const hub = openHub();
    const { cursor } = hub.subscribe(terminal);
    expect(hub.dispatch(terminal, { type: "terminal/input", data: "ls\n" })).toBeUndefined();
    expect(hub.submit(terminal, { type: "terminal/input", data: "password\n" }, origin)).toBeUndefined();
    expect(titlesFrom(cursor)).toEqual([]);
    expect(hub.lastSeq).toBe(0);
  });

  it("[H1] gives states by kind, and lists channels of a kind in order", () => {
    const hub = openHub();
    const other = makeId("chat URI", "ahp-chat:/c2");
    hub.open(other, "chat", newChatState({ resource: other, title: "Other", at }));
    expect(hub.list("chat").map(({ uri, state }) => [uri, state.title])).toEqual([
      [chat, "Chat"],
      [other, "Other"],
    ]);
    expect(hub.state(chat, "terminal")).toBeUndefined();
    expect(hub.state("ahp-chat:/none", "chat")).toBeUndefined();
    expect([hub.has(chat), hub.has("ahp-chat:/none")]).toEqual([true, false]);
  });
});

describe("subscribing", () => {
  it("[H2] fixes state, number and place in one step", () => {
    const hub = openHub();
    hub.dispatch(chat, titled("before"));
    const { snapshot, cursor } = hub.subscribe(chat);
    hub.dispatch(chat, titled("after"));
    expect(snapshot).toEqual({
      kind: "chat",
      uri: chat,
      seq: 1,
      state: expect.objectContaining({ title: "before" }) as unknown,
    });
    expect(titlesFrom(cursor)).toEqual(["after"]);
  });

  it("[H7] wakes a reader once, at the end of the tick, until it has read everything", async () => {
    const hub = openHub();
    let woken = 0;
    const { cursor } = hub.subscribe(chat, () => (woken += 1));
    for (const title of ["a", "b", "c"]) hub.dispatch(chat, titled(title));
    expect(woken).toBe(0);
    await hub.settled();
    expect(woken).toBe(1);
    expect(titlesFrom(cursor, 2)).toEqual(["a", "b"]);
    expect(cursor.hasMore).toBe(true);
    hub.dispatch(chat, titled("d"));
    await hub.settled();
    expect(woken).toBe(1);
    expect(titlesFrom(cursor, 2)).toEqual(["c", "d"]);
    expect(cursor.hasMore).toBe(false);
    hub.dispatch(chat, titled("e"));
    await hub.settled();
    expect(woken).toBe(2);
  });

  it("[H7] does not wake a reader that has read before the end of the tick, that is closed, or of another channel", async () => {
    const hub = openHub();
    const woken: string[] = [];
    const early = hub.subscribe(chat, () => woken.push("early"));
    const closed = hub.subscribe(chat, () => woken.push("closed"));
    hub.subscribe(terminal, () => woken.push("terminal"));
    hub.dispatch(chat, titled("a"));
    expect(titlesFrom(early.cursor)).toEqual(["a"]);
    closed.cursor.close();
    await hub.settled();
    expect(woken).toEqual([]);
    expect(titlesFrom(closed.cursor)).toBe("closed");
  });

  it("[H7] reports a reader that throws, and wakes the others", async () => {
    const faults: unknown[] = [];
    const hub = openHub({ onFault: (error) => faults.push(error) });
    const fault = new Error("reader");
    let woken = 0;
    hub.subscribe(chat, () => {
      throw fault;
    });
    hub.subscribe(chat, () => (woken += 1));
    hub.dispatch(chat, titled("a"));
    await hub.settled();
    expect([faults, woken]).toEqual([[fault], 1]);
  });

  it("[H7] lets a reader dispatch while it is woken", async () => {
    const hub = openHub();
    const { cursor } = hub.subscribe(chat, () => {
      if (hub.lastSeq === 1) hub.dispatch(chat, titled("answer"));
    });
    hub.dispatch(chat, titled("question"));
    await hub.settled();
    expect(titlesFrom(cursor)).toEqual(["question", "answer"]);
  });

  it("[H9] reports to a reader that fell off the log how much it lost, and a new subscription continues", async () => {
    const hub = openHub({ logLimitBytes: 2000 });
    let woken = 0;
    const { cursor } = hub.subscribe(chat, () => (woken += 1));
    for (let number = 1; number <= 5; number += 1) hub.dispatch(chat, titled("x".repeat(500 + number)));
    await hub.settled();
    expect(woken).toBe(1);
    expect(cursor.read()).toEqual({ kind: "gap", lostEntries: 3 });
    expect(titlesFrom(cursor)).toBe("gap");
    cursor.close();
    const again = hub.subscribe(chat);
    hub.dispatch(chat, titled("next"));
    expect(again.snapshot.seq).toBe(5);
    expect(titlesFrom(again.cursor)).toEqual(["next"]);
  });

  it("[H5] keeps a chat's log whatever a terminal writes", () => {
    const hub = openHub({ logLimitBytes: 4000 });
    const { cursor } = hub.subscribe(chat);
    hub.dispatch(chat, titled("a"));
    for (let offset = 0; offset < 100_000; offset += 1000) {
      hub.dispatch(terminal, {
        type: "terminal/data",
        data: "x".repeat(1000),
        offset,
        endOffset: offset + 1000,
      });
    }
    expect(titlesFrom(cursor)).toEqual(["a"]);
  });
});

describe("resuming", () => {
  it("[H8] continues after the last action a reader has seen, and wakes it if there is more", async () => {
    const hub = openHub();
    for (const title of ["a", "b"]) hub.dispatch(chat, titled(title));
    hub.dispatch(terminal, { type: "terminal/resized", cols: 90, rows: 20 });
    hub.dispatch(chat, titled("c"));
    let woken = 0;
    const cursors = [0, 1, 2, 3, 4].map((seq) => hub.resume(chat, seq, () => (woken += 1)));
    await hub.settled();
    expect(woken).toBe(4);
    const titles = cursors.map((cursor) => cursor && titlesFrom(cursor));
    expect(titles).toEqual([["a", "b", "c"], ["b", "c"], ["c"], ["c"], []]);
  });

  it("[H8] is refused when something since is evicted, or from a number that was never given", () => {
    const hub = openHub({ logLimitBytes: 1600 });
    for (let number = 1; number <= 4; number += 1) hub.dispatch(chat, titled("x".repeat(500 + number)));
    expect([0, 1].map((seq) => hub.resume(chat, seq))).toEqual([undefined, undefined]);
    expect(hub.resume(chat, 2)?.read()).toMatchObject({ entries: [{ serverSeq: 3 }, { serverSeq: 4 }] });
    expect(hub.resume(chat, 5)).toBeUndefined();
  });

  it("[H8] is refused on a channel that was restored after the number was given", () => {
    const hub = new Hub({ sequence: new CountingSequence(100) });
    hub.restore(chat, "chat", newChatState({ resource: chat, title: "Chat", at }));
    expect(hub.resume(chat, 99)).toBeUndefined();
    expect(hub.resume(chat, 100)?.read()).toEqual({ kind: "entries", entries: [] });
  });
});

describe("closing", () => {
  it("[H10] removes a channel at once, and notifies its readers after the rest", async () => {
    const hub = openHub();
    let woken = 0;
    const { cursor } = hub.subscribe(chat, () => (woken += 1));
    hub.dispatch(chat, titled("last"));
    hub.close(chat);
    expect([hub.has(chat), hub.state(chat, "chat")]).toEqual([false, undefined]);
    await hub.settled();
    expect(woken).toBe(1);
    expect(titlesFrom(cursor)).toEqual(["last"]);
    expect(cursor.hasMore).toBe(true);
    expect(titlesFrom(cursor)).toBe("closed");
  });

  it("[H10] wakes a reader that has nothing left to read", async () => {
    const hub = openHub();
    let woken = 0;
    const { cursor } = hub.subscribe(chat, () => (woken += 1));
    hub.close(chat);
    await hub.settled();
    expect([woken, titlesFrom(cursor)]).toEqual([1, "closed"]);
  });

  it("[H10] gives the address free, and old readers hear nothing of the new channel", () => {
    const hub = openHub();
    const { cursor } = hub.subscribe(chat);
    hub.close(chat);
    hub.open(chat, "chat", newChatState({ resource: chat, title: "New", at }));
    hub.dispatch(chat, titled("a"));
    expect(titlesFrom(cursor)).toBe("closed");
    expect(hub.resume(chat, 0)?.read()).toMatchObject({ entries: [{ serverSeq: 1 }] });
  });
});

// Contract of storages for searches.
import { type Action, type ChatUri, makeId } from "@holdfast/ahp";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { SearchQuery } from "../../ports.ts";
import { momentAt, openSession } from "./samples.ts";
import type { World } from "./world.ts";

/** Tests what a search finds. */
export function describeSearch({ start, restart, storage, hub }: World): void {
  const play = async (
    chat: ChatUri,
    name: string,
    question: string,
    reply: string,
    seconds = 0,
  ): Promise<void> => {
    const turnId = makeId("turn", name);
    const partId = makeId("part", name);
    const message = { text: question, origin: { kind: "user" } } as const;
    const actions: Action[] = [
      { type: "chat/turnStarted", turnId, startedAt: momentAt(seconds), message },
      { type: "chat/responsePart", turnId, part: { kind: "markdown", id: partId, content: reply } },
      {
        type: "chat/turnComplete",
        turnId,
        endedAt: momentAt(seconds),
        durationMs: 1,
        stopReason: "end_turn",
      },
    ];
    for (const action of actions) hub().dispatch(chat, action);
    await hub().settled();
  };
  const put = (chat: ChatUri): void => {
    const turn = hub().state(chat, "chat")?.turns.at(-1);
    if (turn !== undefined) storage().search.put(chat, turn);
  };
  const find = (words: string, more: Partial<SearchQuery> = {}): unknown[] =>
    storage()
      .search.find({ words: words.split(" "), limit: 20, ...more })
      .map(({ session, turnId }) => [session.title, turnId]);

  it("[D740] finds ended turns by all their words, also after a restart, and not those of purged sessions", async () => {
    await start();
    const one = openSession(hub(), "one");
    const two = openSession(hub(), "two");
    await play(one.chat, "a", "Fix the failing tests", "I ran npm test.");
    put(one.chat);
    await play(two.chat, "b", "Write a poem", "Roses are failing");
    put(two.chat);
    expect(find("failing")).toHaveLength(2);
    expect(find("failing")).toContainEqual(["two", "b"]);
    expect(find("FAILING np")).toEqual([["one", "a"]]);
    expect(find("failing absent")).toEqual([]);
    // A turn that is resumed and ends again replaces itself.
    put(one.chat);
    expect(find("npm")).toEqual([["one", "a"]]);
    await restart(false);
    expect(find("poem")).toEqual([["two", "b"]]);
    storage().purge(two.session);
    expect(find("failing")).toEqual([["one", "a"]]);
  });

  it("[D741] filters by agent, owner, folder and time, and gives at most what is asked for", async () => {
    await start();
    const { session, chat } = openSession(hub(), "one");
    hub().dispatch(session, {
      type: "session/workingDirectoriesChanged",
      workingDirectories: ["file:///work/app"],
    });
    for (const number of [1, 2, 3]) {
      await play(chat, `turn ${number}`, `message ${number}`, "same", number);
      put(chat);
    }
    const ids = (more: Partial<SearchQuery>): unknown[] =>
      find("same", more).map((each) => (each as unknown[])[1]);
    expect(ids({ limit: 2 })).toHaveLength(2);
    expect(ids({ since: momentAt(2), until: momentAt(3) })).toEqual(["turn 2"]);
    expect(ids({ agent: "shell", folder: "file:///work" })).toHaveLength(3);
    expect(ids({ agent: "other" })).toEqual([]);
    expect(ids({ folder: "file:///work/ap" })).toEqual([]);
    expect(ids({ appId: "app" })).toEqual([]);
  });

  it("[D742] takes any words, whatever they contain", async () => {
    await start();
    const { chat } = openSession(hub(), "one");
    await play(chat, "a", 'a "quoted" word* AND (NOT that) OR near:x', "");
    put(chat);
    expect(find('"quoted" word*')).toEqual([["one", "a"]]);
    expect(find("AND NOT")).toEqual([["one", "a"]]);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 12 }), { maxLength: 4 }), (words) => {
        expect(storage().search.find({ words, limit: 5 })).toBeInstanceOf(Array);
      }),
      { numRuns: process.env["HOLDFAST_LONG"] === undefined ? 50 : 200 },
    );
  });
}

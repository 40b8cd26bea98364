// The contract of every storage on turns that leave the state of their chat.
import { type Action, type ChatUri, makeId } from "@holdfast/ahp";
import { expect, it } from "vitest";
import { openSession, turnActions } from "./samples.ts";
import { type World, nextTurn } from "./world.ts";

const turnCount = 120;
const keptTurns = 4;

/** Tests how omitted turns are kept. */
export function describeOmittedTurns(world: World): void {
  const { start, restart, storage, hub } = world;
  const idOf = (number: number): string => `turn ${number}`;
  const read = (chat: string, before: string, limit: number): unknown => {
    const page = storage().readTurns(chat, before, limit);
    return page && { ids: page.turns.map(({ id }) => id), hasMore: page.hasMore };
  };

  it.each([true, false])(
    "[D420] omitted turns are kept and read in pages, after a clean stop: %s",
    async (isClean) => {
      // The log is trimmed, so that nothing can come from there.
      await start({ keepLogBytes: 2000, snapshotAfterBytes: 1000 });
      const { session, chat } = openSession(hub(), "a");
      const other = openSession(hub(), "b");
      await runLongChat(world, chat);
      await runLongChat(world, other.chat);
      await restart(isClean);
      const kept = storage().loadChannel(chat);
      if (kept?.kind !== "chat") throw new Error("the chat is kept");
      const firstKept = turnCount - kept.state.turns.length + 1;
      expect(kept.state.turns.length).toBeLessThan(3 * keptTurns);
      expect(kept.state.turnsNextCursor).toBe(idOf(firstKept));
      // All of them, from the newest to the oldest, across the border between the state and what left it.
      const ids: string[] = [];
      let before = idOf(turnCount);
      for (let hasMore = true; hasMore;) {
        const page = storage().readTurns(chat, before, 7);
        if (page === undefined) throw new Error(`there is a turn ${before}`);
        ids.unshift(...page.turns.map(({ id }) => id));
        before = ids[0] ?? "";
        ({ hasMore } = page);
      }
      expect(ids).toEqual(Array.from({ length: turnCount - 1 }, (_, index) => idOf(index + 1)));
      expect(read(chat, idOf(1), 5)).toEqual({ ids: [], hasMore: false });
      expect(read(chat, idOf(3), 5)).toEqual({ ids: [idOf(1), idOf(2)], hasMore: false });
      expect(read(chat, "unknown", 5)).toBeUndefined();
      expect(read("ahp-chat:/unknown", idOf(1), 5)).toBeUndefined();
      // Whole, and found by both names.
      const second = storage().findOmittedTurn(chat, { turnId: idOf(2) });
      expect(second).toMatchObject({
        message: { text: "Question 2" },
        responseParts: [{ kind: "markdown", content: "Answer 2" }],
        end: { state: "complete" },
      });
      expect(storage().findOmittedTurn(chat, { requestKey: "key 2" })).toEqual(second);
      expect(storage().findOmittedTurn(chat, { turnId: idOf(turnCount) })).toBeUndefined();
      expect(storage().findOmittedTurn(chat, { requestKey: "unknown" })).toBeUndefined();

      storage().purge(session);
      expect(read(chat, idOf(3), 5)).toBeUndefined();
      expect(storage().findOmittedTurn(other.chat, { turnId: idOf(2) })).toEqual(second);
    },
  );

  it("[D420] a turn can be read in the moment in which it leaves the state", async () => {
    await start();
    const { chat } = openSession(hub(), "a");
    for (let number = 1; number <= 4; number += 1) {
      for (const action of turnActions(number, ["x"])) hub().dispatch(chat, action);
    }
    hub().dispatch(chat, { type: "chat/turnsOmitted", firstTurnId: makeId("turn", idOf(3)) });
    // Not committed yet: the stored state has them all, or none.
    expect(read(chat, idOf(3), 5)).toBeUndefined();
    await hub().settled();
    expect(read(chat, idOf(3), 5)).toEqual({ ids: [idOf(1), idOf(2)], hasMore: false });
    expect(storage().findOmittedTurn(chat, { turnId: idOf(1) })).toMatchObject({ id: idOf(1) });
    expect(storage().loadChannel(chat)?.state).toEqual(hub().state(chat, "chat"));
  });
}

/** Many turns, each in a separate commit; the older ones are omitted now and then. */
async function runLongChat({ hub }: World, chat: ChatUri): Promise<void> {
  for (let number = 1; number <= turnCount; number += 1) {
    for (const action of turnActions(number, [`Answer ${number}`])) {
      hub().dispatch(chat, withKey(action, number));
    }
    const turns = hub().state(chat, "chat")?.turns ?? [];
    const first = turns.length >= 2 * keptTurns ? turns.at(-keptTurns) : undefined;
    if (first !== undefined) hub().dispatch(chat, { type: "chat/turnsOmitted", firstTurnId: first.id });
    await hub().settled();
  }
  await nextTurn();
}

function withKey(action: Action, number: number): Action {
  if (action.type !== "chat/turnStarted") return action;
  return { ...action, message: { ...action.message, request: { key: `key ${number}`, digest: "d" } } };
}

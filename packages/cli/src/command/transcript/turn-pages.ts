// Reads the turns of a chat from the first to the last, a page at a time.
import type { ActiveTurn, ChatSummary, Turn } from "@holdfast/ahp";
import type { AhpClient } from "@holdfast/ahp/client";

/** Turns can be large: a page of them must fit into memory many times over. */
const pageTurns = 10;

/** The turns of a chat, oldest first. */
export async function* readTurns(
  ahp: AhpClient,
  { resource, phase }: ChatSummary,
): AsyncGenerator<Turn | ActiveTurn, void> {
  if (phase.status === "idle") return yield* readPages(ahp, resource);
  // Pages have only turns that ended. The one that runs is in the chat's state, with all before it.
  const chat = await ahp.subscribe(resource, "chat");
  const { turns, activeTurn } = chat.confirmed;
  chat.close();
  yield* turns;
  if (activeTurn !== undefined) yield activeTurn;
}

/**
 * The host gives pages from the newest on. So the places where they begin are found first, and then the pages are
 * read again in the other order: twice the reading, but no more than two pages in memory.
 */
async function* readPages(ahp: AhpClient, channel: string): AsyncGenerator<Turn, void> {
  const newest = await ahp.request("fetchTurns", { channel, limit: pageTurns });
  const cursors: string[] = [];
  let cursor = newest.nextCursor;
  while (cursor !== undefined) {
    cursors.push(cursor);
    const page = await ahp.request("fetchTurns", { channel, limit: pageTurns, cursor });
    cursor = page.nextCursor;
  }
  for (const place of cursors.toReversed()) {
    const { turns } = await ahp.request("fetchTurns", { channel, limit: pageTurns, cursor: place });
    yield* turns;
  }
  yield* newest.turns;
}

// Turns that left the state of their chat, and pages that are read across both.
import type { Turn } from "@holdfast/ahp";
import type { StateByKind } from "../channel/channel.ts";

/** Some turns of a chat, oldest first. */
export interface TurnPage {
  readonly turns: readonly Turn[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
}

/** The turns that an omission takes out of a chat's state. */
export function omittedTurns(before: StateByKind, after: StateByKind): readonly Turn[] {
  if (before.kind !== "chat" || after.kind !== "chat") return [];
  return before.state.turns.slice(0, before.state.turns.length - after.state.turns.length);
}

/**
 * The turns before one of a list, at most `limit`, and on with those that `older` gives; undefined when it is not in
 * the list. Without `before`, the newest.
 */
export function turnsBefore(
  turns: readonly Turn[],
  before: string | undefined,
  limit: number,
  older: (limit: number) => TurnPage,
): TurnPage | undefined {
  const end = before === undefined ? turns.length : turns.findIndex(({ id }) => id === before);
  if (end < 0) return undefined;
  const start = Math.max(0, end - limit);
  const page = turns.slice(start, end);
  if (start > 0) return { turns: page, hasMore: true };
  const rest = older(limit - page.length);
  return { turns: [...rest.turns, ...page], hasMore: rest.hasMore };
}

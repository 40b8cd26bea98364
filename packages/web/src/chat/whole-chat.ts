// A chat with the turns that the host no longer holds in memory, fetched when a person wants them.
import type { ChatState, Turn } from "@holdfast/ahp";
import { useCallback, useMemo, useState } from "react";
import { useHost } from "../host/use-host.ts";

/** Turns that are fetched at once. */
const pageTurns = 30;

interface WholeChat {
  /** With `turnsNextCursor` where there is more. */
  readonly chat: ChatState | undefined;
  readonly loadEarlier: () => void;
}

export function useWholeChat(state: ChatState | undefined): WholeChat {
  const host = useHost();
  const [stored, setKnown] = useState(NO_TURNS);
  const [isLoading, setIsLoading] = useState(false);
  const known = state === undefined ? NO_TURNS : followTurns(stored, state);
  if (known !== stored) setKnown(known);
  const { turns, nextCursor } = known;
  const chat = useMemo(() => {
    if (state === undefined) return undefined;
    // The state's own cursor is that of the host's memory; turns before it may be known.
    const { turnsNextCursor: _inState, ...rest } = state;
    return { ...rest, turns, ...(nextCursor !== undefined && { turnsNextCursor: nextCursor }) };
  }, [state, turns, nextCursor]);
  const channel = state?.resource;
  const loadEarlier = useCallback((): void => {
    if (channel === undefined || nextCursor === undefined || isLoading) return;
    setIsLoading(true);
    const fetched = host.client
      .request("fetchTurns", { channel, cursor: nextCursor, limit: pageTurns })
      .then((page) => setKnown((before) => addEarlier(before, nextCursor, page)));
    void host.reportFailure(fetched).finally(() => setIsLoading(false));
  }, [host, channel, nextCursor, isLoading]);
  return { chat, loadEarlier };
}

/** Known turns, oldest first, without a gap. */
export interface KnownTurns {
  readonly turns: readonly Turn[];
  /** From where older ones are fetched; absent when there are none. */
  readonly nextCursor?: string | undefined;
  /** The turns of the state that they end with. */
  readonly inState: readonly Turn[];
}

/** The known turns of a chat that was not looked at before. */
export const NO_TURNS: KnownTurns = { turns: [], inState: [] };

/** The known turns after a new state of the chat; the same object when its turns are the same. */
export function followTurns(known: KnownTurns, { turns, turnsNextCursor }: ChatState): KnownTurns {
  if (turns === known.inState) return known;
  const [first] = turns;
  const index = first === undefined ? -1 : known.turns.findIndex(({ id }) => id === first.id);
  // Nothing before them is known, or there may be a gap.
  if (index <= 0) return { turns, nextCursor: turnsNextCursor, inState: turns };
  return { ...known, turns: [...known.turns.slice(0, index), ...turns], inState: turns };
}

/** The known turns with a page that was fetched from `cursor`; a page that comes too late changes nothing. */
export function addEarlier(
  known: KnownTurns,
  cursor: string,
  page: { readonly turns: readonly Turn[]; readonly nextCursor?: string | undefined },
): KnownTurns {
  if (known.nextCursor !== cursor) return known;
  return { ...known, turns: [...page.turns, ...known.turns], nextCursor: page.nextCursor };
}

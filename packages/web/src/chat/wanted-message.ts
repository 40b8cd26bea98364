// Scrolls a conversation to the message that an address names.
import type { TurnId } from "@holdfast/ahp";
import { type RefObject, useLayoutEffect, useRef } from "react";
import type { VListHandle } from "virtua";
import { useIsReachable } from "../host/use-host.ts";
import type { ConversationRow } from "./conversation-rows.ts";
import { scrollInput } from "./stay-at-end.ts";

/** After this time a row that was scrolled to is looked at again, so often. */
const settledMs = 150;
const maxLooks = 10;

interface EarlierTurns {
  /** From where they are loaded; absent when all are there. */
  readonly cursor: string | undefined;
  readonly load: () => void;
}

/** Goes to the message once, and loads earlier turns until it is there: each page once for each connection. */
export function useWantedMessage(
  rows: readonly ConversationRow[],
  message: TurnId | undefined,
  { cursor, load }: EarlierTurns,
  goToRow: (index: number) => void,
  list: RefObject<VListHandle | null>,
): void {
  const isReachable = useIsReachable();
  const reached = useRef<TurnId>(undefined);
  /** The page that was asked for last: one that failed is not asked for again and again. */
  const asked = useRef<string>(undefined);
  const latest = useRef({ rows, goToRow });
  useLayoutEffect(() => {
    latest.current = { rows, goToRow };
    if (!isReachable) asked.current = undefined;
    if (message === undefined || reached.current === message) return;
    const index = messageIndex(rows, message);
    if (index < 0) {
      const page = `${message}\n${cursor}`;
      if (!isReachable || cursor === undefined || asked.current === page) return;
      asked.current = page;
      load();
      return;
    }
    reached.current = message;
    goToRow(index);
    keepInPlace(() => {
      const { rows: now, goToRow: go } = latest.current;
      const nowIndex = messageIndex(now, message);
      if (reached.current !== message || nowIndex < 0) return;
      if (!isAtRow(list.current, nowIndex)) go(nowIndex);
    });
  });
}

/** Calls `correct` a few times: rows on the way are measured late, and earlier ones come before them. A person ends it. */
function keepInPlace(correct: () => void): void {
  const stop = new AbortController();
  for (const name of scrollInput) {
    addEventListener(name, () => stop.abort(), { capture: true, passive: true, signal: stop.signal });
  }
  const look = (count: number): void => {
    if (stop.signal.aborted) return;
    correct();
    if (count < maxLooks) setTimeout(look, settledMs, count + 1);
    else stop.abort();
  };
  setTimeout(look, settledMs, 1);
}

function messageIndex(rows: readonly ConversationRow[], message: TurnId): number {
  return rows.findIndex((row) => row.kind === "message" && row.turn.id === message);
}

/** Whether a row begins where the list does, or as near to it as the end of the list allows. */
function isAtRow(list: VListHandle | null, index: number): boolean {
  if (list === null) return true;
  const lastOffset = list.scrollSize - list.viewportSize;
  return Math.abs(Math.min(list.getItemOffset(index), lastOffset) - list.scrollOffset) < 2;
}

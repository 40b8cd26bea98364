// Scrolls a conversation to the message that an address names.
import type { TurnId } from "@holdfast/ahp";
import { useLayoutEffect, useRef } from "react";
import { useIsReachable } from "../host/use-host.ts";
import type { ConversationRow } from "./conversation-rows.ts";

/** After this time the rows around a message that was scrolled to are measured. */
const settledMs = 150;

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
    // Rows on the way are measured only then, and move it; earlier ones may have come before it meanwhile.
    setTimeout(() => {
      const { rows: now, goToRow: go } = latest.current;
      const nowIndex = messageIndex(now, message);
      if (reached.current === message && nowIndex >= 0) go(nowIndex);
    }, settledMs);
  });
}

function messageIndex(rows: readonly ConversationRow[], message: TurnId): number {
  return rows.findIndex((row) => row.kind === "message" && row.turn.id === message);
}

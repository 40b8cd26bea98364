// Scrolls a conversation to the message that an address names.
import type { TurnId } from "@holdfast/ahp";
import { useLayoutEffect, useRef } from "react";
import type { ConversationRow } from "./conversation-rows.ts";

/** After this time the rows around a message that was scrolled to are measured. */
const settledMs = 150;

/** Goes to the message once, and loads earlier turns until it is there; without `loadEarlier`, all are loaded. */
export function useWantedMessage(
  rows: readonly ConversationRow[],
  message: TurnId | undefined,
  loadEarlier: (() => void) | undefined,
  goToRow: (index: number) => void,
): void {
  const reached = useRef<TurnId>(undefined);
  useLayoutEffect(() => {
    if (message === undefined || reached.current === message) return;
    const index = rows.findIndex((row) => row.kind === "message" && row.turn.id === message);
    if (index < 0) {
      loadEarlier?.();
      return;
    }
    reached.current = message;
    goToRow(index);
    // Rows on the way are measured only then, and move it.
    setTimeout(() => goToRow(index), settledMs);
  });
}

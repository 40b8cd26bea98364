// Transcript of a chat: only the visible rows are drawn, and the newest stays visible until a person scrolls away.
import type { ChatState, SessionState, Turn, TurnId } from "@holdfast/ahp";
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import { ErrorBoundary } from "../frame/error-boundary.tsx";
import { pathOf } from "../session/session-words.ts";
import control from "../style/control.module.css";
import { ArrowDownIcon } from "@primer/octicons-react";
import { ConversationEmpty } from "./conversation-empty.tsx";
import { ConversationRowView } from "./conversation-row.tsx";
import { type ConversationRow, conversationRows } from "./conversation-rows.ts";
import style from "./conversation.module.css";
import { useStayAtEnd } from "./stay-at-end.ts";
import { TurnNavigator } from "./turn-navigator.tsx";
import { useWantedMessage } from "./wanted-message.ts";

interface ConversationProps {
  readonly session: SessionState;
  readonly chat: ChatState;
  /** The messages sent in this view; after each, the end is shown. */
  readonly sentCount: number;
  /** The turn to scroll to, as an address names it. */
  readonly message?: TurnId | undefined;
  /** Loads earlier turns, where the chat has a cursor for them. */
  readonly onLoadEarlier: () => void;
}

/** How near to the end counts as there. */
const nearEndPx = 60;

/** How near to the beginning earlier turns are loaded. */
const nearStartPx = 400;

export function Conversation(props: ConversationProps): ReactNode {
  const { session, chat, sentCount, message, onLoadEarlier } = props;
  const place = useRef<HTMLDivElement>(null);
  const list = useRef<VListHandle>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [isNearStart, setIsNearStart] = useState(true);
  const rows = useMemo(() => conversationRows(chat), [chat]);
  const isShifted = useIsShifted(rows);
  const lastTurn = repeatableTurn(session, chat);
  const stick = (): void => list.current?.scrollToIndex(rows.length - 1, { align: "end" });
  useLayoutEffect(() => {
    if (isAtEnd && rows.length > 0) stick();
  });
  // The layout effect above scrolls there.
  useLayoutEffect(() => setIsAtEnd(true), [sentCount]);
  const isSettling = useStayAtEnd(place, rows.length > 0, isAtEnd, stick);
  const goToRow = (index: number): void => {
    setIsAtEnd(false);
    list.current?.scrollToIndex(index, { align: "start" });
  };
  useWantedMessage(rows, message, { cursor: chat.turnsNextCursor, load: onLoadEarlier }, goToRow, list);
  if (rows.length === 0) return <ConversationEmpty session={session} />;
  const measure = (offset: number): void => {
    const { scrollSize = 0, viewportSize = 0 } = list.current ?? {};
    setIsAtEnd(isSettling() || scrollSize - viewportSize - offset < nearEndPx);
    const isNear = offset < nearStartPx;
    setIsNearStart(isNear);
    if (isNear) onLoadEarlier();
  };
  const stay = (): void => {
    setIsAtEnd(false);
    keepPlace(list.current, measure);
  };
  const goToEnd = (): void => {
    setIsAtEnd(true);
    stick();
  };
  const goToStart = (): void => {
    setIsAtEnd(false);
    list.current?.scrollToIndex(0);
  };
  return (
    <div className={style.place} ref={place}>
      <TurnNavigator rows={rows} isAtEnd={isAtEnd} onGo={goToRow} />
      {isNearStart && chat.turnsNextCursor !== undefined && (
        <button type="button" className={`${control.button} ${style.earlier}`} onClick={onLoadEarlier}>
          Load earlier messages
        </button>
      )}
      <VList
        ref={list}
        className={style.list}
        role="log"
        aria-label="Conversation"
        aria-live="polite"
        tabIndex={0}
        data={rows}
        shift={isShifted}
        onScroll={measure}
        onKeyDown={(event) => jump(event, goToStart, goToEnd)}
      >
        {(row) => (
          <div key={row.key} className={style.row} data-wide={isLive(row)}>
            <ErrorBoundary what="this part of the conversation">
              <ConversationRowView
                row={row}
                chatUri={chat.resource}
                folder={pathOf(session.workingDirectories[0])}
                isLast={row.turn === lastTurn}
                onGrow={isAtEnd ? stick : undefined}
                onFold={stay}
              />
            </ErrorBoundary>
          </div>
        )}
      </VList>
      {!isAtEnd && <NewestButton onClick={goToEnd} />}
    </div>
  );
}

/**
 * Keeps a list where it is while a row changes its height, which takes two frames: the list itself keeps what is below
 * the row in place, but a person who unfolds a message reads on in it.
 */
function keepPlace(list: VListHandle | null, whenKept: (offset: number) => void): void {
  const offset = list?.scrollOffset ?? 0;
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      list?.scrollTo(offset);
      whenKept(offset);
    }),
  );
}

/** The browser's own Home and End glide there, and stop halfway when rows on the way turn out to have another height. */
function jump(event: KeyboardEvent, goToStart: () => void, goToEnd: () => void): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key !== "Home" && event.key !== "End") return;
  if (event.key === "Home") goToStart();
  else goToEnd();
  event.preventDefault();
}

/** The turn that can be sent again: the last one, after its end, where there is a composer (Z950). */
function repeatableTurn({ lifecycle }: SessionState, { activeTurn, turns }: ChatState): Turn | undefined {
  const canSend = lifecycle.status !== "closed" && lifecycle.status !== "failed";
  return canSend && activeTurn === undefined ? turns.at(-1) : undefined;
}

/** Whether a row is a command that runs. */
function isLive(row: ConversationRow): boolean {
  return row.kind === "part" && row.part.kind === "toolCall" && row.part.toolCall.status === "running";
}

/** Whether earlier rows came before those that were shown, which then stay in place. */
function useIsShifted(rows: readonly ConversationRow[]): boolean {
  const firstKey = useRef(rows[0]?.key);
  const isShifted = firstKey.current !== rows[0]?.key;
  useLayoutEffect(() => {
    firstKey.current = rows[0]?.key;
  });
  return isShifted;
}

function NewestButton({ onClick }: { readonly onClick: () => void }): ReactNode {
  return (
    <button
      type="button"
      className={`${control.small} ${style.toEnd}`}
      aria-label="↓ Newest"
      onClick={onClick}
    >
      <ArrowDownIcon /> Newest
    </button>
  );
}

// Transcript of a chat: only the visible rows are drawn, and the newest stays visible until a person scrolls away.
import { type ChatState, defaultChatUri, type SessionState, type TurnId } from "@holdfast/ahp";
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import { ErrorBoundary } from "../frame/error-boundary.tsx";
import { useHost } from "../host/use-host.ts";
import { pathOf } from "../session/session-words.ts";
import control from "../style/control.module.css";
import { ArrowDownIcon, ListUnorderedIcon } from "@primer/octicons-react";
import { Button } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import { ConversationRowView } from "./conversation-row.tsx";
import { type ConversationRow, conversationRows } from "./conversation-rows.ts";
import style from "./conversation.module.css";
import { startTurn } from "./send-message.ts";

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
  const list = useRef<VListHandle>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [isNearStart, setIsNearStart] = useState(true);
  const rows = useMemo(() => conversationRows(chat), [chat]);
  // The visible rows stay in place when earlier rows come before them.
  const firstKey = useRef(rows[0]?.key);
  const isShifted = firstKey.current !== rows[0]?.key;
  useLayoutEffect(() => {
    firstKey.current = rows[0]?.key;
  });
  const stick = (): void => list.current?.scrollToIndex(rows.length - 1, { align: "end" });
  useLayoutEffect(() => {
    if (isAtEnd && rows.length > 0) stick();
  });
  // The layout effect above scrolls there.
  useLayoutEffect(() => setIsAtEnd(true), [sentCount]);
  const goToRow = (index: number): void => {
    setIsAtEnd(false);
    list.current?.scrollToIndex(index, { align: "start" });
  };
  useWantedMessage(rows, message, chat.turnsNextCursor === undefined ? undefined : onLoadEarlier, goToRow);
  if (rows.length === 0) return <ConversationEmpty session={session} />;
  const measure = (offset: number): void => {
    const { scrollSize = 0, viewportSize = 0 } = list.current ?? {};
    setIsAtEnd(scrollSize - viewportSize - offset < nearEndPx);
    const isNear = offset < nearStartPx;
    setIsNearStart(isNear);
    if (isNear) onLoadEarlier();
  };
  const goToEnd = (): void => {
    setIsAtEnd(true);
    stick();
  };
  // The browser's own Home and End glide there, and stop halfway when rows on the way turn out to have another height.
  const jump = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Home") {
      setIsAtEnd(false);
      list.current?.scrollToIndex(0);
    } else if (event.key === "End") {
      goToEnd();
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <div className={style.place}>
      <TurnNavigator rows={rows} onGo={goToRow} />
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
        onKeyDown={jump}
      >
        {(row) => (
          <div key={row.key} className={style.row} data-wide={isLive(row)}>
            <ErrorBoundary what="this part of the conversation">
              <ConversationRowView
                row={row}
                chatUri={chat.resource}
                folder={pathOf(session.workingDirectories[0])}
                onGrow={isAtEnd ? stick : undefined}
              />
            </ErrorBoundary>
          </div>
        )}
      </VList>
      {!isAtEnd && (
        <button
          type="button"
          className={`${control.small} ${style.toEnd}`}
          aria-label="↓ Newest"
          onClick={goToEnd}
        >
          <ArrowDownIcon /> Newest
        </button>
      )}
    </div>
  );
}

/** Goes once to the message that an address names, and loads earlier turns until it is there. */
function useWantedMessage(
  rows: readonly ConversationRow[],
  message: TurnId | undefined,
  loadEarlier: (() => void) | undefined,
  goToRow: (index: number) => void,
): void {
  const reached = useRef<TurnId>(undefined);
  useLayoutEffect(() => {
    if (message === undefined || reached.current === message) return;
    const index = rows.findIndex((row) => row.kind === "message" && row.turn.id === message);
    if (index < 0) return loadEarlier?.();
    reached.current = message;
    goToRow(index);
    // Rows on the way are measured only then, and move it.
    setTimeout(() => goToRow(index), settledMs);
  }, [rows, message, loadEarlier, goToRow]);
}

/** After this time the rows around a message that was scrolled to are measured. */
const settledMs = 150;

/** Whether a row is a command that runs. */
function isLive(row: ConversationRow): boolean {
  return row.kind === "part" && row.part.kind === "toolCall" && row.part.toolCall.status === "running";
}

interface TurnNavigatorProps {
  readonly rows: readonly ConversationRow[];
  readonly onGo: (index: number) => void;
}

/** As many turns as are listed, the newest. */
const listedTurns = 200;
/** Fewer turns need no list. */
const leastTurns = 3;
const maxTitleChars = 70;

/** The messages of the conversation, to go to each (Z805). */
function TurnNavigator({ rows, onGo }: TurnNavigatorProps): ReactNode {
  const messages = useMemo(
    () =>
      rows
        .flatMap((row, index) => (row.kind === "message" ? [{ text: row.turn.message.text, index }] : []))
        .slice(-listedTurns),
    [rows],
  );
  if (messages.length < leastTurns) return null;
  return (
    <div className={style.navigator}>
      <Menu
        label="Go to a message"
        icon={<ListUnorderedIcon />}
        items={messages.map(({ text, index }) => ({ label: titleOf(text), onSelect: () => onGo(index) }))}
      />
    </div>
  );
}

function titleOf(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  return line.length > maxTitleChars ? `${line.slice(0, maxTitleChars)}…` : line;
}

const shellTrials = ["ls -la", "/help", "for i in 1 2 3 4 5; do echo line $i; sleep 1; done"];

/** Says what can be written, and offers what can be tried. */
function ConversationEmpty({ session }: { readonly session: SessionState }): ReactNode {
  const host = useHost();
  const { commands, provider, defaultChat, resource, lifecycle } = session;
  const chat = host.channel(defaultChat ?? defaultChatUri(resource), "chat");
  const trials = provider === "shell" ? shellTrials : [];
  if (lifecycle.status === "failed") return <div className={style.empty} />;
  return (
    <div className={style.empty}>
      <h2>No messages yet.</h2>
      {provider === "shell" ? (
        <p>This agent has no model. It runs what you type, line by line, and asks before each.</p>
      ) : (
        <p>
          Write what you want done. You can close this page: the agent keeps working, and what it asks waits
          in the inbox.
        </p>
      )}
      {trials.length > 0 && (
        <ul aria-label="Things to try">
          {trials.map((text) => (
            <li key={text}>
              <Button onClick={() => void host.reportRejection(startTurn(chat, { text }))}>
                <code>{text}</code>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {commands.length > 0 && (
        <p>
          It knows{" "}
          {commands.slice(0, 8).map(({ name }) => (
            <code key={name}>/{name} </code>
          ))}
        </p>
      )}
    </div>
  );
}

// What was said in a chat: only the rows in sight are drawn, and the newest stays in sight until a person scrolls away.
import { useLayoutEffect, useMemo, useRef, useState, type ReactNode } from "react";
import type { ChatState, SessionState } from "@holdfast/ahp";
import { VList, type VListHandle } from "virtua";
import { ErrorBoundary } from "../frame/error-boundary.tsx";
import control from "../style/control.module.css";
import { ConversationEmpty } from "./conversation-empty.tsx";
import { ConversationRowView } from "./conversation-row.tsx";
import { conversationRows } from "./conversation-rows.ts";
import style from "./conversation.module.css";

/** What a conversation shows. */
export interface ConversationProps {
  readonly session: SessionState;
  readonly chat: ChatState;
}

/** How near to the end counts as there. */
const nearEndPx = 60;

/** The conversation. */
export function Conversation({ session, chat }: ConversationProps): ReactNode {
  const list = useRef<VListHandle>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const rows = useMemo(() => conversationRows(chat), [chat]);
  const stick = (): void => list.current?.scrollToIndex(rows.length - 1, { align: "end" });
  useLayoutEffect(() => {
    if (isAtEnd && rows.length > 0) stick();
  });
  if (rows.length === 0) return <ConversationEmpty session={session} />;
  const measure = (offset: number): void => {
    const { scrollSize = 0, viewportSize = 0 } = list.current ?? {};
    setIsAtEnd(scrollSize - viewportSize - offset < nearEndPx);
  };
  return (
    <div className={style.place}>
      <VList
        ref={list}
        className={style.list}
        role="log"
        aria-label="Conversation"
        aria-live="polite"
        tabIndex={0}
        data={rows}
        onScroll={measure}
      >
        {(row) => (
          <div key={row.key} className={style.row}>
            <ErrorBoundary what="this part of the conversation">
              <ConversationRowView row={row} chatUri={chat.resource} onGrow={isAtEnd ? stick : undefined} />
            </ErrorBoundary>
          </div>
        )}
      </VList>
      {!isAtEnd && (
        <button
          type="button"
          className={`${control.button} ${style.toEnd}`}
          onClick={() => {
            setIsAtEnd(true);
            stick();
          }}
        >
          ↓ Newest
        </button>
      )}
    </div>
  );
}

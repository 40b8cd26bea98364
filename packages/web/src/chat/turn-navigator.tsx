// Navigator of the turns: the messages of the conversation, to go to each (Z805).
import { ListUnorderedIcon } from "@primer/octicons-react";
import { type ReactNode, useMemo } from "react";
import { Menu } from "../ui/menu.tsx";
import type { ConversationRow } from "./conversation-rows.ts";
import style from "./conversation.module.css";

interface TurnNavigatorProps {
  readonly rows: readonly ConversationRow[];
  /** Whether the end of the conversation is shown. */
  readonly isAtEnd: boolean;
  readonly onGo: (index: number) => void;
}

/** As many turns as are listed, the newest. */
const listedTurns = 200;
/** Fewer turns need no list. */
const leastTurns = 3;
const maxTitleChars = 70;

export function TurnNavigator({ rows, isAtEnd, onGo }: TurnNavigatorProps): ReactNode {
  const messages = useMemo(
    () =>
      rows
        .flatMap((row, index) => (row.kind === "message" ? [{ text: row.turn.message.text, index }] : []))
        .slice(-listedTurns),
    [rows],
  );
  if (messages.length < leastTurns) return null;
  return (
    <div className={style.navigator} data-at-end={isAtEnd}>
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

// Sends the comments on lines to the agent, all as one message.
import { CommentIcon } from "@primer/octicons-react";
import type { ChatState, SessionUri } from "@holdfast/ahp";
import { type ReactNode, useState } from "react";
import { queueMessage, startTurn } from "../chat/send-message.ts";
import { goTo } from "../frame/route.ts";
import { useHost } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import style from "./changes-page.module.css";
import { countWords } from "./commit-bar.tsx";
import { reviewMessage, useReviewComments } from "./review-comments.ts";

interface ReviewBarProps {
  readonly session: SessionUri;
  readonly sessionKey: string;
  readonly chat: ChatState;
}

export function ReviewBar({ session, sessionKey, chat }: ReviewBarProps): ReactNode {
  const host = useHost();
  const { store, comments } = useReviewComments(sessionKey);
  const [isBusy, setIsBusy] = useState(false);
  if (comments.length === 0) return null;
  const ids = comments.map(({ id }) => id);
  const send = async (): Promise<void> => {
    setIsBusy(true);
    const channel = host.channel(chat.resource, "chat");
    const message = { text: reviewMessage(comments) };
    const sent = chat.activeTurn === undefined ? startTurn(channel, message) : queueMessage(channel, message);
    const isTaken = await host.reportRejection(sent);
    setIsBusy(false);
    if (!isTaken) return;
    store.remove(ids);
    goTo({ place: "session", session });
  };
  return (
    <div className={style.review} role="group" aria-label="Review comments">
      <span className={style.barWords}>
        <CommentIcon /> {countWords(comments.length, "comment")}
      </span>
      <Button kind="quiet" disabled={isBusy} onClick={() => store.remove(ids)}>
        Discard
      </Button>
      <Button kind="primary" disabled={isBusy} onClick={() => void send()}>
        {chat.activeTurn === undefined ? "Send to agent" : "Queue for agent"}
      </Button>
    </div>
  );
}

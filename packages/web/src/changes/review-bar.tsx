// Sends the comments on lines to the agent, all as one message.
import { CommentIcon } from "@primer/octicons-react";
import type { ChatState, SessionState } from "@holdfast/ahp";
import { type ReactNode, useState } from "react";
import { queueMessage, startTurn } from "../chat/send-message.ts";
import { goTo } from "../frame/route.ts";
import { useHost } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import style from "./changes-page.module.css";
import { countWords } from "./commit-bar.tsx";
import { reviewMessage, useReviewComments } from "./review-comments.ts";

interface ReviewBarProps {
  readonly session: SessionState;
  readonly chat: ChatState;
}

export function ReviewBar({ session, chat }: ReviewBarProps): ReactNode {
  const host = useHost();
  const { store, comments } = useReviewComments(session.key);
  const [isBusy, setIsBusy] = useState(false);
  if (comments.length === 0) return null;
  const ids = comments.map(({ id }) => id);
  const isRun = session.agent?.runsMessages === true;
  const send = async (): Promise<void> => {
    setIsBusy(true);
    const channel = host.channel(chat.resource, "chat");
    const message = { text: reviewMessage(comments) };
    const sent = chat.activeTurn === undefined ? startTurn(channel, message) : queueMessage(channel, message);
    const isTaken = await host.reportRejection(sent);
    setIsBusy(false);
    if (!isTaken) return;
    store.remove(ids);
    goTo({ place: "session", session: session.resource });
  };
  return (
    <div className={style.review} role="group" aria-label="Review comments">
      <span className={style.barWords}>
        <CommentIcon /> {countWords(comments.length, "comment")}
        {isRun && ". This agent would run them as commands, so they cannot be sent to it."}
      </span>
      <Button kind="quiet" disabled={isBusy} onClick={() => store.remove(ids)}>
        Discard
      </Button>
      {!isRun && (
        <Button kind="primary" disabled={isBusy} onClick={() => void send()}>
          {chat.activeTurn === undefined ? "Send to agent" : "Queue for agent"}
        </Button>
      )}
    </div>
  );
}

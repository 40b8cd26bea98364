// Messages that wait for the turn that is going on to end.
import type { ReactNode } from "react";
import type { ChatState, PendingMessage } from "@holdfast/ahp";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import style from "./composer.module.css";

/** The queue; each message can be taken back. */
export function QueueList({ chat }: { readonly chat: ChatState }): ReactNode {
  const host = useHost();
  if (chat.queuedMessages.length === 0) return null;
  const takeBack = ({ id }: PendingMessage): void => {
    const action = { type: "chat/pendingMessageRemoved", kind: "queued", id } as const;
    void host.heed(host.channel(chat.resource, "chat").dispatch(action));
  };
  return (
    <ol className={style.queue} aria-label="Messages that wait">
      {chat.queuedMessages.map((pending) => (
        <li key={pending.id}>
          <span className={control.chip}>waits</span>
          <span className={style.queued}>{pending.message.text}</span>
          <button type="button" className={control.small} onClick={() => takeBack(pending)}>
            Take back
          </button>
        </li>
      ))}
    </ol>
  );
}

// What can be done with a session as a whole: name it, put it away, close it, delete it.
import { useState, type ReactNode } from "react";
import type { SessionAction, SessionState } from "@holdfast/ahp";
import { goTo } from "../frame/route.ts";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { deleteSession } from "./closed-sessions.ts";
import style from "./session-header.module.css";

/** The session, and what is told when it is to be renamed. */
export interface SessionDeedsProps {
  readonly session: SessionState;
  readonly onRename: () => void;
}

/** The buttons; what cannot be undone is asked about first. */
export function SessionDeeds({ session, onRename }: SessionDeedsProps): ReactNode {
  const host = useHost();
  const [isClosing, setIsClosing] = useState(false);
  const { resource, isArchived, lifecycle } = session;
  const dispatch = (action: SessionAction): void => {
    void host.heed(host.channel(resource, "session").dispatch(action));
  };
  if (isClosing) return <ClosingQuestion session={session} onKeep={() => setIsClosing(false)} />;
  return (
    <span className={style.deeds}>
      {lifecycle.status !== "closed" && (
        <>
          <button type="button" className={control.small} onClick={onRename}>
            Rename
          </button>
          <button
            type="button"
            className={control.small}
            onClick={() => dispatch({ type: "session/isArchivedChanged", isArchived: !isArchived })}
          >
            {isArchived ? "Unarchive" : "Archive"}
          </button>
        </>
      )}
      <button type="button" className={control.small} onClick={() => setIsClosing(true)}>
        {lifecycle.status === "closed" ? "Delete …" : "Close …"}
      </button>
    </span>
  );
}

interface ClosingQuestionProps {
  readonly session: SessionState;
  readonly onKeep: () => void;
}

function ClosingQuestion({ session, onKeep }: ClosingQuestionProps): ReactNode {
  const host = useHost();
  const { resource, key, lifecycle } = session;
  const leaveAfter = async (deed: Promise<unknown>): Promise<void> => {
    if (await host.manage(deed)) goTo({ place: "home" });
  };
  const close = (): Promise<unknown> => host.client.request("disposeSession", { channel: resource });
  return (
    <span className={style.deeds} role="group" aria-label="Close the session?">
      {lifecycle.status !== "closed" && (
        <button
          type="button"
          className={control.smallDanger}
          autoFocus
          onClick={() => void leaveAfter(close())}
        >
          Close: stop its agent and commands
        </button>
      )}
      <button
        type="button"
        className={control.smallDanger}
        onClick={() => void leaveAfter(deleteSession(key))}
      >
        Delete with its history
      </button>
      <button type="button" className={control.small} onClick={onKeep}>
        Keep it
      </button>
    </span>
  );
}

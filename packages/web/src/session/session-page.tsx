// One session: its header, its conversation, and where to write.
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { defaultChatUri, type SessionState, type SessionUri } from "@holdfast/ahp";
import { Composer } from "../chat/composer.tsx";
import { ChangedFilesView } from "../chat/changed-files-view.tsx";
import { changedFiles } from "../chat/changed-files.ts";
import { Conversation } from "../chat/conversation.tsx";
import { QueueList } from "../chat/queue-list.tsx";
import { routeHash } from "../frame/route-hash.ts";
import { useChannel, useHost } from "../host/use-host.ts";
import { SessionHeader } from "./session-header.tsx";
import style from "./session-page.module.css";
import { usePresence } from "./use-presence.ts";

/** A session, or what is to be said where it is not there. */
export function SessionPage({ uri }: { readonly uri: SessionUri }): ReactNode {
  const session = useChannel(uri, "session");
  if (session.status === "loading") return <p className={style.empty}>Opening the session …</p>;
  if (session.status === "gone") {
    return (
      <div className={style.empty}>
        <h1>This session is not here.</h1>
        <p>{session.reason}</p>
        <a href={routeHash({ place: "home" })}>To the sessions</a>
      </div>
    );
  }
  return <OpenSession session={session.state} />;
}

function OpenSession({ session }: { readonly session: SessionState }): ReactNode {
  const host = useHost();
  usePresence(session);
  const chatUri = session.defaultChat ?? defaultChatUri(session.resource);
  const chat = useChannel(chatUri, "chat");
  const state = chat.status === "live" ? chat.state : undefined;
  const [isShowingFiles, setIsShowingFiles] = useState(false);
  const files = useMemo(
    () => (state === undefined ? [] : changedFiles(state)),
    [state?.turns, state?.activeTurn?.responseParts],
  );
  useEffect(() => {
    if (session.isRead) return;
    // That it was read is no news to the reader, so what becomes of it is not either.
    void host.channel(session.resource, "session").dispatch({ type: "session/isReadChanged", isRead: true });
  }, [host, session.isRead, session.resource]);
  return (
    <div className={style.page}>
      <SessionHeader
        session={session}
        chat={state}
        changedCount={files.length}
        isShowingFiles={isShowingFiles}
        onShowFiles={setIsShowingFiles}
      />
      <SessionNotes session={session} />
      {chat.status === "live" ? (
        <>
          {isShowingFiles ? (
            <ChangedFilesView files={files} />
          ) : (
            <Conversation key={chatUri} session={session} chat={chat.state} />
          )}
          <QueueList chat={chat.state} />
          {session.lifecycle.status === "closed" ? (
            <p className={style.closed}>This session is closed. What was said stays here to be read.</p>
          ) : (
            <Composer chat={chat.state} />
          )}
        </>
      ) : (
        <p className={style.empty}>{chat.status === "gone" ? chat.reason : "Loading the conversation …"}</p>
      )}
    </div>
  );
}

/** What a person must know of the session as a whole. */
function SessionNotes({ session }: { readonly session: SessionState }): ReactNode {
  const { lifecycle, contextLoss } = session;
  return (
    <>
      {lifecycle.status === "failed" && (
        <p className={style.problem} role="alert">
          {lifecycle.error.message}
        </p>
      )}
      {lifecycle.status === "stale" && lifecycle.cause === "host-restarted" && (
        <p className={style.note}>
          The host was started again: what the agent ran at that moment has ended. Your next message wakes the
          agent.
        </p>
      )}
      {contextLoss !== undefined && (
        <p className={style.note}>
          The agent came back without its memory of what was said: {contextLoss.reason}
        </p>
      )}
    </>
  );
}

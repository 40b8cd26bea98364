// The head of a session: its name, its agent, its settings, and what can be done with it.
import { useState, type ReactNode, type SyntheticEvent } from "react";
import { sessionPhase, type ChatState, type SessionState } from "@holdfast/ahp";
import { UsageMeter } from "../chat/usage-meter.tsx";
import { routeHash } from "../frame/route-hash.ts";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import style from "./session-header.module.css";
import { SessionDeeds } from "./session-deeds.tsx";
import { SessionSettings } from "./session-settings.tsx";
import { pathOf, phaseWords, sessionName } from "./session-words.ts";

/** What the head shows. */
export interface SessionHeaderProps {
  readonly session: SessionState;
  readonly chat: ChatState | undefined;
  readonly changedCount: number;
  readonly isShowingFiles: boolean;
  readonly onShowFiles: (isShowing: boolean) => void;
}

/** The head of a session. */
export function SessionHeader(props: SessionHeaderProps): ReactNode {
  const { session, chat, changedCount, isShowingFiles, onShowFiles } = props;
  const [isRenaming, setIsRenaming] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const phase = phaseWords(sessionPhase(session));
  return (
    <header className={style.header}>
      <a className={style.back} href={routeHash({ place: "home" })} aria-label="Back to the sessions">
        ←
      </a>
      <div className={style.names}>
        {isRenaming ? (
          <RenameForm session={session} onDone={() => setIsRenaming(false)} />
        ) : (
          <h1 className={style.name}>{sessionName(session)}</h1>
        )}
        <p className={style.detail}>
          {session.provider} · {pathOf(session.workingDirectories[0])} · {phase.text}
          <OtherClients session={session} />
        </p>
      </div>
      <div className={style.tools}>
        {chat?.contextUsage !== undefined && <UsageMeter usage={chat.contextUsage} />}
        {(changedCount > 0 || isShowingFiles) && (
          <button
            type="button"
            className={control.small}
            aria-pressed={isShowingFiles}
            onClick={() => onShowFiles(!isShowingFiles)}
          >
            {isShowingFiles ? "Conversation" : `Changed files ${changedCount}`}
          </button>
        )}
        <span className={style.deedsPlace} data-open={isOpen}>
          <SessionDeeds session={session} onRename={() => setIsRenaming(true)} />
        </span>
      </div>
      <button
        type="button"
        className={`${control.small} ${style.more}`}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? "Less" : "More"}
      </button>
      <div className={style.settingsPlace} data-open={isOpen}>
        <SessionSettings session={session} />
      </div>
    </header>
  );
}

function OtherClients({ session }: { readonly session: SessionState }): ReactNode {
  const { clientId } = useHost();
  const others = session.activeClients.filter((client) => client.clientId !== clientId);
  if (others.length === 0) return null;
  return <> · here too: {others.map((client) => client.displayName ?? client.clientId).join(", ")}</>;
}

function RenameForm({
  session,
  onDone,
}: {
  readonly session: SessionState;
  readonly onDone: () => void;
}): ReactNode {
  const host = useHost();
  const [title, setTitle] = useState(sessionName(session));
  const rename = (event: SyntheticEvent): void => {
    event.preventDefault();
    onDone();
    if (title.trim() === "") return;
    const action = { type: "session/labelChanged", label: title.trim() } as const;
    void host.heed(host.channel(session.resource, "session").dispatch(action));
  };
  return (
    <form onSubmit={rename}>
      <input
        className={control.field}
        aria-label="Name of the session"
        autoFocus
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key === "Escape") onDone();
        }}
      />
    </form>
  );
}

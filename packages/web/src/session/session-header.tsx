// The head of a session: its name, its agent, its settings, and what can be done with it.
import {
  type ChatState,
  type ContextUsage,
  type SessionAction,
  sessionPhase,
  type SessionState,
} from "@holdfast/ahp";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import usageMeterStyle from "../chat/usage-meter.module.css";
import { goTo, routeHash } from "../frame/route.ts";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { deleteSession } from "./closed-sessions.ts";
import style from "./session-header.module.css";
import { SessionLimits } from "./session-limits.tsx";
import { SessionSettings } from "./session-settings.tsx";
import { isolationWords, pathOf, phaseWords, sessionName } from "./session-words.ts";

interface SessionHeaderProps {
  readonly session: SessionState;
  readonly chat: ChatState | undefined;
}

export function SessionHeader(props: SessionHeaderProps): ReactNode {
  const { session, chat } = props;
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
          {session.provider} · {pathOf(session.workingDirectories[0])}
          {phase.tone === "bad" && <> · {phase.text}</>}
          <IsolationLabel session={session} />
          <OtherClients session={session} />
        </p>
      </div>
      <div className={style.tools}>
        {chat?.contextUsage !== undefined && <UsageMeter usage={chat.contextUsage} />}
        <span className={style.actionsPlace} data-open={isOpen}>
          <SessionActions session={session} onRename={() => setIsRenaming(true)} />
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
        <SessionLimits limits={session.limits} />
      </div>
    </header>
  );
}

/** The isolation of the session's processes; details on hover. */
function IsolationLabel({ session }: { readonly session: SessionState }): ReactNode {
  const words = isolationWords(session.isolation);
  if (words === undefined) return null;
  return (
    <>
      {" · "}
      <span title={words.detail}>{words.text}</span>
    </>
  );
}

function OtherClients({ session }: { readonly session: SessionState }): ReactNode {
  const { clientId } = useHost();
  const others = session.activeClients.filter((client) => client.clientId !== clientId);
  if (others.length === 0) return null;
  return <> · also open in: {others.map((client) => client.displayName ?? client.clientId).join(", ")}</>;
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
    void host.reportRejection(host.channel(session.resource, "session").dispatch(action));
  };
  return (
    <form onSubmit={rename}>
      <input
        className={control.field}
        aria-label="Session name"
        autoFocus
        onFocus={(event) => event.target.select()}
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

interface SessionActionsProps {
  readonly session: SessionState;
  readonly onRename: () => void;
}

/** The buttons; what cannot be undone is asked about first. */
function SessionActions({ session, onRename }: SessionActionsProps): ReactNode {
  const host = useHost();
  const [isClosing, setIsClosing] = useState(false);
  const { resource, isArchived, lifecycle } = session;
  const dispatch = (action: SessionAction): void => {
    void host.reportRejection(host.channel(resource, "session").dispatch(action));
  };
  if (isClosing) return <ClosingQuestion session={session} onKeep={() => setIsClosing(false)} />;
  return (
    <span className={style.actions}>
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
  const leaveAfter = async (action: Promise<unknown>): Promise<void> => {
    if (await host.reportFailure(action)) goTo({ place: "home" });
  };
  const close = (): Promise<unknown> => host.client.request("disposeSession", { channel: resource });
  return (
    <span className={style.actions} role="group" aria-label="Close the session?">
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

function UsageMeter({ usage }: { readonly usage: ContextUsage }): ReactNode {
  const { usedTokens, sizeTokens, cost } = usage;
  const share = sizeTokens === 0 ? 0 : Math.min(1, usedTokens / sizeTokens);
  const words = `${tokenWords(usedTokens)} of ${tokenWords(sizeTokens)} tokens`;
  return (
    <span className={usageMeterStyle.usage} title={words}>
      <meter min={0} max={1} value={share} high={0.85} aria-label={`Context: ${words}`} />
      <span>{Math.round(share * 100)} %</span>
      {cost !== undefined && (
        <span>
          {cost.amount.toFixed(2)} {cost.currency}
        </span>
      )}
    </span>
  );
}

function tokenWords(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)} k`;
}

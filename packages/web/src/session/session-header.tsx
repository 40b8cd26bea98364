// The head of a session: its name, its agent, its views, and what can be done with it.
import {
  ArchiveIcon,
  InfoIcon,
  KebabHorizontalIcon,
  HistoryIcon,
  PencilIcon,
  TrashIcon,
  XCircleIcon,
} from "@primer/octicons-react";
import { type SessionAction, sessionPhase, type SessionState } from "@holdfast/ahp";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { useOfferedActions } from "../find/offered-actions.ts";
import { BackLink } from "../frame/back-link.tsx";
import { goTo, type SessionRoute } from "../frame/route.ts";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { isComposing } from "../ui/composing.ts";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { stopTerminal } from "../terminal/terminal-actions.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { StatusDot } from "../ui/status.tsx";
import { deleteSession, reopenSession } from "./closed-sessions.ts";
import style from "./session-header.module.css";
import { SessionTabs, useSessionTerminals } from "./session-tabs.tsx";
import { inForceWords, isolationWords, pathOf, phaseWords, sessionName, workState } from "./session-words.ts";

interface SessionHeaderProps {
  readonly session: SessionState;
  readonly route: SessionRoute;
}

export function SessionHeader({ session, route }: SessionHeaderProps): ReactNode {
  const [isRenaming, setIsRenaming] = useState(false);
  const phase = sessionPhase(session);
  const words = phaseWords(phase);
  return (
    <header className={style.header}>
      <BackLink />
      <div className={style.names}>
        {isRenaming ? (
          <RenameForm session={session} onDone={() => setIsRenaming(false)} />
        ) : (
          <div className={style.name}>
            <StatusDot state={workState(phase)} isNamed />
            <h1 className={style.nameText}>{sessionName(session)}</h1>
          </div>
        )}
        <p className={style.detail}>
          {words.tone === "bad" && <span className={style.state}>{words.text} · </span>}
          <span className={style.agent}>{session.provider} · </span>
          <FolderPath path={pathOf(session.workingDirectories[0])} />
          <IsolationLabel session={session} />
          <OtherClients session={session} />
        </p>
      </div>
      <div className={style.tabs}>
        <SessionTabs session={session} route={route} />
      </div>
      <SessionMenu session={session} onRename={() => setIsRenaming(true)} />
    </header>
  );
}

/** The head of a page whose session is not there. */
export function PlainHeader({ title }: { readonly title: string }): ReactNode {
  return (
    <header className={style.header}>
      <BackLink />
      <h1 className={style.nameText}>{title}</h1>
    </header>
  );
}

/** A path that is shortened before its last folder (Z953). */
function FolderPath({ path }: { readonly path: string }): ReactNode {
  const end = path.replace(/\/+$/, "").lastIndexOf("/");
  return (
    <span className={style.path} title={path}>
      <span className={style.parents}>{path.slice(0, Math.max(end, 0))}</span>
      <span className={style.folder}>{path.slice(Math.max(end, 0))}</span>
    </span>
  );
}

/** The isolation of the session's processes; details on hover. */
function IsolationLabel({ session }: { readonly session: SessionState }): ReactNode {
  const words = isolationWords(session.isolation);
  if (words === undefined) return null;
  return (
    <span>
      {" · "}
      <span title={words.detail}>{words.text}</span>
    </span>
  );
}

function OtherClients({ session }: { readonly session: SessionState }): ReactNode {
  const { clientId } = useHost();
  const others = session.activeClients.filter((client) => client.clientId !== clientId);
  if (others.length === 0) return null;
  const names = others.map((client) => client.displayName ?? client.clientId).join(", ");
  return (
    <span className={style.others} title={names}>
      {" · "}also open in: {names}
    </span>
  );
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
    const label = title.trim();
    // A label would hide all later titles of the agent.
    if (label === sessionName(session) || (label === "" && session.label === undefined)) return;
    const action = { type: "session/labelChanged", ...(label !== "" && { label }) } as const;
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
          if (event.key === "Escape" && !isComposing(event.nativeEvent)) onDone();
        }}
      />
    </form>
  );
}

interface SessionMenuProps {
  readonly session: SessionState;
  readonly onRename: () => void;
}

/** Actions on a session; what ends something is asked about first. */
function SessionMenu({ session, onRename }: SessionMenuProps): ReactNode {
  const host = useHost();
  const [asked, setAsked] = useState<"close" | "delete" | "details">();
  const { resource, key, isArchived, lifecycle, backendId } = session;
  const dispatch = (action: SessionAction): void => {
    void host.reportRejection(host.channel(resource, "session").dispatch(action));
  };
  const taken = useSessionTerminals(resource).filter(
    ({ claim, lifecycle: { status } }) => claim.kind === "client" && status === "running",
  );
  const isUsedElsewhere = taken.some(
    ({ claim }) => claim.kind === "client" && claim.clientId !== host.clientId,
  );
  const stopped = isUsedElsewhere
    ? "Its agent and its commands are stopped, including one that is in use in another window."
    : "Its agent and its commands are stopped.";
  /** Terminals that were taken over would outlive the session (U13). */
  const endAndLeave = async (end: () => Promise<unknown>): Promise<void> => {
    const ending = Promise.all(taken.map((terminal) => stopTerminal(terminal.resource))).then(end);
    if (await host.reportFailure(ending)) goTo({ place: "home" });
  };
  const whileOpen: readonly MenuItem[] = [
    { label: "Rename", icon: <PencilIcon />, onSelect: onRename },
    {
      label: isArchived ? "Unarchive" : "Archive",
      icon: <ArchiveIcon />,
      onSelect: () => dispatch({ type: "session/isArchivedChanged", isArchived: !isArchived }),
    },
    { label: "Details", icon: <InfoIcon />, onSelect: () => setAsked("details") },
    "separator",
    { label: "Close…", icon: <XCircleIcon />, onSelect: () => setAsked("close") },
  ];
  const reopen: readonly MenuItem[] = [
    {
      label: "Reopen",
      icon: <HistoryIcon />,
      onSelect: () => void host.reportFailure(reopenSession(host, resource)),
    },
    "separator",
  ];
  const whileClosed = backendId === undefined ? [] : reopen;
  const items: readonly MenuItem[] = [
    ...(lifecycle.status === "closed" ? whileClosed : whileOpen),
    { label: "Delete…", icon: <TrashIcon />, isDanger: true, onSelect: () => setAsked("delete") },
  ];
  useOfferedActions(
    items.flatMap((item) =>
      item === "separator" ? [] : [{ label: item.label, detail: "This session", run: item.onSelect }],
    ),
  );
  const close = (): void => setAsked(undefined);
  return (
    <>
      <Menu label="Session menu" icon={<KebabHorizontalIcon />} items={items} />
      {asked === "close" && (
        <ConfirmDialog
          title="Close the session?"
          text={`${stopped} Its history stays under Closed sessions, where you can reopen it.`}
          action="Close session"
          onConfirm={() =>
            void endAndLeave(() => host.client.request("disposeSession", { channel: resource }))
          }
          onClose={close}
        />
      )}
      {asked === "delete" && (
        <ConfirmDialog
          title="Delete the session?"
          text={`${stopped} Its history is deleted, which cannot be undone.`}
          action="Delete with its history"
          isDanger
          onConfirm={() => void endAndLeave(() => deleteSession(key))}
          onClose={close}
        />
      )}
      {asked === "details" && <SessionDetails session={session} onClose={close} />}
    </>
  );
}

interface SessionDetailsProps {
  readonly session: SessionState;
  readonly onClose: () => void;
}

function SessionDetails({ session, onClose }: SessionDetailsProps): ReactNode {
  const isolation = isolationWords(session.isolation);
  const limits = session.limits ?? [];
  const rows = [
    ["Agent", session.provider],
    ["Folder", pathOf(session.workingDirectories[0])],
    ["Isolation", isolation === undefined ? "" : `${isolation.text}. ${isolation.detail}`],
    ["Limits", limits.map(inForceWords).join(" · ")],
    ["MCP servers", session.mcpServers?.join(", ") ?? ""],
    ["Opened", new Date(session.createdAt).toLocaleString()],
    ["Key", session.key],
  ] as const;
  return (
    <Dialog title="Details" onClose={onClose}>
      <dl className={style.details}>
        {rows
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </Dialog>
  );
}

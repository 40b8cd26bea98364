// The list of sessions, by what needs attention.
import { SearchIcon } from "@primer/octicons-react";
import { lazy, Suspense, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { SessionSummary, SessionUri } from "@holdfast/ahp";
import { noFilter, passes } from "../find/session-filter.ts";
import { NoticeBoundary } from "../frame/error-boundary.tsx";
import { routeHash } from "../frame/route.ts";
import { agoWords, useNow } from "../frame/time-words.ts";
import { StatusDot } from "../ui/status.tsx";
import { groupByAttention } from "./attention.ts";
import style from "./session-list.module.css";
import { folderName, pathOf, phaseWords, sessionName, workState } from "./session-words.ts";

// Nobody filters before the list is there (Z5).
const SessionFilters = lazy(async () => {
  const { SessionFilters: filters } = await import("../find/session-filters.tsx");
  return { default: filters };
});

/** By which the list is found. */
export const sessionListId = "sessions";

export interface SessionListProps {
  /** Not known until the page is connected. */
  readonly sessions: readonly SessionSummary[] | undefined;
  readonly current: SessionUri | undefined;
  /** Whether those that are closed are looked at. */
  readonly isAtClosed: boolean;
  /** Whether the home is shown, which says that there are no sessions. */
  readonly isAtHome: boolean;
}

/** The list with its search; the arrow keys walk through it. */
export function SessionList({ sessions, current, isAtClosed, isAtHome }: SessionListProps): ReactNode {
  const [search, setSearch] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const nowMs = useNow(30_000);
  const [filter, setFilter] = useState(noFilter);
  const groups = groupByAttention(
    (sessions ?? []).filter((session) => passes(session, filter)),
    search,
  );
  const walk = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const links = [...(list.current?.querySelectorAll("a") ?? [])];
    if (step === 0 || links.length === 0) return;
    event.preventDefault();
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
  };
  return (
    <div id={sessionListId} className={style.list} ref={list} onKeyDown={walk}>
      {sessions !== undefined && sessions.length > 0 && (
        <div className={style.search}>
          <SearchIcon />
          <input
            type="search"
            placeholder="Filter sessions"
            aria-label="Filter sessions"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          {sessions.length > 1 && (
            <NoticeBoundary what="the filters of the sessions">
              <Suspense>
                <SessionFilters sessions={sessions} filter={filter} onChange={setFilter} />
              </Suspense>
            </NoticeBoundary>
          )}
        </div>
      )}
      {groups.map(({ heading, sessions: group }) => (
        <section key={heading} aria-label={heading}>
          <h3 className={style.heading}>{heading}</h3>
          <ul className={style.rows}>
            {group.map((session) => (
              <li key={session.resource}>
                <SessionRow session={session} isCurrent={session.resource === current} nowMs={nowMs} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {groups.length === 0 && sessions !== undefined && (
        <NoSessions isNone={sessions.length === 0} isAtHome={isAtHome} search={search} />
      )}
      <a
        className={style.closed}
        href={routeHash({ place: "closed" })}
        aria-current={isAtClosed ? "page" : undefined}
      >
        Closed sessions
      </a>
    </div>
  );
}

interface NoSessionsProps {
  /** Whether there are none at all. */
  readonly isNone: boolean;
  readonly isAtHome: boolean;
  readonly search: string;
}

/** Says why the list is empty (Z932). */
function NoSessions({ isNone, isAtHome, search }: NoSessionsProps): ReactNode {
  if (isNone) return isAtHome ? null : <p className={style.empty}>No sessions yet.</p>;
  return (
    <p className={style.empty}>
      {search === "" ? "No session matches the filters." : `No name, agent or folder matches “${search}”.`}
    </p>
  );
}

interface SessionRowProps {
  readonly session: SessionSummary;
  readonly isCurrent: boolean;
  readonly nowMs: number;
}

function SessionRow({ session, isCurrent, nowMs }: SessionRowProps): ReactNode {
  const state = workState(session.phase);
  const { text, tone } = phaseWords(session.phase);
  const folder = pathOf(session.workingDirectories[0]);
  return (
    <a
      className={style.row}
      href={routeHash({ place: "session", session: session.resource })}
      aria-current={isCurrent ? "page" : undefined}
      data-unread={!session.isRead}
      title={folder}
    >
      <StatusDot state={state} />
      <span className={style.name}>{sessionName(session)}</span>
      <time className={style.ago} dateTime={session.lastActivityAt}>
        {agoWords(session.lastActivityAt, nowMs)}
      </time>
      <span className={style.detail}>
        {state !== "idle" && (
          <>
            <span className={style.phase} data-tone={tone}>
              {text}
              {session.inputNeededCount > 1 && ` ×${session.inputNeededCount}`}
            </span>
            {" · "}
          </>
        )}
        {session.provider}
        {folder !== "" && ` · ${folderName(folder)}`}
      </span>
    </a>
  );
}

// The closed sessions: to be read, reopened and deleted.
import { ArchiveIcon } from "@primer/octicons-react";
import { useEffect, useState, type ReactNode } from "react";
import type { SessionSummary } from "@holdfast/ahp";
import { BackLink } from "../frame/back-link.tsx";
import { goTo, routeHash } from "../frame/route.ts";
import { agoWords, useNow } from "../frame/time-words.ts";
import { useHost, useIsReachable } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import style from "./closed-sessions-page.module.css";
import { deleteSession, fetchClosedSessions, reopenSession, type ClosedSession } from "./closed-sessions.ts";

/** The closed sessions, as far as known. */
type Listing =
  | { readonly status: "loading" }
  | { readonly status: "known"; readonly sessions: readonly ClosedSession[] }
  | { readonly status: "unknown"; readonly reason: string };

/** The list, asked for again whenever another session was opened or closed. */
export function ClosedSessionsPage({ open }: { readonly open: readonly SessionSummary[] }): ReactNode {
  const [listing, setListing] = useState<Listing>({ status: "loading" });
  const [deletedCount, setDeletedCount] = useState(0);
  const isReachable = useIsReachable();
  const openNames = open.map(({ resource }) => resource).join("\n");
  useEffect(() => {
    if (!isReachable) return;
    const loading = new AbortController();
    fetchClosedSessions(loading.signal).then(
      (sessions) => setListing({ status: "known", sessions }),
      (error: unknown) => {
        if (loading.signal.aborted) return;
        setListing({ status: "unknown", reason: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => loading.abort();
  }, [openNames, deletedCount, isReachable]);
  return (
    <div className={style.page}>
      <header className={style.head}>
        <BackLink />
        <h1>Closed sessions</h1>
      </header>
      <ClosedList
        listing={listing}
        // A session that failed to start is listed as closed, and still stands among the open ones.
        openNames={new Set(open.map(({ resource }) => resource))}
        onDeleted={() => setDeletedCount((count) => count + 1)}
      />
    </div>
  );
}

interface ClosedListProps {
  readonly listing: Listing;
  readonly openNames: ReadonlySet<string>;
  readonly onDeleted: () => void;
}

function ClosedList({ listing, openNames, onDeleted }: ClosedListProps): ReactNode {
  if (listing.status === "loading") return <p className={style.empty}>Loading the closed sessions…</p>;
  if (listing.status === "unknown") {
    return (
      <p className={style.empty} role="alert">
        {listing.reason}
      </p>
    );
  }
  const closed = listing.sessions.filter(({ uri }) => !openNames.has(uri));
  if (closed.length === 0) {
    return (
      <EmptyState icon={<ArchiveIcon size={24} />} title="No closed sessions">
        A session that you close stays here with its messages and output, until you delete it.
      </EmptyState>
    );
  }
  return (
    <ul className={style.rows} aria-label="Closed sessions">
      {closed.map((session) => (
        <li key={session.key} className={style.row}>
          <ClosedRow session={session} onDeleted={onDeleted} />
        </li>
      ))}
    </ul>
  );
}

interface ClosedRowProps {
  readonly session: ClosedSession;
  readonly onDeleted: () => void;
}

function ClosedRow({ session, onDeleted }: ClosedRowProps): ReactNode {
  const host = useHost();
  const nowMs = useNow(30_000);
  const [isAsking, setIsAsking] = useState(false);
  const { key, uri, name, agent, folder, lastActivityAt } = session;
  const remove = async (): Promise<void> => {
    if (await host.reportFailure(deleteSession(key))) onDeleted();
  };
  const reopen = async (): Promise<void> => {
    if (await host.reportFailure(reopenSession(host, uri))) goTo({ place: "session", session: uri });
  };
  return (
    <>
      <a className={style.link} href={routeHash({ place: "session", session: uri })}>
        {name}
      </a>
      <time className={style.detail} dateTime={lastActivityAt}>
        {agoWords(lastActivityAt, nowMs)}
      </time>
      <span className={style.detail}>
        {agent}
        {folder !== "" && ` · ${folder}`}
      </span>
      <span className={style.actions}>
        {session.hasStarted && (
          <Button size="small" kind="quiet" aria-label={`Reopen ${name}`} onClick={() => void reopen()}>
            Reopen
          </Button>
        )}
        <Button size="small" kind="quiet" aria-label={`Delete ${name}…`} onClick={() => setIsAsking(true)}>
          Delete…
        </Button>
      </span>
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          text="Its history is deleted. This cannot be undone."
          action="Delete with its history"
          isDanger
          onConfirm={() => void remove()}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

// The frame of the page: what is open at the side, what is looked at beside it.
import { lazy, Suspense, useCallback, useEffect, useState, type ReactNode } from "react";
import type { RootState } from "@holdfast/ahp";
import { Find } from "../find/find.tsx";
import { useConnection, useRoot } from "../host/use-host.ts";
import { SessionList } from "../session/session-list.tsx";
import { SessionPage } from "../session/session-page.tsx";
import control from "../style/control.module.css";
import style from "./app.module.css";
import { ConnectionBadge, LostHost } from "./connection-badge.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { Notices } from "./notices.tsx";
import { placeKey, type Route, routeHash, useRoute } from "./route.ts";
import { ThemeSwitch } from "./theme.tsx";
import { useAttentionSigns } from "../session/attention-signs.ts";
import { Welcome } from "./welcome.tsx";

// Places that few people look at first are no part of the first load (Z5).
const HostPage = lazy(() => import("../stats/host-page.tsx"));
const SearchPage = lazy(() => import("../find/search-page.tsx"));
const Inbox = lazy(async () => ({ default: (await import("../approval/inbox.tsx")).Inbox }));
const ClosedSessionsPage = lazy(async () => {
  const { ClosedSessionsPage: page } = await import("../session/closed-sessions-page.tsx");
  return { default: page };
});
const TerminalBoard = lazy(async () => {
  const { TerminalBoard: board } = await import("../terminal/terminal-board.tsx");
  return { default: board };
});
const NewSessionDialog = lazy(async () => {
  const { NewSessionDialog: dialog } = await import("../session/new-session-dialog.tsx");
  return { default: dialog };
});

/** The same list until the host has sent another. */
const noSessions: RootState["sessions"] = [];

export function App(): ReactNode {
  const route = useRoute();
  const root = useRoot();
  const [isCreating, setIsCreating] = useState(false);
  const needs = useAttentionSigns(root?.sessions ?? noSessions);
  const createSession = useCallback(() => setIsCreating(true), []);
  useEffect(() => {
    // On a phone the page that was left may have been scrolled.
    window.scrollTo(0, 0);
  }, [route.place]);
  return (
    <div className={style.frame} data-place={route.place} data-empty={root?.sessions.length === 0}>
      <a className={style.skip} href="#main" onClick={focusMain}>
        Skip to content
      </a>
      <aside className={style.side} aria-label="Sessions and places">
        <header className={style.brand}>
          <a href={routeHash({ place: "home" })} className={style.wordmark}>
            Holdfast
          </a>
          <ThemeSwitch />
        </header>
        <Places route={route} waitingCount={needs.count} terminalCount={runningTerminals(root)} />
        <div className={style.newSession}>
          <button type="button" className={control.primary} onClick={() => setIsCreating(true)}>
            New session <kbd className={style.key}>N</kbd>
          </button>
        </div>
        <SessionList
          sessions={root?.sessions ?? []}
          current={route.place === "session" ? route.session : undefined}
          isAtClosed={route.place === "closed"}
        />
        <footer className={style.foot}>
          <ConnectionBadge />
        </footer>
      </aside>
      <main className={style.main} id="main" tabIndex={-1}>
        <LostHost />
        <ErrorBoundary key={placeKey(route)} what="this place">
          <Suspense>
            <Place route={route} root={root} onNewSession={() => setIsCreating(true)} />
          </Suspense>
        </ErrorBoundary>
      </main>
      {isCreating && (
        <Suspense>
          <NewSessionDialog onClose={() => setIsCreating(false)} />
        </Suspense>
      )}
      <Find route={route} root={root} onNewSession={createSession} />
      <Notices />
    </div>
  );
}

interface PlaceProps {
  readonly route: Route;
  readonly root: RootState | undefined;
  readonly onNewSession: () => void;
}

function Place({ route, root, onNewSession }: PlaceProps): ReactNode {
  const { status } = useConnection();
  switch (route.place) {
    case "session":
      return <SessionPage key={route.session} route={route} />;
    case "inbox":
      return <Inbox sessions={root?.sessions ?? noSessions} />;
    case "closed":
      return <ClosedSessionsPage open={root?.sessions ?? []} />;
    case "terminals":
      return <TerminalBoard terminals={root?.terminals ?? []} sessions={root?.sessions ?? []} />;
    case "search":
      return <SearchPage sessions={root?.sessions ?? []} query={route.query} />;
    case "host":
      return <HostPage section={route.section} />;
    case "home":
      return (
        <Welcome hasSessions={(root?.sessions.length ?? 0) > 0} status={status} onNewSession={onNewSession} />
      );
  }
}

interface PlacesProps {
  readonly route: Route;
  readonly waitingCount: number;
  readonly terminalCount: number;
}

function Places({ route, waitingCount, terminalCount }: PlacesProps): ReactNode {
  const places = [
    { to: { place: "inbox" }, name: "Inbox", count: waitingCount, isUrgent: waitingCount > 0 },
    { to: { place: "terminals" }, name: "Terminals", count: terminalCount, isUrgent: false },
    { to: { place: "host", section: "settings" }, name: "Host", count: 0, isUrgent: false },
  ] as const;
  return (
    <nav className={style.places} aria-label="Places">
      {places.map(({ to, name, count, isUrgent }) => (
        <a
          key={name}
          href={routeHash(to)}
          className={style.place}
          aria-current={route.place === to.place ? "page" : undefined}
        >
          {name}
          {count > 0 && <span className={isUrgent ? control.chipAttention : control.chip}>{count}</span>}
        </a>
      ))}
    </nav>
  );
}

function runningTerminals(root: RootState | undefined): number {
  return root?.terminals.filter(({ lifecycle }) => lifecycle.status === "running").length ?? 0;
}

function focusMain(event: { preventDefault(): void }): void {
  // The address after the # is the route, so the link itself must not change it.
  event.preventDefault();
  document.getElementById("main")?.focus();
}

// The frame of the page: what is open at the side, what is looked at beside it.
import { lazy, Suspense, useCallback, useEffect, useState, type ReactNode } from "react";
import type { RootState } from "@holdfast/ahp";
import { Find, type Opened } from "../find/find.tsx";
import { keyOf } from "../find/shortcuts.ts";
import { useConnection, useRoot } from "../host/use-host.ts";
import { SessionList } from "../session/session-list.tsx";
import style from "./app.module.css";
import { ConnectionBadge, LostHost } from "./connection-badge.tsx";
import { ErrorBoundary, NoticeBoundary } from "./error-boundary.tsx";
import { HomePage } from "./home-page.tsx";
import { Notices } from "./notices.tsx";
import { HomeIcon, InboxIcon, PlusIcon, SearchIcon, ServerIcon, TerminalIcon } from "@primer/octicons-react";
import { Button, IconButton } from "../ui/button.tsx";
import { Badge } from "../ui/status.tsx";
import { placeKey, type Route, routeHash, useRoute } from "./route.ts";
import { SignedOut } from "./signed-out.tsx";
import { Waiting } from "./waiting.tsx";
import { ThemeSwitch } from "./theme.tsx";
import { useAttentionSigns } from "../session/attention-signs.ts";

// Places that few people look at first are no part of the first load (Z5).
const SessionPage = lazy(async () => ({
  default: (await import("../session/session-page.tsx")).SessionPage,
}));
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
  const { isSignedOut } = useConnection();
  return isSignedOut ? <SignedOut /> : <Frame />;
}

function Frame(): ReactNode {
  const route = useRoute();
  const root = useRoot();
  const [creating, setCreating] = useState<{ readonly agent?: string | undefined }>();
  const [opened, setOpened] = useState<Opened>();
  const createSession = useCallback((agent?: string) => setCreating({ agent }), []);
  const needs = useAttentionSigns(root?.sessions ?? noSessions);
  useEffect(() => {
    // On a phone the page that was left may have been scrolled.
    window.scrollTo(0, 0);
  }, [route.place]);
  return (
    <div className={style.frame} data-place={route.place} data-waiting={root === undefined}>
      <a className={style.skip} href="#main" onClick={focusMain}>
        Skip to content
      </a>
      <aside className={style.side} aria-label="Sessions and places">
        <header className={style.brand}>
          <a href={routeHash({ place: "home" })} className={style.wordmark}>
            Holdfast
          </a>
          <span className={style.tools}>
            <IconButton
              label="Search and commands"
              keys="Ctrl+K"
              icon={<SearchIcon />}
              onClick={() => setOpened("palette")}
            />
            <ThemeSwitch />
          </span>
        </header>
        <Places route={route} waitingCount={needs.count} terminalCount={runningTerminals(root)} />
        <div className={style.newSession}>
          <Button
            icon={<PlusIcon />}
            aria-keyshortcuts={keyOf("new-session")}
            onClick={() => createSession()}
          >
            New session
            <kbd className={style.key} aria-hidden="true">
              {keyOf("new-session").toUpperCase()}
            </kbd>
          </Button>
        </div>
        <SessionList
          sessions={root?.sessions}
          current={route.place === "session" ? route.session : undefined}
          isAtClosed={route.place === "closed"}
          isAtHome={route.place === "home"}
        />
        <footer className={style.foot}>
          <ConnectionBadge />
        </footer>
      </aside>
      <main className={style.main} id="main" tabIndex={-1}>
        <LostHost />
        <Notices />
        <ErrorBoundary key={placeKey(route)} what="this place">
          <Suspense fallback={<Waiting text="Loading…" isAlone />}>
            <Place route={route} root={root} />
          </Suspense>
        </ErrorBoundary>
      </main>
      {creating !== undefined && (
        <NoticeBoundary what="the dialog for a new session" onFailed={() => setCreating(undefined)}>
          <Suspense>
            <NewSessionDialog
              key={creating.agent}
              sessions={root?.sessions ?? []}
              agent={creating.agent}
              onClose={() => setCreating(undefined)}
            />
          </Suspense>
        </NoticeBoundary>
      )}
      <Find route={route} root={root} opened={opened} onOpen={setOpened} onNewSession={createSession} />
    </div>
  );
}

interface PlaceProps {
  readonly route: Route;
  readonly root: RootState | undefined;
}

function Place({ route, root }: PlaceProps): ReactNode {
  // Without the host's lists, a place would say that there is nothing (Z911).
  const needsLists = route.place === "inbox" || route.place === "closed" || route.place === "terminals";
  if (root === undefined && needsLists) return <Waiting text="Loading…" isAlone />;
  switch (route.place) {
    case "session":
      return <SessionPage key={route.session} route={route} />;
    case "inbox":
      return <Inbox sessions={root?.sessions ?? []} />;
    case "closed":
      return <ClosedSessionsPage open={root?.sessions ?? []} />;
    case "terminals":
      return <TerminalBoard terminals={root?.terminals ?? []} sessions={root?.sessions ?? []} />;
    case "host":
      return <HostPage section={route.section} />;
    case "search":
      return <SearchPage sessions={root?.sessions ?? noSessions} query={route.query} />;
    case "home":
      return <HomePage sessions={root?.sessions} />;
  }
}

interface PlacesProps {
  readonly route: Route;
  readonly waitingCount: number;
  readonly terminalCount: number;
}

function Places({ route, waitingCount, terminalCount }: PlacesProps): ReactNode {
  const places = [
    { to: { place: "home" }, name: "Home", icon: <HomeIcon />, count: 0 },
    { to: { place: "inbox" }, name: "Inbox", icon: <InboxIcon />, count: waitingCount },
    { to: { place: "terminals" }, name: "Terminals", icon: <TerminalIcon />, count: terminalCount },
    { to: { place: "host", section: "settings" }, name: "Host", icon: <ServerIcon />, count: 0 },
  ] as const;
  return (
    <nav className={style.places} aria-label="Places">
      {places.map(({ to, name, icon, count }) => (
        <a
          key={name}
          href={routeHash(to)}
          className={style.place}
          aria-current={route.place === to.place ? "page" : undefined}
        >
          {icon}
          <span className={style.placeName}>{name}</span>
          {count > 0 && <Badge tone={to.place === "inbox" ? "attention" : "plain"}>{count}</Badge>}
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

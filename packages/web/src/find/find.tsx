// The palette and the help, opened by keys, and the actions that keys and the palette share.
import type { RootState } from "@holdfast/ahp";
import {
  type Dispatch,
  lazy,
  type ReactNode,
  type SetStateAction,
  Suspense,
  useEffect,
  useMemo,
} from "react";
import { NoticeBoundary } from "../frame/error-boundary.tsx";
import { goTo, type Route } from "../frame/route.ts";
import { changeTheme } from "../frame/theme.tsx";
import { sessionListId } from "../session/session-list.tsx";
import type { Actions } from "./palette-items.ts";
import { actionOf, isTypingIn } from "./shortcuts.ts";

const Palette = lazy(() => import("./palette.tsx"));
const ShortcutHelp = lazy(() => import("./shortcut-help.tsx"));

interface FindProps {
  readonly route: Route;
  readonly root: RootState | undefined;
  readonly opened: Opened;
  readonly onOpen: Dispatch<SetStateAction<Opened>>;
  /** Opens the dialog for a new session, with an agent or with the usual one. */
  readonly onNewSession: (agent?: string) => void;
}

/** What is open above the page. */
export type Opened = "palette" | "help" | undefined;

/** Handles the keys that work everywhere, and shows what they open. */
export function Find({ route, root, opened, onOpen, onNewSession }: FindProps): ReactNode {
  const session = route.place === "session" ? route.session : undefined;
  const actions = useMemo((): Actions => {
    return {
      palette: () => onOpen("palette"),
      help: () => onOpen("help"),
      search: () => goTo({ place: "search", query: "" }),
      "find-session": () => focusIn("input"),
      "new-session": () => onNewSession(),
      home: () => goTo({ place: "home" }),
      inbox: () => goTo({ place: "inbox" }),
      terminals: () => goTo({ place: "terminals" }),
      host: () => goTo({ place: "host", section: "settings" }),
      closed: () => goTo({ place: "closed" }),
      theme: changeTheme,
      ...(session !== undefined && {
        conversation: () => goTo({ place: "session", session }),
        changes: () => goTo({ place: "session", session, view: "changes" }),
        "session-terminals": () => goTo({ place: "session", session, view: "terminals" }),
      }),
    };
  }, [session, onOpen, onNewSession]);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return;
      const id = actionOf(event, isTypingIn(event.target));
      const run = id === undefined ? walkSessions(event) : actions[id];
      if (run === undefined) return;
      run();
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [actions]);
  if (opened === undefined) return null;
  // The browser reports the end of a dialog late: another one may be open by then (Z975).
  const close = (): void => onOpen((current) => (current === opened ? undefined : current));
  return (
    <NoticeBoundary
      key={opened}
      what={opened === "palette" ? "the command palette" : "the keyboard shortcuts"}
      onFailed={close}
    >
      <Suspense>
        {opened === "palette" ? (
          <Palette root={root} actions={actions} onNewSession={onNewSession} onClose={close} />
        ) : (
          <ShortcutHelp onClose={close} />
        )}
      </Suspense>
    </NoticeBoundary>
  );
}

/** Arrows go to the list of sessions from where they have no other meaning. */
function walkSessions({ key, target }: KeyboardEvent): (() => void) | undefined {
  const isArrow = key === "ArrowDown" || key === "ArrowUp";
  if (!isArrow || isTypingIn(target) || document.activeElement !== document.body) return undefined;
  return () => focusIn("a");
}

/** Goes to the first such element of the list of sessions. */
function focusIn(selector: string): void {
  document.querySelector<HTMLElement>(`#${sessionListId} ${selector}`)?.focus();
}

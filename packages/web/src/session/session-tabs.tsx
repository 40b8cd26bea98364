// The views of one session: its conversation, what it changed, and its terminals.
import { CommentDiscussionIcon, DiffIcon, TerminalIcon } from "@primer/octicons-react";
import type { SessionState, SessionUri, TerminalInfo } from "@holdfast/ahp";
import type { ReactNode } from "react";
import { goTo, type SessionRoute } from "../frame/route.ts";
import { useRoot } from "../host/use-host.ts";
import { Tabs } from "../ui/tabs.tsx";

type SessionViewId = "conversation" | "changes" | "terminals";

interface SessionTabsProps {
  readonly session: SessionState;
  readonly route: SessionRoute;
}

export function SessionTabs({ session, route }: SessionTabsProps): ReactNode {
  const terminals = useSessionTerminals(session.resource);
  const running = terminals.filter(({ lifecycle }) => lifecycle.status === "running").length;
  return (
    <Tabs<SessionViewId>
      label="Views of the session"
      current={viewOf(route)}
      tabs={[
        {
          id: "conversation",
          label: "Conversation",
          icon: <CommentDiscussionIcon />,
          count: route.view === undefined ? 0 : session.inputNeeded.length,
        },
        { id: "changes", label: "Changes", icon: <DiffIcon />, count: session.changes?.files ?? 0 },
        { id: "terminals", label: "Terminals", icon: <TerminalIcon />, count: running },
      ]}
      onChange={(id) =>
        goTo({ place: "session", session: session.resource, view: id === "conversation" ? undefined : id })
      }
    />
  );
}

/** The view that an address names. */
export function viewOf({ view }: SessionRoute): SessionViewId {
  return view ?? "conversation";
}

/** The terminals of a session, also those that somebody has taken over (Z962). */
export function useSessionTerminals(session: SessionUri): readonly TerminalInfo[] {
  return useRoot()?.terminals.filter((terminal) => terminal.session === session) ?? [];
}

// The terminals of one session.
import { TerminalIcon } from "@primer/octicons-react";
import type { SessionUri, TerminalUri } from "@holdfast/ahp";
import type { ReactNode } from "react";
import { useTerminal } from "../host/use-host.ts";
import { TerminalPanel } from "../terminal/terminal-panel.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import style from "./session-terminals.module.css";
import { useSessionTerminals } from "./session-tabs.tsx";

/** Those that run first, the newest before older ones. */
export function SessionTerminals({ session }: { readonly session: SessionUri }): ReactNode {
  const terminals = useSessionTerminals(session);
  if (terminals.length === 0) {
    return (
      <EmptyState icon={<TerminalIcon size={24} />} title="No terminals">
        Commands that the agent runs in the background appear here while they run.
      </EmptyState>
    );
  }
  const isRunning = ({ lifecycle }: (typeof terminals)[number]): number =>
    lifecycle.status === "running" ? 1 : 0;
  const ordered = terminals.toReversed().toSorted((one, other) => isRunning(other) - isRunning(one));
  return (
    <ul className={style.list} aria-label="Terminals of this session">
      {ordered.map(({ resource }) => (
        <li key={resource}>
          <SessionTerminal uri={resource} />
        </li>
      ))}
    </ul>
  );
}

function SessionTerminal({ uri }: { readonly uri: TerminalUri }): ReactNode {
  const { stream, view } = useTerminal(uri);
  if (view.status === "live") return <TerminalPanel stream={stream} state={view.state} variant="tile" />;
  return <p>{view.status === "gone" ? view.reason : "Opening…"}</p>;
}

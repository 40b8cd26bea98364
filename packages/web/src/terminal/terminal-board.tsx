// Every terminal of the host as a live tile, and a shell of one's own.
import { PlusIcon, TerminalIcon } from "@primer/octicons-react";
import { useState, type ReactNode } from "react";
import { makeId, terminalUri, type SessionSummary, type TerminalInfo, type TerminalUri } from "@holdfast/ahp";
import { routeHash } from "../frame/route.ts";
import { useHost, useTerminal } from "../host/use-host.ts";
import { randomId } from "../host/client-id.ts";
import { sessionName } from "../session/session-words.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import style from "./terminal-board.module.css";
import { TerminalPanel } from "./terminal-panel.tsx";

export interface TerminalBoardProps {
  readonly terminals: readonly TerminalInfo[];
  readonly sessions: readonly SessionSummary[];
}

/** The board: tiles, and at most two terminals in full beside each other. */
export function TerminalBoard({ terminals, sessions }: TerminalBoardProps): ReactNode {
  const host = useHost();
  const [focused, setFocused] = useState<readonly TerminalUri[]>([]);
  const shown = focused.filter((uri) => terminals.some(({ resource }) => resource === uri));
  const openInFull = (uri: TerminalUri): void => {
    host.terminal(uri).wantKeyboard();
    setFocused((before) => [...before.filter((each) => each !== uri), uri].slice(-2));
  };
  const openShell = async (): Promise<void> => {
    const uri = terminalUri(makeId("terminal", randomId()));
    const claim = { kind: "client", clientId: host.clientId } as const;
    if (await host.reportFailure(host.client.request("createTerminal", { channel: uri, claim }))) {
      openInFull(uri);
    }
  };
  return (
    <div className={style.board}>
      <header className={style.head}>
        <h1>Terminals</h1>
        {shown.length > 0 && (
          <Button kind="quiet" onClick={() => setFocused([])}>
            Back to tiles
          </Button>
        )}
        <Button icon={<PlusIcon />} onClick={() => void openShell()}>
          Open a shell
        </Button>
      </header>
      {terminals.length === 0 && (
        <EmptyState icon={<TerminalIcon size={24} />} title="No terminal is open">
          Commands of agents appear here while they run, each as a live tile. A shell that you open keeps
          running when you close this page.
        </EmptyState>
      )}
      {shown.length > 0 && (
        <div className={style.focus} data-count={shown.length}>
          {shown.map((uri) => (
            <LiveTerminal key={uri} uri={uri} variant="focus" />
          ))}
        </div>
      )}
      <ul className={style.tiles} aria-label="All terminals">
        {runningFirst(terminals)
          .filter(({ resource }) => !shown.includes(resource))
          .map((terminal) => (
            <li key={terminal.resource} className={style.tile}>
              <LiveTerminal uri={terminal.resource} variant="tile" />
              <p className={style.foot}>
                <Origin terminal={terminal} sessions={sessions} />
                <Button kind="quiet" size="small" onClick={() => openInFull(terminal.resource)}>
                  Expand
                </Button>
              </p>
            </li>
          ))}
      </ul>
    </div>
  );
}

/** Those that run, the newest first, then those that ended last. */
function runningFirst(terminals: readonly TerminalInfo[]): TerminalInfo[] {
  const isRunning = ({ lifecycle }: TerminalInfo): number => (lifecycle.status === "running" ? 1 : 0);
  return terminals.toReversed().toSorted((one, other) => isRunning(other) - isRunning(one));
}

function LiveTerminal({
  uri,
  variant,
}: {
  readonly uri: TerminalUri;
  readonly variant: "tile" | "focus";
}): ReactNode {
  const { stream, view } = useTerminal(uri);
  if (view.status === "live") return <TerminalPanel stream={stream} state={view.state} variant={variant} />;
  return <p className={style.empty}>{view.status === "gone" ? view.reason : "Opening…"}</p>;
}

function Origin({
  terminal,
  sessions,
}: {
  readonly terminal: TerminalInfo;
  readonly sessions: readonly SessionSummary[];
}): ReactNode {
  const { claim } = terminal;
  const { clientId } = useHost();
  if (claim.kind === "client" && terminal.session === undefined) {
    return <span>{claim.clientId === clientId ? "Opened here" : "Opened by another client"}</span>;
  }
  const session = sessions.find(({ resource }) => resource === terminal.session);
  if (session === undefined) return <span>From a closed session</span>;
  return <a href={routeHash({ place: "session", session: session.resource })}>{sessionName(session)}</a>;
}

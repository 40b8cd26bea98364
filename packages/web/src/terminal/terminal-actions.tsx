// Buttons of a terminal: take over, hand back, move to the background, stop, remove.
import {
  defaultChatUri,
  parseChannelUri,
  type SessionUri,
  type TerminalAction,
  type TerminalState,
} from "@holdfast/ahp";
import type { ReactNode } from "react";
import { focusMessageField } from "../chat/message-focus.ts";
import { hostFetch } from "../host/host-fetch.ts";
import { useHost, useRoot } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import style from "./terminal-panel.module.css";
import type { TerminalStream } from "./terminal-stream.ts";
import type { Holder } from "./terminal-words.ts";

interface TerminalActionsProps {
  readonly stream: TerminalStream;
  readonly state: TerminalState;
  readonly holder: Holder;
  /** Whether it stands in a list, from which it can be taken once it has ended. */
  readonly isListed: boolean;
}

/** The buttons that make sense now; none where nothing can be done. */
export function TerminalActions({ stream, state, holder, isListed }: TerminalActionsProps): ReactNode {
  const host = useHost();
  const root = useRoot();
  const { claim, session, leftovers, lifecycle, run, resource } = state;
  const dispatch = (action: TerminalAction): void => void host.reportRejection(stream.dispatch(action));
  const giveTo = (to: SessionUri): void => {
    focusMessageField();
    const wanted = { kind: "session", session: to, chat: defaultChatUri(to) } as const;
    dispatch({ type: "terminal/claimed", claim: wanted });
  };
  const takeOver = (): void => {
    stream.wantKeyboard();
    const wanted = { kind: "client", clientId: host.clientId } as const;
    // The label beside the button says that somebody else holds it (Z913).
    const confirmed = holder === "another" ? ({ confirmed: "held" } as const) : {};
    dispatch({ type: "terminal/claimed", claim: wanted, ...confirmed });
  };
  const remove = (): Promise<unknown> => host.client.request("disposeTerminal", { channel: resource });
  // Stopped, it stays to be read, and its agent learns how it ended (Z344).
  const stop = (): Promise<unknown> => stopTerminal(resource);
  // A session that is closed takes nothing back.
  const origin = root?.sessions.some((open) => open.resource === session) === true ? session : undefined;
  const isRunning = lifecycle.status === "running";
  // An agent's own command ends with the agent's work.
  if (isRunning && run === "display") return undefined;
  return (
    <span className={style.actions}>
      {isRunning && run === "tty" && holder !== "you" && (
        <Button size="small" onClick={takeOver}>
          Take over
        </Button>
      )}
      {isRunning && holder === "you" && origin !== undefined && (
        <Button size="small" onClick={() => giveTo(origin)}>
          Hand back
        </Button>
      )}
      {isRunning && holder === "agent" && claim.kind === "session" && (
        <Button kind="quiet" size="small" onClick={() => giveTo(claim.session)}>
          Background
        </Button>
      )}
      {leftovers !== undefined && (
        <Button size="small" onClick={() => void host.reportFailure(stopTerminal(resource))}>
          End processes
        </Button>
      )}
      {holder !== "another" && (isRunning || isListed) && (
        <Button
          kind="quiet"
          size="small"
          aria-label={isRunning ? "Stop command" : "Remove"}
          onClick={() => {
            focusMessageField();
            void host.reportFailure(isRunning ? stop() : remove());
          }}
        >
          {/* One child: the button puts a gap between its children. */}
          {isRunning ? (
            <span>
              Stop<span className={style.object}> command</span>
            </span>
          ) : (
            "Remove"
          )}
        </Button>
      )}
    </span>
  );
}

/** Stops the command of a terminal, also where another client holds it. */
export function stopTerminal(resource: string): Promise<unknown> {
  return hostFetch(killAddress(resource), undefined, "POST");
}

/** The address that kills a terminal, and after its exit ends the processes that its command left running. */
function killAddress(resource: string): string {
  const address = parseChannelUri(resource);
  const id = address?.kind === "terminal" ? address.terminalId : resource;
  return `/sdk/acp/terminals/${encodeURIComponent(id)}/kill`;
}

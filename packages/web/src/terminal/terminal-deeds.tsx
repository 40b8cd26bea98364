// What can be done with a terminal, by who holds it.
import type { ReactNode } from "react";
import type { SessionUri, TerminalAction, TerminalClaim, TerminalState } from "@holdfast/ahp";
import { defaultChatUri } from "@holdfast/ahp";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import style from "./terminal-panel.module.css";
import type { Holder } from "./terminal-words.ts";
import type { TerminalStream } from "./terminal-stream.ts";
import { rememberOrigin, originOf } from "./terminal-origin.ts";

/** A terminal and who holds it. */
export interface TerminalDeedsProps {
  readonly stream: TerminalStream;
  readonly state: TerminalState;
  readonly holder: Holder;
  /** Whether it stands in a list, from which it can be taken once it has ended. */
  readonly isListed: boolean;
}

/** The buttons that make sense now; none where nothing can be done. */
export function TerminalDeeds({ stream, state, holder, isListed }: TerminalDeedsProps): ReactNode {
  const host = useHost();
  const { claim, lifecycle, run, resource } = state;
  const dispatch = (action: TerminalAction): void => void host.heed(stream.dispatch(action));
  const claimFor = (wanted: TerminalClaim): void => dispatch({ type: "terminal/claimed", claim: wanted });
  const takeOver = (): void => {
    if (claim.kind === "session") rememberOrigin(resource, claim.session);
    stream.wantKeyboard();
    claimFor({ kind: "client", clientId: host.clientId });
  };
  const sessionClaim = (session: SessionUri): TerminalClaim => ({
    kind: "session",
    session,
    chat: defaultChatUri(session),
  });
  const origin = originOf(resource);
  const isRunning = lifecycle.status === "running";
  // An agent's own command ends with the agent's work.
  if (isRunning && run === "display") return undefined;
  return (
    <span className={style.deeds}>
      {isRunning && run === "tty" && (holder === "agent" || holder === "background" || holder === "gone") && (
        <button type="button" className={control.small} onClick={takeOver}>
          Take over
        </button>
      )}
      {isRunning && holder === "you" && origin !== undefined && (
        <button type="button" className={control.small} onClick={() => claimFor(sessionClaim(origin))}>
          Give back
        </button>
      )}
      {isRunning && holder === "agent" && claim.kind === "session" && (
        <button type="button" className={control.small} onClick={() => claimFor(sessionClaim(claim.session))}>
          Background
        </button>
      )}
      {holder !== "another" && (isRunning || isListed) && (
        <button
          type="button"
          className={isRunning ? control.smallDanger : control.small}
          onClick={() => void host.manage(host.client.request("disposeTerminal", { channel: resource }))}
        >
          {isRunning ? "Stop" : "Remove"}
        </button>
      )}
    </span>
  );
}

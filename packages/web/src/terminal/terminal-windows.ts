// Terminals that windows of one browser pass on to each other: the host lets only the holder do that (U10).
import { type ClientId, makeId, type SessionUri, type TerminalUri } from "@holdfast/ahp";
import type { HostConnection } from "../host/host-connection.ts";

type WindowMessage =
  | {
      readonly kind: "wanted";
      readonly terminal: TerminalUri;
      readonly holder: ClientId;
      readonly by: ClientId;
    }
  /** The session of a terminal that is passed on, so that the new holder can hand it back. */
  | {
      readonly kind: "origin";
      readonly terminal: TerminalUri;
      readonly session: SessionUri;
      readonly to: ClientId;
    };

const channelName = "holdfast-terminals";

/** Passes terminals that this window holds on to others that ask for them, as long as the page lives. */
export function passOnTerminals(host: HostConnection): void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener("message", ({ data }: MessageEvent<WindowMessage>) => {
    if (data.kind === "origin") {
      if (data.to === host.clientId) rememberOrigin(data.terminal, data.session);
      return;
    }
    if (data.holder !== host.clientId) return;
    const session = originOf(data.terminal);
    const { terminal, by: to } = data;
    if (session !== undefined) send(channel, { kind: "origin", terminal, session, to });
    passOn(host, terminal, to);
  });
}

/** Asks the window that holds a terminal for it. */
export function askForTerminal(terminal: TerminalUri, holder: ClientId, by: ClientId): void {
  const channel = new BroadcastChannel(channelName);
  send(channel, { kind: "wanted", terminal, holder, by });
  channel.close();
}

function send(channel: BroadcastChannel, message: WindowMessage): void {
  // Only a window has a target: a channel reaches pages of this origin alone.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(message);
}

/** The window may show something else by now, so that the terminal is opened first. */
function passOn(host: HostConnection, terminal: TerminalUri, to: ClientId): void {
  const stream = host.terminal(terminal);
  let isAsked = false;
  const attempt = (): void => {
    if (isAsked || stream.state === undefined) return;
    isAsked = true;
    const claimed = stream.dispatch({ type: "terminal/claimed", claim: { kind: "client", clientId: to } });
    void host.reportRejection(claimed).finally(() => stop());
  };
  const stop = stream.listen(attempt);
  attempt();
}

const storageKey = (terminal: TerminalUri): string => `holdfast-origin:${terminal}`;

/** So that the terminal can be handed back, also after a reload. */
export function rememberOrigin(terminal: TerminalUri, session: SessionUri): void {
  sessionStorage.setItem(storageKey(terminal), session);
}

/** The session from which a terminal came, if it was taken over in this tab. */
export function originOf(terminal: TerminalUri): SessionUri | undefined {
  const kept = sessionStorage.getItem(storageKey(terminal));
  return kept === null || kept === "" ? undefined : makeId("session URI", kept);
}

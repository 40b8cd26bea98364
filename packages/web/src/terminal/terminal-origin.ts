// Remembers from which session a terminal was taken over, so that it can be given back; a reload keeps it.
import { makeId, type SessionUri, type TerminalUri } from "@holdfast/ahp";

const storageKey = (terminal: TerminalUri): string => `holdfast-origin:${terminal}`;

/** Remembers the session. */
export function rememberOrigin(terminal: TerminalUri, session: SessionUri): void {
  sessionStorage.setItem(storageKey(terminal), session);
}

/** The session from which a terminal came, if it was taken over in this tab. */
export function originOf(terminal: TerminalUri): SessionUri | undefined {
  const kept = sessionStorage.getItem(storageKey(terminal));
  return kept === null || kept === "" ? undefined : makeId("session URI", kept);
}

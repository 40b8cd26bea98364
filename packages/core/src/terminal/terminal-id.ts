// The id of a terminal in the app API, from its URI and back.
import { type TerminalUri, makeId, parseChannelUri, terminalUri } from "@holdfast/ahp";

/** The id inside a URI of our own making; of one that a client chose in its own way, the whole of it. */
export function terminalIdOf(uri: string): string {
  const address = parseChannelUri(uri);
  return address?.kind === "terminal" ? address.terminalId : uri;
}

/** The URIs that an id may stand for. */
export function terminalUrisOf(id: string): readonly TerminalUri[] {
  return id === "" ? [] : [terminalUri(makeId("terminal", id)), makeId("terminal URI", id)];
}

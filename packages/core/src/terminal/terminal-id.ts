// The id of a terminal in the app API, from its URI and back.
import { type TerminalUri, makeId, parseChannelUri, terminalUri } from "@holdfast/ahp";
import { v0_1 } from "@holdfast/ahp/dialects";

/** The id inside a URI that the host made; a URI that a client chose, as a whole. */
export function terminalIdOf(uri: string): string {
  const address = parseChannelUri(uri);
  return address?.kind === "terminal" ? address.terminalId : uri;
}

/**
 * The other URI of a terminal that a client of AHP 0.1 would see under the same name (E323); undefined where there is
 * none.
 */
export function rivalUriOf(uri: string): string | undefined {
  const shown = v0_1.showUri(uri);
  if (shown !== uri) return shown;
  const own = v0_1.readUri(uri, (each) => each !== uri);
  return own === uri ? undefined : own;
}

/** The URIs that an id may stand for. */
export function terminalUrisOf(id: string): readonly TerminalUri[] {
  return id === "" ? [] : [terminalUri(makeId("terminal", id)), makeId("terminal URI", id)];
}

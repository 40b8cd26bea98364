// The URIs of the seed: those that the host made itself have other names there.
import { makeId } from "../../model/ids.ts";
import { parseChannelUri, ROOT_URI, seedTerminalPrefix, terminalUri } from "../../model/uri.ts";

export const SEED_ROOT_URI = "agenthost:/root";

/** A channel as a client of the seed knows it; a URI that a client chose stays as it is (E4). */
export function showSeedUri(uri: string): string {
  const address = parseChannelUri(uri);
  if (address?.kind === "root") return SEED_ROOT_URI;
  if (address?.kind === "terminal") return seedTerminalPrefix + encodeURIComponent(address.terminalId);
  return uri;
}

/** The channel that a client of the seed means: the one of that very URI if there is one, else the host's own. */
export function readSeedUri(uri: string, exists: (uri: string) => boolean): string {
  if (uri === SEED_ROOT_URI) return ROOT_URI;
  if (!uri.startsWith(seedTerminalPrefix) || exists(uri)) return uri;
  const own = ownTerminalUri(uri.slice(seedTerminalPrefix.length));
  return own !== undefined && exists(own) ? own : uri;
}

function ownTerminalUri(encodedId: string): string | undefined {
  try {
    const id = decodeURIComponent(encodedId);
    return id === "" ? undefined : terminalUri(makeId("terminal", id));
  } catch {
    // A stray percent sign: the host made no such URI.
    return undefined;
  }
}

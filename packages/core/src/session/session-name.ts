// The names of a new session: the id in its key, and the URI of its channel.
import { randomUUID } from "node:crypto";
import {
  type SessionId,
  type SessionUri,
  agentSessionUri,
  makeId,
  mayNameSession,
  parseChannelUri,
  sessionIdIn,
  sessionUri,
} from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";

/** A session's names. */
export interface SessionName {
  readonly sessionId: SessionId;
  readonly uri: SessionUri;
}

/** The choice of a session's creator: its channel, or only the id; absent: nothing. */
export type ChosenName =
  | { readonly uri: SessionUri; readonly sessionId?: undefined }
  | { readonly sessionId: SessionId; readonly uri?: undefined };

/** Names for a session of an agent. `isTaken` says whether a URI is in use, or was. */
export function nameSession(
  provider: string,
  chosen: ChosenName | undefined,
  isTaken: (uri: SessionUri) => boolean,
): SessionName {
  const name =
    chosen?.uri === undefined ? namesOf(provider, chosen?.sessionId) : readName(provider, chosen.uri);
  // The two forms of one id would have one key.
  const forms = [name.uri, sessionUri(name.sessionId), agentSessionUri(provider, name.sessionId)];
  if (forms.some(isTaken)) throw new HostError("SESSION_EXISTS");
  return name;
}

/** A URI in the host's form gives its id to the key; any other stays whole, and the key gets a new id. */
function readName(provider: string, uri: SessionUri): SessionName {
  const sessionId = sessionIdIn(uri, provider);
  if (parseChannelUri(uri) === undefined) {
    return sessionId !== undefined && mayNameSession(sessionId)
      ? { sessionId, uri }
      : { ...namesOf(provider), uri };
  }
  if (sessionId === undefined || !mayNameSession(sessionId)) {
    throw new HostError("INVALID_REQUEST", `${uri} is not a valid session URI.`);
  }
  return { sessionId, uri };
}

function namesOf(provider: string, sessionId = makeId("session", randomUUID())): SessionName {
  if (!mayNameSession(sessionId)) {
    throw new HostError("INVALID_REQUEST", `${sessionId} is not a valid session id.`);
  }
  return { sessionId, uri: agentSessionUri(provider, sessionId) };
}

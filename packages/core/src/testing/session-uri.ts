// The URI of a session of a test, whose agent is called in keys as in the configuration.
import { type SessionUri, agentSessionUri, parseSessionKey } from "@holdfast/ahp";

/** The channel of the session with this key. */
export function uriOfKey(key: string): SessionUri {
  const parts = parseSessionKey(key);
  if (parts === undefined) throw new Error(`${key} is no key of a session`);
  return agentSessionUri(parts.handle, parts.sessionId);
}

// The key of a session, `agent:<handle>:acp:<id>`: what it is made from, and how it reads back.
import { makeId, type SessionId, type SessionKey } from "../ids.ts";

/** The form of an agent's id or handle: a colon in it would split a session key in the wrong place. */
export const AGENT_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

// Characters that URIs do not encode, so that a key is the same percent-encoded or not, however often it is decoded.
const idPattern = /^[A-Za-z0-9._~-]+$/;
const keyPattern = /^agent:([^:]+):acp:([^:]+)$/;

/** The parts of a session key. */
export interface SessionKeyParts {
  readonly handle: string;
  readonly sessionId: SessionId;
}

/** Whether a client may choose this id for a session: the session's key carries it (P7). */
export function mayNameSession(id: string): boolean {
  return idPattern.test(id);
}

/** Builds the key under which the app API knows a session. */
export function formatSessionKey({ handle, sessionId }: SessionKeyParts): SessionKey {
  return makeId("session key", `agent:${handle}:acp:${sessionId}`);
}

/** Takes a session key apart; `undefined` when the text is no key of a session. */
export function parseSessionKey(text: string): SessionKeyParts | undefined {
  const [, handle = "", id = ""] = keyPattern.exec(text) ?? [];
  if (!AGENT_NAME_PATTERN.test(handle) || !mayNameSession(id)) return undefined;
  return { handle, sessionId: makeId("session", id) };
}

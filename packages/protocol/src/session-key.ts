// The key of a session, `agent:<handle>:acp:<uuid>`: how it is made, taken apart, and read from a path.

/** What an agent's id or handle looks like; a colon would split the key in the wrong place. */
export const AGENT_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

const keyPattern = /^agent:([A-Za-z0-9][A-Za-z0-9._-]*):acp:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The two parts of a session key. */
export interface SessionKeyParts {
  readonly handle: string;
  readonly uuid: string;
}

/** Makes a session's key from the agent's handle and a fresh UUID. */
export function formatSessionKey({ handle, uuid }: SessionKeyParts): string {
  return `agent:${handle}:acp:${uuid}`;
}

/** Takes a key apart; undefined if it is not the key of any session. */
export function parseSessionKey(key: string): SessionKeyParts | undefined {
  const [, handle, uuid] = keyPattern.exec(key) ?? [];
  return handle === undefined || uuid === undefined ? undefined : { handle, uuid };
}

/** Reads a key from a path, percent-encoded or already decoded by the server's router. */
export function decodeSessionKey(segment: string): string {
  // No key contains a percent sign, so decoding once more than needed changes nothing.
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    // A broken escape is simply the key of no session: the caller shall get 404, not 400.
    return segment;
  }
}

// The numeric limits of the app API, in one place.

/** What a request may ask for and how the host paces its answers; beyond a limit a request is refused, never cut. */
export const LIMITS = {
  /** Characters of a working directory. */
  cwdLength: 4096,
  /** Characters of a model id. */
  modelLength: 200,
  /** Characters of a session's label. */
  labelLength: 200,
  /** Characters of an agent's id or handle, and of a provider's id. */
  nameLength: 64,
  /** Characters of a mode's id. */
  runtimeModeLength: 64,
  /** Least time a turn may be given. */
  minTimeoutSeconds: 1,
  /** Most time a turn may be given: one day. */
  maxTimeoutSeconds: 86_400,
  /** Config options set in one session by `extras`. */
  extrasEntries: 32,
  /** Characters of one name in `extras`. */
  extrasKeyLength: 64,
  /** Characters of one value in `extras`. */
  extrasValueLength: 512,
  /** Characters of the reason given for a close or a cancel. */
  reasonLength: 1000,
  /** Attachments of one message. */
  attachments: 32,
  /** Turns that may wait in one session when the caller asked for queueing. */
  queuedTurns: 16,
  /** Bytes of a request's body; attachments arrive in it as base64. */
  bodyBytes: 32 * 1024 * 1024,
  /** Longest silence on an event stream: clients give up after 300 s, proxies often after 30. */
  heartbeatIntervalMs: 15_000,
} as const;

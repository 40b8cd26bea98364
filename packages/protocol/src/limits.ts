// The numeric limits of the app API, in one place.

/** Limits of requests and responses; a request beyond a limit is refused, never cut. */
export const LIMITS = {
  /** Objects and arrays inside each other in one message of an agent or an AHP client. */
  nestedLevels: 100,
  /** Characters of a working directory. */
  cwdLength: 4096,
  /** Characters of a model id. */
  modelLength: 200,
  /** Characters of a session's label. */
  labelLength: 200,
  /** Characters of an app's id, and of a permission's name. */
  appIdLength: 64,
  /** Agents, and folders, that a ceiling may name. */
  ceilingEntries: 64,
  /** Permissions that an app may request at once. */
  requestedPermissions: 64,
  /** Characters of an agent's id or handle, and of a provider's id. */
  nameLength: 64,
  /** MCP servers of one session. */
  mcpServers: 64,
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
  /** Bytes of a message's text in UTF-8; attachments count to the body. */
  messageBytes: 4 * 1024 * 1024,
  /** Attachments of one message. */
  attachments: 32,
  /** Characters of the name under which a message may be repeated. */
  idempotencyKeyLength: 200,
  /** Characters of a command, and of one of its arguments. */
  commandLength: 128 * 1024,
  /** Arguments of a command. */
  commandArguments: 4096,
  /** Characters of one input to a terminal, as text or as base64. */
  terminalInputLength: 1024 * 1024,
  /** Bytes of a terminal's text that may be read at once. */
  terminalTextBytes: 16 * 1024 * 1024,
  /** Columns or rows that may be asked for; the host makes of it what a terminal can have. */
  terminalSide: 65_535,
  /** Turns that may wait in one session when the caller asked for queueing. */
  queuedTurns: 16,
  /** Entries of the audit that may be read at once. */
  auditEntries: 1000,
  /** Characters of a turn's id. */
  turnNameLength: 256,
  /** Changed files in one list, and in one request. */
  changedFiles: 5000,
  /** Hunks of one file in one request. */
  changedHunks: 1000,
  /** Characters of a commit's message. */
  commitMessageLength: 64 * 1024,
  /** Characters of a search. */
  searchLength: 1000,
  /** Results of one search. */
  searchResults: 100,
  /** Webhooks of one caller. */
  webhooks: 20,
  /** Characters of a webhook's address. */
  webhookUrlLength: 2048,
  /** Fewest characters of a webhook's secret. */
  minWebhookSecretLength: 16,
  /** Most characters of a webhook's secret. */
  maxWebhookSecretLength: 256,
  /** Bytes of a request's body; attachments arrive in it as base64. */
  bodyBytes: 32 * 1024 * 1024,
  /** Longest silence on an event stream: clients give up after 300 s, proxies often after 30. */
  heartbeatIntervalMs: 15_000,
} as const;

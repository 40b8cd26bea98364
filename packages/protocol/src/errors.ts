// Every error that a caller can get: its code, HTTP status, JSON-RPC number and default sentence.

interface ErrorDeclaration {
  readonly status: number;
  readonly rpcCode: number;
  readonly message: string;
}

/** The JSON-RPC numbers in use: the standard's own, those of the Agent Host Protocol, and one for "too much". */
const rpc = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  sessionNotFound: -32001,
  providerNotFound: -32002,
  sessionAlreadyExists: -32003,
  turnInProgress: -32004,
  authRequired: -32007,
  notFound: -32008,
  permissionDenied: -32009,
  alreadyExists: -32010,
  conflict: -32011,
  tooBusy: -32029,
  unavailable: -32030,
} as const;

/** Every error code with the HTTP status and JSON-RPC number it travels as, and a sentence that says what to do. */
export const ERRORS = {
  ACP_DISABLED: {
    status: 503,
    rpcCode: rpc.permissionDenied,
    message: "Agents are disabled on this host. Set acp.enabled to true in its configuration.",
  },
  ACP_UNKNOWN_AGENT: {
    status: 404,
    rpcCode: rpc.providerNotFound,
    message: "No ACP provider found for this agent. List the agents to see their ids and handles.",
  },
  ACP_AGENT_NOT_ALLOWED: {
    status: 403,
    rpcCode: rpc.permissionDenied,
    message: "This host does not allow this agent. Add it to allowedAgents in the configuration.",
  },
  CEILING_EXCEEDED: {
    status: 403,
    rpcCode: rpc.permissionDenied,
    message:
      "The request exceeds the ceiling of this key or app. Ask the owner for a key with a higher ceiling (`holdfast keys create`).",
  },
  ACP_MAX_SESSIONS: {
    status: 429,
    rpcCode: rpc.tooBusy,
    message: "Session limit reached (maxSessions). Close a session, or raise the limit in the configuration.",
  },
  LIMIT_TOO_HIGH: {
    status: 403,
    rpcCode: rpc.permissionDenied,
    message:
      "A requested limit is above what this host allows. Request a lower one, or raise it in the configuration.",
  },
  TOO_MANY_TERMINALS: {
    status: 429,
    rpcCode: rpc.tooBusy,
    message:
      "Limit of running commands reached (openTerminals). Wait for a command to end, end one, or raise the limit.",
  },
  ACP_SESSION_NOT_FOUND: {
    status: 404,
    rpcCode: rpc.sessionNotFound,
    message: "There is no such session. It may have been closed; list the sessions or create a new one.",
  },
  SESSION_EXISTS: {
    status: 409,
    rpcCode: rpc.sessionAlreadyExists,
    message: "A session with this name exists or has existed. Choose another name.",
  },
  ACP_SESSION_INIT_FAILED: {
    status: 502,
    rpcCode: rpc.internalError,
    message: "The agent could not be started. Run `holdfast agents doctor AGENT` to see why.",
  },
  ACP_INVALID_OPTION: {
    status: 400,
    rpcCode: rpc.invalidParams,
    message: "An option is not valid. Correct it and send the request again.",
  },
  ACP_AGENT_DOES_NOT_ASK: {
    status: 400,
    rpcCode: rpc.invalidParams,
    message:
      "This agent acts without asking, so deny-all would deny nothing. Choose an agent or a mode that asks, or turn isolation on.",
  },
  APPROVAL_POLICY_REQUIRED: {
    status: 400,
    rpcCode: rpc.invalidParams,
    message:
      "A synchronous chat cannot ask anyone, so the session needs an approvalPolicy. Set one, or use the stream.",
  },
  ACP_TURN_ACTIVE: {
    status: 409,
    rpcCode: rpc.turnInProgress,
    message:
      "A turn is already running in this session. Wait for it to end, cancel it, or queue the message with queue: true.",
  },
  ACP_QUEUE_FULL: {
    status: 429,
    rpcCode: rpc.tooBusy,
    message: "The session's message queue is full. Wait until some of the messages have run.",
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    rpcCode: rpc.invalidRequest,
    message: "This Idempotency-Key was used for a different message. Use a new key for a new message.",
  },
  EVENTS_LOST: {
    status: 410,
    rpcCode: rpc.invalidRequest,
    message:
      "The events after your last event are no longer stored. Read the session, and follow it from now on.",
  },
  ACP_ATTACHMENT_NOT_SUPPORTED: {
    status: 400,
    rpcCode: rpc.invalidParams,
    message: "This agent does not support this kind of attachment. Leave it out, or use another agent.",
  },
  ACP_ATTACHMENT_NOT_STORED: {
    status: 410,
    rpcCode: rpc.invalidRequest,
    message: "An attachment of this message is no longer stored. Attach it again.",
  },
  ACP_CONTEXT_LOST: {
    status: 409,
    rpcCode: rpc.invalidRequest,
    message:
      "The agent restarted without the context of the earlier turns, and the message was not sent to it. Send the message without onContextLost to continue anyway.",
  },
  ACP_TURN_FAILED: {
    status: 502,
    rpcCode: rpc.internalError,
    message: "The agent could not finish the turn. Its own message says why; the session remains usable.",
  },
  ACP_AGENT_EXITED: {
    status: 502,
    rpcCode: rpc.internalError,
    message: "The agent's process exited during the turn. Send the message again to restart it.",
  },
  ACP_TURN_TIMEOUT: {
    status: 504,
    rpcCode: rpc.internalError,
    message:
      "The turn took longer than its timeoutSeconds and was stopped. Give it more time, or ask for less.",
  },
  CHANGES_UNAVAILABLE: {
    status: 409,
    rpcCode: rpc.unavailable,
    message: "The changes of this session cannot be read. Its folder must be in a git repository.",
  },
  CHANGES_CONFLICT: {
    status: 409,
    rpcCode: rpc.conflict,
    message: "The file has changed since. List the changes again.",
  },
  COMMAND_NOT_FOUND: {
    status: 400,
    rpcCode: rpc.invalidParams,
    message: "The program was not found on the host. Use its full path, or install it there.",
  },
  COMMAND_NOT_EXECUTABLE: {
    status: 400,
    rpcCode: rpc.invalidParams,
    message: "The file cannot be executed. Make it executable, or name the program that runs it.",
  },
  CLIENT_NOT_FOUND: {
    status: 404,
    rpcCode: rpc.notFound,
    message:
      "The host does not know this client: it was away too long, or the host was restarted. Send initialize, and subscribe again.",
  },
  FILE_NOT_FOUND: {
    status: 404,
    rpcCode: rpc.notFound,
    message: "There is no such file or folder. List its parent folder to see what exists.",
  },
  FILE_EXISTS: {
    status: 409,
    rpcCode: rpc.alreadyExists,
    message: "A file or folder with this name already exists. Choose another name, or delete it first.",
  },
  FILE_CHANGED: {
    status: 409,
    rpcCode: rpc.conflict,
    message: "Somebody else has changed this file. Read it again, then repeat the change.",
  },
  TERMINAL_NOT_FOUND: {
    status: 404,
    rpcCode: rpc.sessionNotFound,
    message: "There is no such terminal. List the terminals to see which exist.",
  },
  TERMINAL_EXITED: {
    status: 409,
    rpcCode: rpc.invalidRequest,
    message: "The terminal's program has exited and accepts no more input. Its output can still be read.",
  },
  TERMINAL_NOT_INTERACTIVE: {
    status: 409,
    rpcCode: rpc.invalidRequest,
    message:
      "The command runs without a pseudo-terminal and accepts no input. You can read, follow and end it.",
  },
  TERMINAL_EXISTS: {
    status: 409,
    rpcCode: rpc.alreadyExists,
    message: "A terminal with this name already exists. Choose another name, or use that terminal.",
  },
  TERMINAL_NOT_HELD: {
    status: 409,
    rpcCode: rpc.conflict,
    message:
      "Somebody else holds this terminal. Claim it first with POST /sdk/acp/terminals/{id}/claim, and give it back afterwards.",
  },
  TERMINAL_NOT_ISOLATED: {
    status: 409,
    rpcCode: rpc.conflict,
    message:
      "This terminal is not isolated, and the session is. Confirm that the session may have it, or keep the terminal.",
  },
  UNAUTHORIZED: {
    status: 401,
    rpcCode: rpc.authRequired,
    message: "The request carries no valid key. Send the host's token as x-api-key or Authorization: Bearer.",
  },
  MISSING_APP_ID: { status: 401, rpcCode: rpc.authRequired, message: "Missing required header: x-app-id" },
  INVALID_APP_ID: {
    status: 401,
    rpcCode: rpc.authRequired,
    message: "Invalid app ID. Register the app and let the host's owner grant it.",
  },
  PERMISSION_REQUIRED: {
    status: 403,
    rpcCode: rpc.permissionDenied,
    message: "The app has not been granted this permission yet. Ask the host's owner to grant it.",
  },
  PERMISSION_DENIED: {
    status: 403,
    rpcCode: rpc.permissionDenied,
    message: "The host's owner denied the app this permission. Only the owner can change that.",
  },
  CALLER_IS_AGENT: {
    status: 403,
    rpcCode: rpc.permissionDenied,
    message:
      "This request comes from a process of an agent, which may not act as the host's owner. Use your own terminal, or allow the agent in security.agentsMayUseApi of the configuration.",
  },
  APP_ID_NOT_ALLOWED: {
    status: 403,
    rpcCode: rpc.permissionDenied,
    message:
      "App ids are accepted only from programs of the user who runs the host. Use a key, made with `holdfast keys create`.",
  },
  HOST_NOT_ALLOWED: {
    status: 403,
    rpcCode: rpc.permissionDenied,
    message: "The Host header does not match this server. Use the URL that the host printed when it started.",
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    rpcCode: rpc.permissionDenied,
    message:
      "Requests from pages of other origins need a token or key in the request itself. Send it as Authorization: Bearer, x-api-key, or ?tkn= for a WebSocket.",
  },
  INVALID_REQUEST: {
    status: 400,
    rpcCode: rpc.invalidParams,
    message: "The request does not match the schema of this operation. Compare it with /openapi.json.",
  },
  INVALID_JSON: {
    status: 400,
    rpcCode: rpc.parseError,
    message: "The body is not JSON. Send a JSON object, or no body where none is needed.",
  },
  BODY_TOO_LARGE: {
    status: 413,
    rpcCode: rpc.invalidRequest,
    message:
      "The body is larger than the host accepts. Send a shorter message, or fewer or smaller attachments.",
  },
  NOT_FOUND: {
    status: 404,
    rpcCode: rpc.methodNotFound,
    message: "There is nothing at this path. Compare it with /openapi.json.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    rpcCode: rpc.methodNotFound,
    message: "This path does not support this method. Compare it with /openapi.json.",
  },
  RATE_LIMITED: {
    status: 429,
    rpcCode: rpc.tooBusy,
    message: "Too many failed or simultaneous requests. Wait before you send the next one.",
  },
  WEBHOOK_LIMIT: {
    status: 429,
    rpcCode: rpc.tooBusy,
    message:
      "Too many webhooks, or too many deliveries waiting for this one. Delete a webhook, or retry later.",
  },
  WEBHOOK_ADDRESS_NOT_ALLOWED: {
    status: 403,
    rpcCode: rpc.permissionDenied,
    message:
      "Webhooks of apps cannot reach this machine or private networks. Use a public address, or ask the owner to register the webhook.",
  },
  WEBHOOK_OFF: {
    status: 409,
    rpcCode: rpc.invalidRequest,
    message:
      "The webhook is disabled because its receiver responded with 410 Gone. Delete it and register it again.",
  },
  HOST_NOT_READY: {
    status: 503,
    rpcCode: rpc.internalError,
    message: "The host cannot accept work at the moment. Read its log.",
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    rpcCode: rpc.unavailable,
    message:
      "The host cannot record changes because its disk is full or cannot be written. Free space on the disk that holds its home, then try again.",
  },
  ISOLATION_UNAVAILABLE: {
    status: 503,
    rpcCode: rpc.unavailable,
    message:
      "This machine cannot isolate agents, and the configuration requires it. Run holdfast doctor to see why.",
  },
  ISOLATION_NOT_ALLOWED: {
    status: 403,
    rpcCode: rpc.permissionDenied,
    message:
      "This isolation is weaker than the host allows here. Leave isolation out, or change it in the configuration.",
  },
  HOST_STOPPING: {
    status: 503,
    rpcCode: rpc.internalError,
    message: "The host is stopping and accepts no new work. Retry after it has restarted.",
  },
  HOST_RESTARTED: {
    status: 503,
    rpcCode: rpc.internalError,
    message:
      "The host stopped during the turn. The transcript so far is kept; send the message again to continue.",
  },
  INTERNAL: {
    status: 500,
    rpcCode: rpc.internalError,
    message: "Internal error. Read the host's log, and report the error if it happens again.",
  },
} as const satisfies Record<string, ErrorDeclaration>;

/** The name of one error, as callers read it in `code`. */
export type ErrorCode = keyof typeof ERRORS;

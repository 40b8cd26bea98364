// The codes with which the host closes a WebSocket, beside those that the protocol itself has.

/** Why a connection was closed; those above 4000 are the host's own, near the HTTP status that says the same. */
export const CLOSE_CODE = {
  goingAway: 1001,
  unsupportedData: 1003,
  /** The client reads too slowly: it comes back with `reconnect`. */
  tryAgainLater: 1013,
  /** The client's right was taken back. */
  revoked: 4401,
  /** Nothing that the client speaks is spoken here. */
  unsupportedVersion: 4406,
  /** The same client is connected anew. */
  replaced: 4409,
} as const;

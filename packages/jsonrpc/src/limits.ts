// How much a connection holds before it says stop.

/** The bounds of a connection; each has a default. */
export interface ConnectionLimits {
  /** Requests of the peer that are not answered; one more is refused with `-32029`. Default 1024. */
  incomingRequests: number;
  /** Requests of ours that are not answered; one more rejects unsent. Default 1024. */
  outgoingRequests: number;
  /** Messages of one key that wait to be handled; above it the source is paused. Default 4096. */
  queuedMessages: number;
  /** Bytes of messages of one key that wait to be handled; above it the source is paused. Default 16 MiB. */
  queuedBytes: number;
  /** Bytes that wait for a slow sink; above it the connection closes. Default 64 MiB. */
  unsentBytes: number;
}

/** The limits where nothing else is asked for. */
export const DEFAULT_LIMITS: Readonly<ConnectionLimits> = {
  incomingRequests: 1024,
  outgoingRequests: 1024,
  queuedMessages: 4096,
  queuedBytes: 16 * 1024 * 1024,
  unsentBytes: 64 * 1024 * 1024,
};

// Errors that concern the client as a whole.

/** Why the client cannot do what it was asked to. */
export type ClientErrorKind =
  /** There is no connection just now. */
  | "not-connected"
  /** The host does not respond, and the caller does not want to wait. */
  | "not-responding"
  /** `close()` was called. */
  | "closed"
  /** The host does not speak this client's version of the model: trying again would not help. */
  | "unsupported"
  /** The host does not admit this client, so retrying would not help. Thrown by the function that opens connections. */
  | "refused"
  /** The host answered with something that is not what was asked for. */
  | "malformed";

/** An error of the client. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly kind: ClientErrorKind;

  constructor(kind: ClientErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** The error for what a closed client, or a channel that is gone, can no longer do. */
export function closedError(cause: unknown): Error {
  return cause instanceof Error ? cause : new ClientError("closed", "The client is closed.", { cause });
}

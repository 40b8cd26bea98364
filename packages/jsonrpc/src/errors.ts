// The errors of a connection: those that travel on the wire and those that are about the wire.

/** The error codes this package itself sends or gives a meaning to. */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** More requests are open than this side takes; from the range JSON-RPC leaves to implementations. */
  tooBusy: -32029,
  /** The request was cancelled by the side that made it. */
  requestCancelled: -32800,
} as const;

/** Characters of a message that a peer may give for an error. */
const maxMessageLength = 16 * 1024;

/** An error answer: thrown by a handler it is sent as it is, received it rejects the request. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** Reads the `error` member of an answer, whatever the peer made of it; a message too long to be shown is cut. */
  static fromWire(error: unknown): RpcError {
    if (typeof error === "object" && error !== null) {
      const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
      if (typeof code === "number" && typeof message === "string") {
        return new RpcError(code, cutMessage(message), data);
      }
    }
    return new RpcError(ErrorCode.internalError, "The peer answered with a malformed error", error);
  }
}

function cutMessage(message: string): string {
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 1)}…` : message;
}

/** Failure of the connection itself, as opposed to one call. */
export type ConnectionErrorKind =
  /** This side called `close()`. */
  | "closed"
  /** The peer's stream ended. */
  | "ended"
  /** The sink threw. */
  | "write-failed"
  /** The peer reads too slowly: more waits to be sent than the limit allows. */
  | "unsent-limit"
  /** More of our requests are unanswered than the limit allows. */
  | "too-many-requests"
  /** The answer to a request is longer than the framing takes. */
  | "message-too-long"
  /** The answer to a request is nested deeper than the limit allows. */
  | "message-too-deep";

/** Says that a request failed because of the connection, or why the connection closed. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly kind: ConnectionErrorKind;

  constructor(kind: ConnectionErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

// What a connection reports and then lives with.

/** Something odd that did not stop the connection. */
export type Warning =
  /** The peer printed something that is no message; `text` is its first 200 characters. */
  | { kind: "noise"; text: string }
  /** A message was longer than the framing takes and was skipped. */
  | { kind: "message-too-long"; limitBytes: number; text: string }
  /** JSON that is no JSON-RPC message; `text` is its first 200 characters. */
  | { kind: "invalid-message"; text: string }
  /** An answer to a request that was never made. */
  | { kind: "unknown-answer"; text: string }
  /** A request was refused because too many are open. */
  | { kind: "too-busy"; method: string }
  /** A handler, or the order key's function, threw what is not an `RpcError`; the peer is not told what. */
  | { kind: "handler-failed"; method: string; error: unknown };

/** Takes warnings; it must not throw. */
export type WarningListener = (warning: Warning) => void;

// Types of the calls that one side answers, and the call of a handler.
import type { RawJson, RpcId } from "./wire.ts";

/**
 * The calls that one side answers, by method. Declare it as a `type`, not as an `interface`.
 * It describes what the protocol says, not what a peer sends: handlers check params before they trust them.
 */
export interface Methods {
  requests: Record<string, { params: unknown; result: unknown }>;
  notifications: Record<string, unknown>;
}

/** Context of a request, passed to its handler. */
export interface RequestContext {
  readonly id: RpcId;
  readonly method: string;
  /** Where the request begins in the peer's stream, which names it for as long as the stream lasts. */
  readonly offset: number;
  /** Aborts when the peer cancels the request or the connection closes. */
  readonly signal: AbortSignal;
}

/** Result of a handler: a value, or its JSON as ready bytes. */
export type Answer<Result> = Result | RawJson | Promise<Result | RawJson>;

/** The handlers of requests by method. A method without one is answered `-32601`. */
export type RequestHandlers<Local extends Methods> = {
  readonly [Method in keyof Local["requests"]]?: (
    params: Local["requests"][Method]["params"],
    context: RequestContext,
  ) => Answer<Local["requests"][Method]["result"]>;
};

/** The handlers of notifications by method. */
export type NotificationHandlers<Local extends Methods> = {
  readonly [Method in keyof Local["notifications"]]?: (
    params: Local["notifications"][Method],
  ) => void | Promise<void>;
};

/** A request handler once its types no longer matter. */
export type AnyRequestHandler = (params: unknown, context: RequestContext) => unknown;

/** A notification handler once its types no longer matter. */
export type AnyNotificationHandler = (params: unknown) => unknown;

/** Calls back with the outcome: at once if the handler is synchronous, which costs no promise, else when it settles. */
export function callHandler(
  handler: () => unknown,
  onResult: (result: unknown) => void,
  onError: (error: unknown) => void,
): Promise<void> | undefined {
  let result: unknown;
  try {
    result = handler();
  } catch (error) {
    onError(error);
    return undefined;
  }
  if (isPromiseLike(result)) return Promise.resolve(result).then(onResult, onError);
  onResult(result);
  return undefined;
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

// The types with which one side's calls are described, so that requests and handlers are checked.
import type { RawJson } from "./raw-json.ts";
import type { RpcId } from "./wire.ts";

/**
 * The calls that one side answers, by method. Declare it as a `type`, not as an `interface`.
 * It describes what the protocol says, not what a peer sends: handlers check params before they trust them.
 */
export interface Methods {
  requests: Record<string, { params: unknown; result: unknown }>;
  notifications: Record<string, unknown>;
}

/** What a handler knows about the request it answers. */
export interface RequestContext {
  readonly id: RpcId;
  readonly method: string;
  /** Aborts when the peer cancels the request or the connection closes. */
  readonly signal: AbortSignal;
}

/** What a handler may answer with: the result, or its JSON as ready bytes. */
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

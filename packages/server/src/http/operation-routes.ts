// Makes routes from the table of operations: each is read, handled and answered by its contract.
import {
  EVENT_STREAM_TYPE,
  HostError,
  OPERATIONS,
  readRequest,
  routePattern,
  type Operation,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  type Operations,
} from "@holdfast/protocol";
import type { Context, Hono } from "hono";
import type { Caller } from "../host-port.ts";
import { readBody } from "./request-body.ts";

/** What the server knows of a request beside what its operation reads from it. */
export interface ServerEnv {
  Variables: { caller: Caller };
}

/** Who asks, and how to know that they have gone. */
export interface RequestContext {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

type Answer<Each extends Operation> = Each["stream"] extends true
  ? ReadableStream<Uint8Array>
  : OperationOutput<Each>;

/** Serves one operation: from its input to its answer, or to its stream. */
export type Handler<Name extends OperationName> = (
  input: OperationInput<Operations[Name]>,
  context: RequestContext,
) => Answer<Operations[Name]> | Promise<Answer<Operations[Name]>>;

/** A handler for every operation of the table. */
export type Handlers = { readonly [Name in OperationName]: Handler<Name> };

const streamHeaders = {
  "content-type": `${EVENT_STREAM_TYPE}; charset=utf-8`,
  // Proxies must neither keep, change nor gather what is meant to arrive at once.
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Mounts all operations, and 405 for every other method on their paths. `isEnabled` is asked at each request. */
export function mountOperations(app: Hono<ServerEnv>, handlers: Handlers, isEnabled: () => boolean): void {
  const names = Object.keys(OPERATIONS) as OperationName[];
  for (const name of names) mountOperation(app, name, handlers[name], isEnabled);
  for (const pattern of new Set(names.map((name) => routePattern(OPERATIONS[name])))) {
    const methods = names.filter((name) => routePattern(OPERATIONS[name]) === pattern);
    refuseOtherMethods(
      app,
      pattern,
      methods.map((name) => OPERATIONS[name].method),
    );
  }
}

/** Answers 405 for what no route before it has taken. */
export function refuseOtherMethods(app: Hono<ServerEnv>, pattern: string, methods: readonly string[]): void {
  app.all(pattern, () => {
    throw new HostError("METHOD_NOT_ALLOWED", undefined, { details: { allow: methods.join(", ") } });
  });
}

function mountOperation<Name extends OperationName>(
  app: Hono<ServerEnv>,
  name: Name,
  handler: Handler<Name>,
  isEnabled: () => boolean,
): void {
  const operation: Operations[Name] = OPERATIONS[name];
  app.on(operation.method, routePattern(operation), async (c) => {
    if (!isEnabled()) throw new HostError("ACP_DISABLED");
    const input = readRequest(operation, {
      params: c.req.param(),
      query: c.req.query(),
      body: "body" in operation ? await readBody(c.req.raw) : "",
    });
    return respond(await handler(input, contextOf(c)));
  });
}

function contextOf(c: Context<ServerEnv>): RequestContext {
  return { caller: c.get("caller"), signal: c.req.raw.signal };
}

function respond(answer: object): Response {
  return answer instanceof ReadableStream
    ? new Response(answer, { headers: streamHeaders })
    : Response.json(answer);
}

// Makes routes from the table of operations: each is read, handled and answered by its contract.
import {
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
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hono } from "hono";
import { requirePermission, type Identity } from "../auth/identity.ts";
import type { Caller } from "../host-port.ts";
import { answerWithEvents } from "./event-answer.ts";
import { EventPump } from "./event-pump.ts";
import { BodyReader } from "./request-body.ts";

/** What the server knows of a request beside what its operation reads from it. */
export interface ServerEnv {
  /** Node's own objects; absent where a request did not come over a socket. */
  Bindings: { incoming?: IncomingMessage; outgoing?: ServerResponse };
  Variables: { caller: Caller; identity: Identity; operation?: string };
}

/** Who asks. */
export interface RequestContext {
  readonly caller: Caller;
  /** Names the credential they came with. */
  readonly clientId: string;
}

type Answer<Each extends Operation> = Each["stream"] extends true ? EventPump : OperationOutput<Each>;

/** Serves one operation: from its input to its answer, or to its stream. */
export type Handler<Name extends OperationName> = (
  input: OperationInput<Operations[Name]>,
  context: RequestContext,
) => Answer<Operations[Name]> | Promise<Answer<Operations[Name]>>;

/** A handler for every operation of the table. */
export type Handlers = { readonly [Name in OperationName]: Handler<Name> };

/** Mounts all operations, and 405 for every other method on their paths. `isEnabled` is asked at each request. */
export function mountOperations(app: Hono<ServerEnv>, handlers: Handlers, isEnabled: () => boolean): void {
  const names = Object.keys(OPERATIONS) as OperationName[];
  const bodies = new BodyReader();
  for (const name of names) mountOperation(app, name, handlers[name], { isEnabled, bodies });
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
    throw methodNotAllowed(methods);
  });
}

interface RouteParts {
  readonly isEnabled: () => boolean;
  readonly bodies: BodyReader;
}

function mountOperation<Name extends OperationName>(
  app: Hono<ServerEnv>,
  name: Name,
  handler: Handler<Name>,
  { isEnabled, bodies }: RouteParts,
): void {
  const operation: Operations[Name] = OPERATIONS[name];
  app.on(operation.method, routePattern(operation), async (c) => {
    const { caller, identity } = c.var;
    c.set("operation", name);
    requirePermission(identity, operation.permission);
    // Who may come in is decided whether there are agents or not.
    if (operation.permission !== "admin" && !isEnabled()) throw new HostError("ACP_DISABLED");
    // A router takes HEAD for GET, but a stream has nothing to show without its events.
    if (operation.stream && c.req.method !== operation.method) throw methodNotAllowed([operation.method]);
    const input = readRequest(operation, {
      params: c.req.param(),
      query: c.req.query(),
      headers: "headers" in operation ? c.req.header() : {},
      body: "body" in operation ? await bodies.read(c.req.raw) : "",
    });
    const answer: object = await handler(input, { caller, clientId: identity.clientId });
    return answer instanceof EventPump ? answerWithEvents(answer, c) : Response.json(answer);
  });
}

function methodNotAllowed(methods: readonly string[]): HostError {
  return new HostError("METHOD_NOT_ALLOWED", undefined, { details: { allow: methods.join(", ") } });
}

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
import type { Context, Hono } from "hono";
import type { Identity } from "../auth/identity.ts";
import { requirePermission } from "../auth/permission.ts";
import type { Caller, HostPort } from "../host-port.ts";
import { EventStream } from "./event-stream.ts";
import { BodyReader } from "./request-body.ts";

/** Context of a request, beside the input that its operation reads from it. */
export interface ServerEnv {
  /** Node's own objects; absent where a request did not come over a socket. */
  Bindings: { incoming?: IncomingMessage; outgoing?: ServerResponse };
  Variables: { caller: Caller; identity: Identity; operation?: string };
}

/** Without a socket there are none at all, whatever the router's types say. */
export function bindingsOf(c: Context<ServerEnv>): ServerEnv["Bindings"] {
  const bindings: ServerEnv["Bindings"] | undefined = c.env;
  return bindings ?? {};
}

export interface RequestContext {
  readonly caller: Caller;
  /** Names the credential they came with. */
  readonly clientId: string;
}

type Answer<Each extends Operation> = Each["stream"] extends true ? EventStream : OperationOutput<Each>;

/** Serves one operation: from its input to its answer, or to its stream. */
export type Handler<Name extends OperationName> = (
  input: OperationInput<Operations[Name]>,
  context: RequestContext,
) => Answer<Operations[Name]> | Promise<Answer<Operations[Name]>>;

export type Handlers = { readonly [Name in OperationName]: Handler<Name> };

/** Mounts all operations, and 405 for every other method on their paths. */
export function mountOperations(
  app: Hono<ServerEnv>,
  handlers: Handlers,
  host: Pick<HostPort, "acpEnabled" | "recording">,
): void {
  const names = Object.keys(OPERATIONS) as OperationName[];
  const bodies = new BodyReader();
  for (const name of names) mountOperation(app, name, handlers[name], host, bodies);
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

function mountOperation<Name extends OperationName>(
  app: Hono<ServerEnv>,
  name: Name,
  handler: Handler<Name>,
  host: Pick<HostPort, "acpEnabled" | "recording">,
  bodies: BodyReader,
): void {
  const operation: Operations[Name] = OPERATIONS[name];
  app.on(operation.method, routePattern(operation), async (c) => {
    const { caller, identity } = c.var;
    c.set("operation", name);
    requirePermission(identity, operation.permission);
    // Admission is decided whether there are agents or not.
    if (operation.permission !== "admin" && !host.acpEnabled) throw new HostError("ACP_DISABLED");
    // A router takes HEAD for GET, but a stream has nothing to show without its events.
    if (operation.stream && c.req.method !== operation.method) throw methodNotAllowed([operation.method]);
    const input = readRequest(operation, {
      params: c.req.param(),
      query: c.req.query(),
      headers: "headers" in operation ? c.req.header() : {},
      body: "body" in operation ? await bodies.read(c.req.raw) : "",
    });
    const recorded = recordingNeed(name);
    if (recorded === "before and after") await host.recording?.requireNow();
    const answer: object = await handler(input, { caller, clientId: identity.clientId });
    if (recorded !== "never") {
      await host.recording?.settled().catch((error: unknown) => {
        if (answer instanceof EventStream) answer.close();
        throw error;
      });
    }
    return answer instanceof EventStream ? answer.respond(c.env.outgoing) : Response.json(answer);
  });
}

/** When an operation needs its changes recorded: nothing is acknowledged that a kill of the host would undo (D260). */
type RecordingNeed = "never" | "after" | "before and after";

function recordingNeed(name: OperationName): RecordingNeed {
  switch (name) {
    case "writeTerminal":
    case "createTicket":
    case "createSignInLink":
      // Neither is ever recorded.
      return "never";
    case "cancelTurn":
    case "interruptTerminal":
    case "killTerminal":
    case "resizeTerminal":
      // Stopping must work on a full disk too.
      return "after";
    default:
      return OPERATIONS[name].method === "GET" ? "never" : "before and after";
  }
}

function methodNotAllowed(methods: readonly string[]): HostError {
  return new HostError("METHOD_NOT_ALLOWED", undefined, { details: { allow: methods.join(", ") } });
}

// Definition of an operation of the app API: the one description that routes, clients and the OpenAPI document are made from.
import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";

/** Permissions of an app or a key: sessions with agents, their terminals, the host itself. */
export const PERMISSIONS = ["acp.agent", "terminal", "admin"] as const;

/** One permission of an app or a key. */
export type Permission = (typeof PERMISSIONS)[number];

/** Permissions that an app can be granted. An app id is no secret, so `admin` needs a key. */
export const APP_PERMISSIONS = ["acp.agent", "terminal"] as const;

/** The client id under which the owner holds terminals by the app API; it is never connected, so any client may claim them. */
export const OWNER_CLIENT_ID = "owner";

/** One operation: everything a server, a client and a document need to know about it. */
export interface Operation {
  /** The name of the SDK's method. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path with parameters in braces: `/sdk/acp/session/{key}`. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** The permission that its caller needs. */
  readonly permission: Permission;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Headers that mean something to it, their names in lower case. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Whether the body may be missing altogether. */
  readonly bodyOptional?: boolean;
  /** The code for a body that does not fit; `INVALID_REQUEST` if it is not said. */
  readonly invalidBody?: ErrorCode;
  /** Whether the response is an event stream instead of one JSON document. */
  readonly stream: boolean;
  /** The JSON response with its envelope; for a stream, one event of it. */
  readonly response: z.ZodType;
  /** The errors of this operation beyond those that any operation can have. */
  readonly errors: readonly ErrorCode[];
}

/** The errors that any operation can return. */
export const SHARED_ERRORS = [
  "UNAUTHORIZED",
  "MISSING_APP_ID",
  "INVALID_APP_ID",
  "PERMISSION_REQUIRED",
  "PERMISSION_DENIED",
  "HOST_NOT_ALLOWED",
  "ORIGIN_NOT_ALLOWED",
  "INVALID_REQUEST",
  "RATE_LIMITED",
  "ACP_DISABLED",
  "HOST_STOPPING",
  "INTERNAL",
] as const satisfies readonly ErrorCode[];

/** Keeps the exact type of an operation while checking its form. */
export function defineOperation<const Each extends Operation>(operation: Each): Each {
  return operation;
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** Input of an operation's handler, as its schemas read the request. */
export interface OperationInput<Each extends Operation> {
  readonly params: Output<Each["params"]>;
  readonly query: Output<Each["query"]>;
  readonly headers: Output<Each["headers"]>;
  readonly body: Output<Each["body"]>;
}

/** The response of an operation: its JSON document, or one event of its stream. */
export type OperationOutput<Each extends Operation> = z.output<Each["response"]>;

/** The path of a request with its parameters filled in and percent-encoded. */
export function operationPath(operation: Operation, params: Readonly<Record<string, string>> = {}): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => {
    const value = params[name];
    if (value === undefined) throw new TypeError(`${operation.name} needs the path parameter ${name}`);
    return encodeURIComponent(value);
  });
}

/** The path as routers write it: `:key` instead of `{key}`. */
export function routePattern(operation: Operation): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
}

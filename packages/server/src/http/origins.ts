// Cross-origin requests: admitted by a key in the request itself, and answered with the headers that browsers ask for.
import { HostError, OPERATIONS } from "@holdfast/protocol";
import type { Context, Hono } from "hono";
import { isForeignOrigin } from "../auth/address.ts";
import type { Identity } from "../auth/identity.ts";
import { bindingsOf, type ServerEnv } from "./operation-routes.ts";

const noContent = 204;

/**
 * Any page may read the response, since only a request with a key gets this far. There is no
 * `access-control-allow-credentials`, so browsers keep what they answered with cookies to themselves.
 */
const readable = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "x-holdfast-turn-id, acp-connection-id, retry-after, allow",
  vary: "origin",
};

const preflight = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": allowedMethods(),
  // A wildcard would not cover `authorization`. The header with which the host's own page marks its requests stays out.
  "access-control-allow-headers":
    "authorization, x-api-key, x-app-id, content-type, last-event-id, idempotency-key, acp-connection-id, acp-session-id",
  "access-control-max-age": "600",
  vary: "origin, access-control-request-method, access-control-request-headers",
};

/** Asks pages of other origins for a key, before any route is open to them; `identify` throws when it is wrong (A12, A320). */
export function admitOrigins(
  app: Hono<ServerEnv>,
  identify: (c: Context<ServerEnv>) => Identity | undefined,
  allowedOrigins: ReadonlySet<string> = new Set(),
): void {
  app.use(async (c, next) => {
    const origin = c.req.header("origin");
    if (origin !== undefined && allowedOrigins.has(origin)) return admitAllowed(c, origin, next);
    if (!isForeignOrigin({ host: c.req.header("host"), origin })) return next();
    if (isPreflight(c)) return answerPreflight(c);
    const { outgoing } = bindingsOf(c);
    // Set before the key is checked: a page with a wrong key may read that it is wrong.
    if (carriesKey(c)) for (const [name, value] of Object.entries(readable)) outgoing?.setHeader(name, value);
    const identity = identify(c);
    if (identity === undefined) throw new HostError("ORIGIN_NOT_ALLOWED");
    c.set("identity", identity);
    return next();
  });
}

/** A page of an origin in the configuration may send the cookie, and read what it is answered (E772). */
async function admitAllowed(
  c: Context<ServerEnv>,
  origin: string,
  next: () => Promise<void>,
): Promise<Response | void> {
  const headers = { "access-control-allow-origin": origin, "access-control-allow-credentials": "true" };
  if (isPreflight(c)) return answerPreflight(c, headers);
  const { outgoing } = bindingsOf(c);
  for (const [name, value] of Object.entries({ ...readable, ...headers })) outgoing?.setHeader(name, value);
  return next();
}

function carriesKey(c: Context<ServerEnv>): boolean {
  return c.req.header("x-api-key") !== undefined || c.req.header("authorization") !== undefined;
}

function isPreflight(c: Context<ServerEnv>): boolean {
  return c.req.method === "OPTIONS" && c.req.header("access-control-request-method") !== undefined;
}

/** Browsers send no credentials with a preflight, so every path has the same answer, whether it exists or not. */
function answerPreflight(c: Context<ServerEnv>, origin: Record<string, string> = {}): Response {
  c.set("operation", "preflight");
  const isPrivate = c.req.header("access-control-request-private-network") === "true";
  return new Response(null, {
    status: noContent,
    headers: {
      ...preflight,
      ...origin,
      ...(isPrivate && { "access-control-allow-private-network": "true" }),
    },
  });
}

function allowedMethods(): string {
  return [...new Set(Object.values(OPERATIONS).map(({ method }) => method))].toSorted().join(", ");
}

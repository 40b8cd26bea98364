// Measures every request, and shows what was measured to those who look after the host.
import type { Log } from "@holdfast/core";
import { HostError, type ErrorCode } from "@holdfast/protocol";
import type { Context, Hono } from "hono";
import { requirePermission, type Identity } from "../auth/identity.ts";
import type { FailureLog } from "../metrics/failure-log.ts";
import type { HostMetrics } from "../metrics/host-metrics.ts";
import type { ServerEnv } from "./operation-routes.ts";

const authFailures: ReadonlySet<ErrorCode> = new Set([
  "UNAUTHORIZED",
  "MISSING_APP_ID",
  "INVALID_APP_ID",
  "PERMISSION_REQUIRED",
  "PERMISSION_DENIED",
  "HOST_NOT_ALLOWED",
  "ORIGIN_NOT_ALLOWED",
  "RATE_LIMITED",
] as const);

/** Counts every answer; to be mounted before anything else, so that refusals are counted too (O9). */
export function observeRequests(app: Hono<ServerEnv>, { requests }: HostMetrics, failures: FailureLog): void {
  app.use(async (c, next) => {
    const startMs = performance.now();
    await next();
    requests.count(operationOf(c), c.res.status, performance.now() - startMs);
    const { error } = c;
    if (!(error instanceof HostError) || !authFailures.has(error.code)) return;
    requests.countAuthFailure(error.code);
    // One who is known and may not do this is no stranger at the door.
    const identity: Identity | undefined = c.get("identity");
    if (identity !== undefined) return;
    failures.note({ code: error.code, address: c.env.incoming?.socket.remoteAddress });
  });
}

/** Mounts `/metrics`, for the owner and for keys that may do everything (O8). */
export function mountMetrics(app: Hono<ServerEnv>, metrics: HostMetrics): void {
  app.get("/metrics", async (c) => {
    c.set("operation", "metrics");
    requirePermission(c.get("identity"), "admin");
    return new Response(await metrics.render(), { headers: { "content-type": metrics.contentType } });
  });
}

/** A log in which every line names the operation and the session that a request was about. */
export function logOf(log: Log, c: Context<ServerEnv>): Log {
  const facts = { method: c.req.method, operation: operationOf(c), session: c.req.param("key") };
  return (level, message, more) => log(level, message, { ...facts, ...more });
}

/** The route's own name: what callers write would be without bounds. */
function operationOf(c: Context<ServerEnv>): string {
  return c.get("operation") ?? "none";
}

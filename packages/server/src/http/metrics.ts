// Request metrics, the log of failed authentication, and `/metrics`.
import type { Log } from "@holdfast/core";
import { type ErrorCode, HostError } from "@holdfast/protocol";
import type { Context, Hono } from "hono";
import type { Identity } from "../auth/identity.ts";
import { requirePermission } from "../auth/permission.ts";
import { auditName, type Refusals } from "../auth/refusals.ts";
import type { HostMetrics } from "../metrics/host-metrics.ts";
import { bindingsOf, type ServerEnv } from "./operation-routes.ts";

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

const credentialHeaders = ["x-api-key", "authorization", "x-app-id", "cookie"];

/** Counts every response; mounted before anything else, so that rejections are counted too (O9). */
export function observeRequests(
  app: Hono<ServerEnv>,
  { metrics, log, refusals }: { metrics: HostMetrics; log: Log; refusals: Refusals },
): void {
  const failures = new FailureLog(log);
  app.use(async (c, next) => {
    const startMs = performance.now();
    await next();
    metrics.countRequest(operationOf(c), c.res.status, performance.now() - startMs);
    const { error } = c;
    const identity: Identity | undefined = c.get("identity");
    const address = bindingsOf(c).incoming?.socket.remoteAddress;
    if (error !== undefined) {
      refusals.note(error, {
        request: `${c.req.method} ${c.req.path}`,
        by: identity && auditName(identity),
        address,
        hasCredential: credentialHeaders.some((name) => c.req.header(name) !== undefined),
        session: c.req.param("key"),
      });
    }
    if (!(error instanceof HostError) || !authFailures.has(error.code)) return;
    metrics.countAuthFailure(error.code);
    // A known caller without the permission is not a failed authentication.
    if (identity !== undefined) return;
    failures.note({ code: error.code, address });
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

/** How often a line is written at most. */
const failureLineMs = 10_000;

/** Logs rejected requests, at most one line per interval, so that nobody can fill the log. */
export class FailureLog {
  readonly #log: Log;
  readonly #nowMs: () => number;
  #lastLineMs = Number.NEGATIVE_INFINITY;
  #unlogged = 0;

  constructor(log: Log, nowMs: () => number = () => performance.now()) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** Logs a failure, or counts it for the next line (O7). */
  note(facts: Readonly<Record<string, unknown>>): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#lastLineMs < failureLineMs) {
      this.#unlogged += 1;
      return;
    }
    const unlogged = this.#unlogged;
    this.#lastLineMs = nowMs;
    this.#unlogged = 0;
    this.#log("warn", "Rejected a request", {
      ...facts,
      ...(unlogged > 0 && { othersSinceLastLine: unlogged }),
    });
  }
}

// Translates whatever was thrown into an answer, once for all of HTTP.
import { randomUUID } from "node:crypto";
import type { Log } from "@holdfast/core";
import { errorEnvelope, HostError, toHostError } from "@holdfast/protocol";

/** Writes an unforeseen error to the log; gives the id under which it is found there. */
export function reportError(error: unknown, log: Log): string {
  const logId = randomUUID();
  log("error", "A request failed inside the host", { logId, error });
  return logId;
}

/** The JSON answer for an error; one that was not meant for callers becomes `INTERNAL` with its id in the log (A5). */
export function errorResponse(thrown: unknown, log: Log): Response {
  const logId = thrown instanceof HostError ? "" : reportError(thrown, log);
  const error = toHostError(thrown, logId);
  return Response.json(errorEnvelope(error), { status: error.status, headers: headersFor(error) });
}

function headersFor({ code, status, details }: HostError): Record<string, string> {
  if (status === 401) return { "www-authenticate": "Bearer" };
  if (code === "HOST_STOPPING") return { connection: "close" };
  const { allow, retryAfterSeconds } = details;
  if (code === "RATE_LIMITED" && typeof retryAfterSeconds === "number") {
    return { "retry-after": String(retryAfterSeconds) };
  }
  return code === "METHOD_NOT_ALLOWED" && typeof allow === "string" ? { allow } : {};
}

// Errors as HTTP responses, also for requests that never reach the app.
import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { explainStorageError, type Log } from "@holdfast/core";
import { errorEnvelope, type ErrorEnvelope, HostError, toHostError } from "@holdfast/protocol";

/** When a request that a full disk refused is worth repeating. */
const storageRetrySeconds = 5;

/** Writes an unforeseen error to the log; gives the id under which it is found there. */
export function reportError(error: unknown, log: Log): string {
  const logId = randomUUID();
  log("error", "A request failed inside the host", { logId, error });
  return logId;
}

/** The JSON answer for an error; one that was not meant for callers becomes `INTERNAL` with its id in the log (A5). */
export function errorResponse(thrown: unknown, log: Log): Response {
  const explained = explainStorageError(thrown);
  const logId = explained instanceof HostError ? "" : reportError(explained, log);
  const error = toHostError(explained, logId);
  return Response.json(errorEnvelope(error), { status: error.status, headers: headersFor(error) });
}

function headersFor({ code, status, details }: HostError): Record<string, string> {
  if (status === 401) return { "www-authenticate": "Bearer" };
  if (code === "HOST_STOPPING") return { connection: "close" };
  if (code === "STORAGE_UNAVAILABLE") return { "retry-after": String(storageRetrySeconds) };
  const { allow, retryAfterSeconds } = details;
  if (code === "RATE_LIMITED" && typeof retryAfterSeconds === "number") {
    return { "retry-after": String(retryAfterSeconds) };
  }
  return code === "METHOD_NOT_ALLOWED" && typeof allow === "string" ? { allow } : {};
}

const sentences: Readonly<Record<string, readonly [status: number, sentence: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The headers are larger than the host accepts. Send fewer or shorter ones."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request took too long to arrive. Send it again."],
};
const unreadable = [400, "The request is not valid HTTP."] as const;
const expectationFailed = 417;

/** A listener for the server's `clientError`: reports the error while the socket is writable, and closes it (A4). */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, sentence] = sentences[error.code ?? ""] ?? unreadable;
  endSocket(socket, status, invalidRequest(sentence));
}

/** A listener for `connect`: the host is not a proxy (A4). */
export function answerConnect(_request: IncomingMessage, socket: Duplex): void {
  const refusal = new HostError("METHOD_NOT_ALLOWED");
  endSocket(socket, refusal.status, errorEnvelope(refusal));
}

/** A listener for `checkExpectation`, which Node calls for everything but `100-continue` (A4). */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const sentence = "The host supports no expectation other than 100-continue. Omit the Expect header.";
  const body = JSON.stringify(invalidRequest(sentence));
  response.writeHead(expectationFailed, {
    connection: "close",
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

function invalidRequest(sentence: string): ErrorEnvelope {
  return { success: false, error: sentence, code: "INVALID_REQUEST" };
}

function endSocket(socket: Duplex, status: number, envelope: ErrorEnvelope): void {
  const body = JSON.stringify(envelope);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "connection: close",
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
  );
}

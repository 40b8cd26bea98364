// Answers what never gets as far as the app, in JSON like everything else.
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { errorEnvelope, HostError, type ErrorEnvelope } from "@holdfast/protocol";

const sentences: Readonly<Record<string, readonly [status: number, sentence: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The headers are larger than the host takes. Send fewer or shorter ones."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request took too long to arrive. Send it again."],
};
const unreadable = [400, "The request is not HTTP that the host can read."] as const;
const expectationFailed = 417;

/** A listener for the server's `clientError`: says what was wrong, if anyone can still hear it, and hangs up (A4). */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, sentence] = sentences[error.code ?? ""] ?? unreadable;
  endSocket(socket, status, invalidRequest(sentence));
}

/** A listener for `connect`: the host is nobody's proxy (A4). */
export function answerConnect(_request: IncomingMessage, socket: Duplex): void {
  const refusal = new HostError("METHOD_NOT_ALLOWED");
  endSocket(socket, refusal.status, errorEnvelope(refusal));
}

/** A listener for `checkExpectation`, which Node calls for everything but `100-continue` (A4). */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const sentence = "The host meets no expectation but 100-continue. Leave out the Expect header.";
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

// Answers what Node could not read as HTTP, in JSON like everything else.
import type { Duplex } from "node:stream";
import { STATUS_CODES } from "node:http";
import type { ErrorEnvelope } from "@holdfast/protocol";

const sentences: Readonly<Record<string, readonly [status: number, sentence: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The headers are larger than the host takes. Send fewer or shorter ones."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request took too long to arrive. Send it again."],
};

/** A listener for the server's `clientError`: says what was wrong, if anyone can still hear it, and hangs up (A4). */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, sentence] = sentences[error.code ?? ""] ?? [
    400,
    "The request is not HTTP that the host can read.",
  ];
  const envelope: ErrorEnvelope = { success: false, error: sentence, code: "INVALID_REQUEST" };
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

// Answers a request for a WebSocket that is refused, in JSON like every other one.
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** Writes an answer to a socket that never became a WebSocket, and hangs up. */
export async function refuseUpgrade(socket: Duplex, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  headers.set("connection", "close");
  headers.set("content-length", String(body.length));
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  if (!socket.writable) return;
  socket.write(
    [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`, ...lines, "", ""].join("\r\n"),
  );
  socket.end(body);
}

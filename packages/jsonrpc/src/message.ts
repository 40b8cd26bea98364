// One message per frame: the framing of a WebSocket, which keeps messages apart by itself.
import type { Framing } from "./framing.ts";
import type { MessageChunks } from "./wire.ts";

/** One message per chunk, as AHP speaks over WebSockets; text that is not JSON is answered with `-32700`. */
export function messageFraming(): Framing {
  return {
    terminator: "",
    unparsable: "answer",
    reader(listener) {
      const decoder = new TextDecoder();
      return {
        push(chunk) {
          listener.message(typeof chunk === "string" ? chunk : decoder.decode(chunk), chunk.length);
        },
        end() {
          // A frame is whole when it arrives, so nothing can be left over.
        },
      };
    },
  };
}

/** Makes one frame of an outgoing message: a string when it is all text, bytes when ready bytes are in it. */
export function joinChunks(chunks: MessageChunks): string | Uint8Array {
  if (chunks.every((chunk) => typeof chunk === "string")) return chunks.join("");
  const encoder = new TextEncoder();
  const parts = chunks.map((chunk) => (typeof chunk === "string" ? encoder.encode(chunk) : chunk));
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

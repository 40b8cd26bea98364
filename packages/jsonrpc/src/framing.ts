// Seam between bytes and messages, and the framing of transports that keep messages apart, such as a WebSocket.
import type { MessageChunks } from "./wire.ts";

/** Receiver of the frames in an incoming stream. */
export interface FrameListener {
  /** A whole message as bytes; true when it was taken as it is and need not be decoded. */
  taken?(bytes: Uint8Array, start: number, end: number): boolean;
  /** One whole message as text, with its size on the wire. */
  message(text: string, sizeBytes: number): void;
  /** Something that cannot be a message; `text` is how it starts. */
  noise(text: string): void;
  /** A message longer than the limit, which is not read; `head` is how it starts. */
  tooLong(head: string, limitBytes: number): void;
}

/** Takes the incoming stream piece by piece. */
export interface FrameReader {
  /** Where the message that is being reported begins, in bytes from the first of the stream. */
  readonly offset: number;
  /** The offset after the last whole message. */
  readonly endOffset: number;
  /** Takes what arrived; bytes are read during the call only, so their buffer may be used again afterwards. */
  push(chunk: string | Uint8Array): void;
  /** The stream ended: what is left without an end mark is a message too. */
  end(): void;
}

/** How messages are separated on one kind of transport. */
export interface Framing {
  /** Text after each outgoing message. */
  readonly terminator: string;
  /** Whether text that is not JSON is answered (`-32700`) or taken for noise and skipped. */
  readonly unparsable: "answer" | "skip";
  /** `startOffset`: where a stream continues of which an earlier reader has read the beginning. Default 0. */
  reader(listener: FrameListener, startOffset?: number): FrameReader;
}

/** One message per chunk, as AHP speaks over WebSockets; text that is not JSON is answered with `-32700`. */
export function messageFraming(): Framing {
  return {
    terminator: "",
    unparsable: "answer",
    reader(listener) {
      const decoder = new TextDecoder();
      return {
        // The transport counts messages, not bytes.
        offset: 0,
        endOffset: 0,
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

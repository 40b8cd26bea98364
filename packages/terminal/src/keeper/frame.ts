// Frames between host and keeper: a fixed header, then bytes as they are, or JSON.
import type { RunStream } from "../process/port.ts";

/** The kinds of frames. Numbers never change their meaning; the first four are the same in every protocol version. */
export const FRAME = {
  hello: 1,
  welcome: 2,
  refused: 3,
  /** Another host has taken over. */
  fenced: 4,
  /** JSON, with the number of the reply. */
  request: 5,
  reply: 6,
  /** JSON, without a reply. */
  command: 7,
  /** JSON, about a run. */
  event: 8,
  /** Output of a run at an offset. */
  bytes: 9,
  /** Input of a run at an offset; after its key, if the flag 1 is set. */
  input: 10,
  /** The keeper has passed on input up to this offset. */
  taken: 11,
  /** The host has taken so many bytes of a stream (in `offset`). */
  credit: 12,
  /** The host does not need the bytes below this offset; the payload, if there is one, is the run's note. */
  acknowledge: 13,
  /** The keeper ends; everything that it held has ended. */
  ended: 14,
} as const;

/** The head of a frame. */
export interface FrameHeader {
  readonly type: number;
  readonly sizeBytes: number;
  readonly stream: RunStream;
  /** Frame flags; `acknowledge` has 1 when a note follows, `input` when it has a key. */
  readonly flags: number;
  /** The number that the host gave to the run; 0 where no run is meant. */
  readonly run: number;
  readonly offset: number;
}

const headerBytes = 18;

/** Larger frames are a mistake: requests are bounded by what the kernel takes as arguments and environment. */
export const MAX_FRAME_BYTES = 32 * 1024 * 1024;

/** A frame's head as bytes. */
export function encodeHeader(
  type: number,
  sizeBytes: number,
  run: number,
  stream: RunStream = "output",
  offset = 0,
  flags = 0,
): Buffer {
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUInt32BE(sizeBytes, 0);
  header[4] = type;
  header[5] = (stream === "error" ? 1 : 0) | (flags << 1);
  header.writeUInt32BE(run, 6);
  header.writeDoubleBE(offset, 10);
  return header;
}

/** A whole frame whose payload is JSON. */
export function encodeJson(type: number, run: number, value: unknown): Buffer[] {
  const payload = Buffer.from(JSON.stringify(value), "utf8");
  return [encodeHeader(type, payload.length, run), payload];
}

/** Bytes that are no frame of this protocol. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

/** Receives frames. Bytes are valid during the call only. */
export interface FrameHandler {
  /** A part of a `bytes` frame, as it comes. */
  part(header: FrameHeader, bytes: Buffer, offset: number): void;
  frame(header: FrameHeader, payload: Buffer): void;
}

/** Cuts what arrives into frames. Payloads of `bytes` frames are passed on without a copy. */
export class FrameReader {
  readonly #handler: FrameHandler;
  readonly #head = Buffer.allocUnsafeSlow(headerBytes);
  #headBytes = 0;
  #header: FrameHeader | undefined;
  #payload: Buffer | undefined;
  #payloadBytes = 0;

  constructor(handler: FrameHandler) {
    this.#handler = handler;
  }

  /** Takes the next bytes; throws a `FrameError` when they are no frames. */
  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      at =
        this.#header === undefined ? this.#readHead(chunk, at) : this.#readPayload(this.#header, chunk, at);
    }
  }

  #readHead(chunk: Buffer, at: number): number {
    if (this.#headBytes === 0 && chunk.length - at >= headerBytes) {
      this.#begin(decodeHeader(chunk, at));
      return at + headerBytes;
    }
    const copied = chunk.copy(this.#head, this.#headBytes, at);
    this.#headBytes += copied;
    if (this.#headBytes === headerBytes) {
      this.#headBytes = 0;
      this.#begin(decodeHeader(this.#head, 0));
    }
    return at + copied;
  }

  #begin(header: FrameHeader): void {
    if (header.type === 0 || header.type > FRAME.ended) {
      throw new FrameError(`unknown frame type ${header.type}`);
    }
    if (header.sizeBytes > MAX_FRAME_BYTES) throw new FrameError(`frame of ${header.sizeBytes} bytes`);
    if (!Number.isSafeInteger(header.offset) || header.offset < 0) {
      throw new FrameError(`offset ${header.offset}`);
    }
    this.#payloadBytes = 0;
    if (header.sizeBytes > 0) this.#header = header;
    else this.#handler.frame(header, this.#head.subarray(0, 0));
  }

  #readPayload(header: FrameHeader, chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + header.sizeBytes - this.#payloadBytes);
    const before = this.#payloadBytes;
    this.#payloadBytes += end - at;
    const isWhole = this.#payloadBytes === header.sizeBytes;
    if (isWhole) this.#header = undefined;
    if (header.type === FRAME.bytes) {
      this.#handler.part(header, chunk.subarray(at, end), header.offset + before);
    } else if (isWhole && before === 0) {
      this.#handler.frame(header, chunk.subarray(at, end));
    } else {
      // Grows with what has arrived: a length alone allocates nothing.
      this.#payload = grown(this.#payload, this.#payloadBytes, header.sizeBytes);
      chunk.copy(this.#payload, before, at, end);
      if (isWhole) {
        const payload = this.#payload.subarray(0, header.sizeBytes);
        this.#payload = undefined;
        this.#handler.frame(header, payload);
      }
    }
    return end;
  }
}

function grown(buffer: Buffer | undefined, neededBytes: number, mostBytes: number): Buffer {
  if (buffer !== undefined && buffer.length >= neededBytes) return buffer;
  const larger = Buffer.allocUnsafeSlow(Math.min(mostBytes, Math.max(neededBytes * 2, 64 * 1024)));
  buffer?.copy(larger);
  return larger;
}

function decodeHeader(bytes: Buffer, at: number): FrameHeader {
  const marks = bytes[at + 5] ?? 0;
  return {
    sizeBytes: bytes.readUInt32BE(at),
    type: bytes[at + 4] ?? 0,
    stream: (marks & 1) === 1 ? "error" : "output",
    flags: marks >> 1,
    run: bytes.readUInt32BE(at + 6),
    offset: bytes.readDoubleBE(at + 10),
  };
}

/** The object of a JSON payload; throws a `FrameError` when it is none. */
export function decodeJson(payload: Buffer): object {
  let value: unknown;
  try {
    value = JSON.parse(payload.toString("utf8"));
  } catch (error) {
    throw new FrameError("payload is not JSON", { cause: error });
  }
  if (typeof value === "object" && value !== null) return value;
  throw new FrameError("payload is not an object");
}

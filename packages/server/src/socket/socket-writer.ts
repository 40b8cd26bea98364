// Writer of one client's socket: accepts ready frames while it has capacity, and reports when it has capacity again.
import type { Socket } from "node:net";
import type { MessageSource } from "@holdfast/jsonrpc";
import { WebSocket } from "ws";
import { textFrame } from "./text-frame.ts";

/** Above this, what can wait is not written: it stays in its log. */
export const ROOM_BYTES = 256 * 1024;
/** From this on, what is written is followed until it has left. */
export const CALM_BYTES = 64 * 1024;
/** Above this, the client is not listened to either: it does not read the answers that it asks for. */
export const DEAF_BYTES = 4 * 1024 * 1024;

export interface SocketWriterParts {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
  /** The receiving side, which pauses while too much waits to be sent. */
  readonly reading: MessageSource;
  /** Called whenever no more than a little waits, after more than that was written. */
  readonly onRoom: () => void;
}

/** The sending side of a WebSocket. Frames go to its socket as they are; the WebSocket itself sends pings and the close. */
export class SocketWriter {
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #reading: MessageSource;
  #isDeaf = false;
  /** Frames to be sent together, while they are being gathered. */
  #gathered: Buffer[] | undefined;
  #gatheredBytes = 0;

  readonly #onWritten: () => void;

  constructor({ webSocket, socket, reading, onRoom }: SocketWriterParts) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#reading = reading;
    // Not the socket's drain: it comes only above the socket's own mark, which may be higher than ours (E450).
    this.#onWritten = () => {
      if (this.#socket.writableLength >= CALM_BYTES) return;
      if (this.#isDeaf) {
        this.#isDeaf = false;
        reading.resume();
      }
      onRoom();
    };
  }

  get isOpen(): boolean {
    return this.#webSocket.readyState === WebSocket.OPEN && this.#socket.writable;
  }

  /** Whether the socket has capacity for frames that can wait. */
  get hasRoom(): boolean {
    return this.waitingBytes < ROOM_BYTES;
  }

  get waitingBytes(): number {
    return this.#socket.writableLength + this.#gatheredBytes;
  }

  /** Writes frames regardless of capacity. */
  write(frames: Buffer): void {
    if (frames.length === 0) return;
    if (this.#gathered === undefined) return this.#send([frames]);
    this.#gathered.push(frames);
    this.#gatheredBytes += frames.length;
  }

  writeText(text: string): void {
    this.write(textFrame(text));
  }

  /** Has all that is written meanwhile sent together. */
  together(write: () => void): void {
    if (this.#gathered !== undefined) return write();
    const gathered: Buffer[] = [];
    this.#gathered = gathered;
    try {
      write();
    } finally {
      this.#gathered = undefined;
      this.#gatheredBytes = 0;
      this.#send(gathered);
    }
  }

  #send(frames: readonly Buffer[]): void {
    if (frames.length === 0 || !this.isOpen) return;
    // A single frame, as in a flood, goes out without the detour that several need to leave as one.
    if (frames.length > 1) this.#socket.cork();
    let followedBytes = this.#socket.writableLength;
    let left = frames.length;
    for (const frame of frames) {
      followedBytes += frame.length;
      left -= 1;
      if (left === 0 && followedBytes >= CALM_BYTES) this.#socket.write(frame, this.#onWritten);
      else this.#socket.write(frame);
    }
    if (frames.length > 1) this.#socket.uncork();
    if (this.#socket.writableLength < DEAF_BYTES || this.#isDeaf) return;
    this.#isDeaf = true;
    this.#reading.pause();
  }
}

// The way out to one client: takes ready frames while there is room, and says when there is room again.
import type { Socket } from "node:net";
import { WebSocket } from "ws";
import { textFrame } from "./text-frame.ts";

/** Above this, what can wait is not written: it stays in its log. */
export const ROOM_BYTES = 256 * 1024;
/** Above this, the client is not listened to either: it does not read the answers that it asks for. */
const deafBytes = 4 * 1024 * 1024;

/** The sending side of a WebSocket. Frames go to its socket as they are; the WebSocket itself sends pings and the close. */
export class Outlet {
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  #isDeaf = false;
  /** What is to be sent together, while it is being gathered. */
  #gathered: Buffer[] | undefined;
  #gatheredBytes = 0;

  /** `onRoom` is called whenever all that was written has gone. */
  constructor(webSocket: WebSocket, socket: Socket, onRoom: () => void) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    socket.on("drain", () => {
      if (this.#isDeaf) {
        this.#isDeaf = false;
        webSocket.resume();
      }
      onRoom();
    });
  }

  get isOpen(): boolean {
    return this.#webSocket.readyState === WebSocket.OPEN && this.#socket.writable;
  }

  /** Whether there is room for what can wait. */
  get hasRoom(): boolean {
    return this.waitingBytes < ROOM_BYTES;
  }

  /** Bytes that have not left yet. */
  get waitingBytes(): number {
    return this.#socket.writableLength + this.#gatheredBytes;
  }

  /** Writes frames, room or not. */
  write(frames: Buffer): void {
    if (frames.length === 0) return;
    if (this.#gathered === undefined) return this.#send([frames]);
    this.#gathered.push(frames);
    this.#gatheredBytes += frames.length;
  }

  /** Writes one message. */
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
    for (const frame of frames) this.#socket.write(frame);
    if (frames.length > 1) this.#socket.uncork();
    if (this.#socket.writableLength < deafBytes || this.#isDeaf) return;
    this.#isDeaf = true;
    this.#webSocket.pause();
  }
}

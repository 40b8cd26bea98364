// Sends frames on a socket: those of one tick leave in one system call.
import type { Socket } from "node:net";

/** The sending side of a connection between host and keeper. */
export class FrameWriter {
  readonly #socket: Socket;
  #isCorked = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Sends the parts of a frame; on a socket that is closed or ending, nothing. */
  send(parts: readonly Uint8Array[]): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    for (const part of parts) this.#socket.write(part);
  }
}

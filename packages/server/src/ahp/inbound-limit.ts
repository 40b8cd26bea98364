// Slows down a client that says too much: it is not listened to for a moment, and nothing that it said is lost.
import type { WebSocket } from "ws";
import { TokenBucket } from "../auth/token-bucket.ts";

/** Messages, where one of more than `unitBytes` counts for several. */
const size = { burst: 4000, perSecond: 2000 };
const unitBytes = 16 * 1024;

/** The limit of one connection. */
export class InboundLimit {
  readonly #webSocket: WebSocket;
  readonly #bucket = new TokenBucket(size, performance.now());
  #pause: NodeJS.Timeout | undefined;

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket;
  }

  /** Counts a message that has arrived. */
  take(sizeBytes: number): void {
    const nowMs = performance.now();
    let waitMs = 0;
    for (let units = 0; units <= sizeBytes / unitBytes && waitMs === 0; units += 1) {
      waitMs = this.#bucket.take(nowMs);
    }
    if (waitMs === 0 || this.#pause !== undefined) return;
    this.#webSocket.pause();
    this.#pause = setTimeout(
      () => {
        this.#pause = undefined;
        this.#webSocket.resume();
      },
      Math.max(1, waitMs),
    );
  }

  close(): void {
    clearTimeout(this.#pause);
  }
}

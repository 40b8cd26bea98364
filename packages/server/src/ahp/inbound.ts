// Incoming messages of a client: how fast they are read, and which wait for one another.
import type { WebSocket } from "ws";
import { TokenBucket } from "@holdfast/core";

/** Messages, where one of more than `unitBytes` counts for several. */
const size = { burst: 4000, perSecond: 2000 };
const unitBytes = 16 * 1024;

export class InboundLimit {
  readonly #webSocket: WebSocket;
  readonly #bucket = new TokenBucket(size, performance.now());
  #pause: NodeJS.Timeout | undefined;

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket;
  }

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

/** Actions on one channel run in order, and no state is sent while another one is being prepared. */
export function orderOf(method: string, params: unknown): string | undefined {
  switch (method) {
    case "initialize":
    case "reconnect":
    case "subscribe":
    case "unsubscribe":
      return "subscriptions";
    case "dispatchAction":
      return `actions ${channelOf(params)}`;
    default:
      return undefined;
  }
}

function channelOf(params: unknown): string {
  const { channel, action } = (params ?? {}) as { readonly channel?: unknown; readonly action?: unknown };
  const { session, terminal } = (action ?? {}) as { readonly session?: unknown; readonly terminal?: unknown };
  return [channel, session, terminal].find((uri) => typeof uri === "string") ?? "";
}

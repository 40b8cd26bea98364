// Incoming messages of a client: how fast they are read, and which wait for one another.
import { TokenBucket } from "@holdfast/core";
import type { MessageSource } from "@holdfast/jsonrpc";
import type { WebSocket } from "ws";

/** Messages, where one of more than `unitBytes` counts for several. */
const size = { burst: 4000, perSecond: 2000 };
const unitBytes = 16 * 1024;

/** How fast the messages of one client are handled, whatever their transport. */
export class InboundPace {
  readonly #bucket = new TokenBucket(size, performance.now());

  /** How long to wait before the next message, after one of this size; 0 for not at all. */
  take(sizeBytes: number): number {
    const nowMs = performance.now();
    let waitMs = 0;
    for (let units = 0; units <= sizeBytes / unitBytes && waitMs === 0; units += 1) {
      waitMs = this.#bucket.take(nowMs);
    }
    return waitMs === 0 ? 0 : Math.max(1, waitMs);
  }
}

/** Why messages wait: too many came, the client does not read what it asked for, or earlier ones are not handled yet. */
type Hold = "pace" | "output" | "handling";

/**
 * Hands the messages of a WebSocket on, and none while they are held: the WebSocket is then paused, and what it had
 * read already waits here and is handed on one a tick.
 */
export class InboundMessages {
  readonly #webSocket: WebSocket;
  readonly #handle: (message: Buffer) => void;
  readonly #pace = new InboundPace();
  readonly #holds = new Set<Hold>();
  readonly #waiting: Buffer[] = [];
  /** Hands nothing on while too many messages wait for earlier ones. */
  readonly handling: MessageSource = {
    pause: () => this.#hold("handling"),
    resume: () => this.#release("handling"),
  };
  #timer: NodeJS.Timeout | undefined;
  #next: NodeJS.Immediate | undefined;
  #onEnd: (() => void) | undefined;
  #isDropped = false;

  constructor(webSocket: WebSocket, handle: (message: Buffer) => void) {
    this.#webSocket = webSocket;
    this.#handle = handle;
  }

  /** Whether the host reads nothing because earlier messages are not handled yet. */
  get isBehind(): boolean {
    return this.#holds.has("handling");
  }

  receive(message: Buffer): void {
    if (this.#isDropped) return;
    if (this.#isFree && this.#waiting.length === 0) this.#take(message);
    else this.#waiting.push(message);
  }

  /** Hands nothing on until `resume`: the client does not read the responses that it asks for. */
  pause(): void {
    this.#hold("output");
  }

  resume(): void {
    this.#release("output");
  }

  /** The WebSocket is closed: calls back once everything that it had read is handed on. */
  end(onEnd: () => void): void {
    clearTimeout(this.#timer);
    this.#onEnd = onEnd;
    this.#continue();
  }

  /**
   * Hands nothing on any more, neither what waits nor what comes: a client that does not answer the close frame can
   * send for as long as the WebSocket waits for that.
   */
  drop(): void {
    this.#isDropped = true;
    this.#waiting.length = 0;
  }

  get #isFree(): boolean {
    return this.#holds.size === 0 || this.#onEnd !== undefined;
  }

  #take(message: Buffer): void {
    const waitMs = this.#pace.take(message.length);
    if (waitMs > 0 && this.#onEnd === undefined) {
      this.#hold("pace");
      this.#timer = setTimeout(() => this.#release("pace"), waitMs);
    }
    this.#handle(message);
  }

  #hold(why: Hold): void {
    if (this.#holds.size === 0) this.#webSocket.pause();
    this.#holds.add(why);
  }

  #release(why: Hold): void {
    if (this.#holds.delete(why)) this.#continue();
  }

  #continue(): void {
    if (!this.#isFree || this.#next !== undefined) return;
    if (this.#waiting.length === 0) {
      if (this.#onEnd !== undefined) return this.#onEnd();
      return this.#webSocket.resume();
    }
    this.#next = setImmediate(() => {
      this.#next = undefined;
      const message = this.#isFree ? this.#waiting.shift() : undefined;
      if (message !== undefined) this.#take(message);
      this.#continue();
    });
  }
}

// Bytes out: subscribers read a ring by cursor and are notified, in batches, that there is more.
import type { Buffer } from "node:buffer";
import type { Clock, ClockTimer } from "./clock.ts";
import type { ByteRing } from "./ring.ts";

/** The shortest time between two notifications, unless BATCH_BYTES come first. */
const BATCH_INTERVAL_MS = 8;
const BATCH_BYTES = 64 * 1024;

/** Bytes as one subscriber got them. */
export interface ByteBatch {
  /** Offset of the first byte. */
  readonly offset: number;
  readonly bytes: Buffer;
  /** How many bytes before these were gone before the subscriber read them. */
  readonly skippedBytes: number;
}

/** Consecutive bytes in the memory of the terminal. */
export interface ByteView extends Omit<ByteBatch, "bytes"> {
  readonly bytes: Uint8Array;
}

/** One reader of a terminal's bytes: read until `undefined`, then wait for a notification. */
export interface ByteSubscription extends AsyncIterable<ByteBatch> {
  /** Where the next read begins. */
  readonly offset: number;
  /** Whether everything was read and nothing more will come. */
  readonly ended: boolean;
  read(maxBytes?: number): ByteBatch | undefined;
  /** The next bytes without a copy: valid until more are written. May be fewer where the ring wraps. */
  view(maxBytes: number): ByteView | undefined;
  close(): void;
}

/** Where a subscriber begins: an absolute offset, the oldest byte kept, or only what is new. */
export type SubscriptionStart = number | "start" | "end";

interface FanOutOptions {
  readonly ring: ByteRing;
  readonly clock: Clock;
  readonly onListenerError: (error: unknown) => void;
}

/** Notifies the subscribers of one ring of its new bytes. */
export class ByteFanOut {
  readonly #ring: ByteRing;
  readonly #clock: Clock;
  readonly #onListenerError: (error: unknown) => void;
  readonly #subscribers = new Set<Subscriber>();
  #waitingCount = 0;
  #pendingBytes = 0;
  #lastDeliveryMs = Number.NEGATIVE_INFINITY;
  #timer: ClockTimer | undefined;
  #hasEnded = false;

  constructor(options: FanOutOptions) {
    this.#ring = options.ring;
    this.#clock = options.clock;
    this.#onListenerError = options.onListenerError;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  subscribe(from: SubscriptionStart, onReadable: () => void): ByteSubscription {
    const subscriber = new Subscriber(this, this.#ring, this.#offsetOf(from), onReadable);
    this.#subscribers.add(subscriber);
    subscriber.waitIfCaughtUp();
    return subscriber;
  }

  /** Bytes were appended to the ring. */
  pushed(lengthBytes: number): void {
    if (this.#waitingCount === 0) return;
    this.#pendingBytes += lengthBytes;
    if (this.#pendingBytes >= BATCH_BYTES) {
      this.#deliver();
      return;
    }
    if (this.#timer) return;
    const idleMs = this.#clock.nowMs() - this.#lastDeliveryMs;
    if (idleMs >= BATCH_INTERVAL_MS) this.#deliver();
    else this.#timer = this.#clock.startTimer(() => this.#deliver(), BATCH_INTERVAL_MS - idleMs);
  }

  /** Nothing more will come: notifies every subscriber, once. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#cancelTimer();
    this.#waitingCount = 0;
    for (const subscriber of Array.from(this.#subscribers)) this.#notify(subscriber);
  }

  close(): void {
    this.end();
    for (const subscriber of Array.from(this.#subscribers)) subscriber.close();
  }

  /** A subscriber has read everything and wants a notification when there is more. */
  startedWaiting(): void {
    if (!this.#hasEnded) this.#waitingCount++;
  }

  remove(subscriber: Subscriber): void {
    if (!this.#subscribers.delete(subscriber)) return;
    if (subscriber.isWaiting && !this.#hasEnded) this.#waitingCount--;
    if (this.#waitingCount === 0) this.#cancelTimer();
  }

  #deliver(): void {
    this.#cancelTimer();
    for (const subscriber of Array.from(this.#subscribers)) {
      if (!subscriber.isWaiting || subscriber.offset === this.#ring.endOffset) continue;
      subscriber.isWaiting = false;
      this.#waitingCount--;
      this.#lastDeliveryMs = this.#clock.nowMs();
      this.#notify(subscriber);
    }
  }

  #notify(subscriber: Subscriber): void {
    try {
      subscriber.notify();
    } catch (error) {
      this.#onListenerError(error);
    }
  }

  #cancelTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#pendingBytes = 0;
  }

  #offsetOf(from: SubscriptionStart): number {
    if (from === "start") return this.#ring.startOffset;
    if (from === "end") return this.#ring.endOffset;
    if (!Number.isSafeInteger(from) || from < 0 || from > this.#ring.endOffset) {
      throw new RangeError(`from must be an offset between 0 and ${this.#ring.endOffset}: ${from}`);
    }
    return from;
  }
}

class Subscriber implements ByteSubscription {
  readonly #fanOut: ByteFanOut;
  readonly #ring: ByteRing;
  readonly #onReadable: () => void;
  #offset: number;
  #isClosed = false;
  #wakeIterator: (() => void) | undefined;
  /** Set while the subscriber has nothing left to read and no notification of more. */
  isWaiting = false;

  constructor(fanOut: ByteFanOut, ring: ByteRing, offset: number, onReadable: () => void) {
    this.#fanOut = fanOut;
    this.#ring = ring;
    this.#offset = offset;
    this.#onReadable = onReadable;
  }

  get offset(): number {
    return this.#offset;
  }

  get ended(): boolean {
    return this.#fanOut.hasEnded && (this.#isClosed || this.#offset === this.#ring.endOffset);
  }

  read(maxBytes = BATCH_BYTES): ByteBatch | undefined {
    if (this.#isClosed || this.#offset === this.#ring.endOffset) return undefined;
    const offset = Math.max(this.#offset, this.#ring.startOffset);
    const end = Math.min(this.#ring.endOffset, offset + Math.max(1, maxBytes));
    return this.#advance(offset, this.#ring.copy(offset, end));
  }

  view(maxBytes: number): ByteView | undefined {
    if (this.#isClosed || this.#offset === this.#ring.endOffset) return undefined;
    const offset = Math.max(this.#offset, this.#ring.startOffset);
    const end = Math.min(this.#ring.endOffset, offset + maxBytes);
    const [bytes] = this.#ring.slices(offset, end);
    return bytes && this.#advance(offset, bytes);
  }

  #advance<Bytes extends Uint8Array>(
    offset: number,
    bytes: Bytes,
  ): { readonly offset: number; readonly bytes: Bytes; readonly skippedBytes: number } {
    const skippedBytes = offset - this.#offset;
    this.#offset = offset + bytes.length;
    this.waitIfCaughtUp();
    return { offset, bytes, skippedBytes };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ByteBatch, void> {
    try {
      for (;;) {
        const batch = this.read();
        if (batch) yield batch;
        else if (this.ended || this.#isClosed) return;
        else await new Promise<void>((resolve) => (this.#wakeIterator = resolve));
      }
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#fanOut.remove(this);
    this.#isClosed = true;
    this.#wakeIterator?.();
  }

  notify(): void {
    this.#wakeIterator?.();
    this.#onReadable();
  }

  waitIfCaughtUp(): void {
    if (this.isWaiting || this.#offset < this.#ring.endOffset) return;
    this.isWaiting = true;
    this.#fanOut.startedWaiting();
  }
}

// Sends messages as fast as the transport takes them, and keeps no more than a bounded backlog.
import { Fifo } from "./fifo.ts";
import { sizeOfChunks } from "./wire.ts";
import type { MessageChunks } from "./wire.ts";

/** The sending side of a transport. */
export interface MessageSink {
  /**
   * Takes one whole message, always. `false` asks the connection to wait for the drain, which must come after this
   * call has returned.
   */
  write(chunks: MessageChunks): boolean;
  /** Called once, with what to call whenever a sink that said `false` can take more. */
  onDrain(listener: () => void): void;
  /** The connection is over and writes nothing more. */
  close?(): void;
}

export type SendFailure =
  | { kind: "unsent-limit"; limitBytes: number }
  | { kind: "write-failed"; cause: unknown };

export class Outbox {
  readonly #sink: MessageSink;
  readonly #maxUnsentBytes: number;
  readonly #onFailure: (failure: SendFailure) => void;
  readonly #queue = new Fifo<MessageChunks>();
  #unsentBytes = 0;
  #isBlocked = false;
  #isClosed = false;
  #drainWaiters: (() => void)[] = [];

  constructor(sink: MessageSink, maxUnsentBytes: number, onFailure: (failure: SendFailure) => void) {
    this.#sink = sink;
    this.#maxUnsentBytes = maxUnsentBytes;
    this.#onFailure = onFailure;
    sink.onDrain(() => {
      this.#sendQueued();
    });
  }

  /** Bytes that wait because the sink takes no more at the moment. */
  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  /** Sends or queues a message; `false` means that it is better to wait for `drained()` before the next. */
  send(chunks: MessageChunks): boolean {
    if (this.#isClosed) return false;
    if (!this.#isBlocked) {
      this.#write(chunks);
      return !this.#isBlocked;
    }
    this.#queue.push(chunks);
    this.#unsentBytes += sizeOfChunks(chunks);
    if (this.#unsentBytes > this.#maxUnsentBytes) {
      this.#onFailure({ kind: "unsent-limit", limitBytes: this.#maxUnsentBytes });
    }
    return false;
  }

  /** Resolves when nothing waits and the sink takes more, or when the outbox is closed. */
  drained(): Promise<void> {
    if (!this.#isBlocked || this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drainWaiters.push(resolve);
    });
  }

  /** Ends the sending side; with `flush` what is queued is handed to the sink first, ready or not. */
  close(flush: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      if (flush) for (let next = this.#queue.take(); next; next = this.#queue.take()) this.#sink.write(next);
      this.#sink.close?.();
    } catch {
      // The connection is closing and its close has a reason already; a sink that fails now changes nothing.
    }
    this.#wakeWaiters();
  }

  #write(chunks: MessageChunks): void {
    try {
      this.#isBlocked = !this.#sink.write(chunks);
    } catch (error) {
      this.#onFailure({ kind: "write-failed", cause: error });
    }
  }

  #sendQueued(): void {
    if (this.#isClosed) return;
    this.#isBlocked = false;
    while (!this.#isBlocked) {
      const next = this.#queue.take();
      if (next === undefined) {
        this.#wakeWaiters();
        return;
      }
      this.#unsentBytes -= sizeOfChunks(next);
      this.#write(next);
    }
  }

  #wakeWaiters(): void {
    const waiters = this.#drainWaiters;
    this.#drainWaiters = [];
    for (const wake of waiters) wake();
  }
}

// Our own requests: numbered, cancellable, bounded, and answered in order with the notifications before them.
import { createDeferred } from "./deferred.ts";
import { ConnectionError, RpcError } from "./errors.ts";
import { encodeNotification, encodeRequest } from "./wire.ts";
import type { Lanes } from "./lanes.ts";
import type { MessageChunks } from "./wire.ts";

/** How one request is made. */
export interface RequestOptions {
  /** A name that the peer sees as the request's id, so that it knows a request that is made again; default: a number. */
  id?: string;
  /** Cancels the request; the peer is notified if the protocol has a way to. */
  signal?: AbortSignal;
  /** Whether an aborted request rejects at once (the default) or still waits for the peer's answer. */
  whenAborted?: "stop-waiting" | "keep-waiting";
  /**
   * The answer is delivered after all that arrived before it under this key, and code that awaits the request
   * directly runs before anything that arrived after it.
   */
  orderKey?: string;
}

/** Parts of the connection that outgoing requests use. */
export interface OutgoingOptions {
  lanes: Lanes;
  maxOpen: number;
  cancelMethod: string | undefined;
  terminator: string;
  send: (chunks: MessageChunks) => void;
  /** The id of the last request that an earlier connection sent; 0 where there was none. */
  lastId: number;
}

interface OutgoingRequest {
  readonly method: string;
  readonly orderKey: string | undefined;
  readonly promise: Promise<unknown>;
  /** The peer has answered; the answer may still wait for its turn. */
  isAnswered: boolean;
  /** Settles the promise once; later calls change nothing. */
  readonly settle: (outcome: Outcome) => void;
}

type Outcome = { kind: "result"; result: unknown } | { kind: "error"; error: unknown };

export class OutgoingRequests {
  readonly #options: OutgoingOptions;
  readonly #open = new Map<number | string, OutgoingRequest>();
  #lastId: number;
  #closed: ConnectionError | undefined;

  constructor(options: OutgoingOptions) {
    this.#options = options;
    this.#lastId = options.lastId;
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** Waits for the response to a request that an earlier connection sent. */
  awaitAgain(id: number, method: string, options: RequestOptions): Promise<unknown> {
    return this.#add(id, method, options).promise;
  }

  request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    const { terminator, send } = this.#options;
    const obstacle = this.#findObstacle(method, options.signal);
    if (obstacle !== undefined) return rejected(obstacle.error);
    const id = options.id ?? this.#lastId + 1;
    if (this.#open.has(id)) return rejected(new Error(`The request ${id} is open already`));
    let message: MessageChunks;
    try {
      message = encodeRequest(id, method, params, terminator);
    } catch (error) {
      return rejected(error);
    }
    if (typeof id === "number") this.#lastId = id;
    const request = this.#add(id, method, options);
    send(message);
    return request.promise;
  }

  /** Takes an answer; `false` if no such request was ever made. Late answers are dropped: nobody waits for them. */
  answer(id: unknown, answer: { result?: unknown; error?: unknown }, sizeBytes: number): boolean {
    const request = this.#open.get(id as number);
    if (request === undefined) return typeof id === "number" && id >= 1 && id <= this.#lastId;
    this.#deliver(request, sizeBytes, outcomeOf(answer));
    return true;
  }

  /** Rejects a request whose answer is too long to be read. */
  failTooLong(id: unknown, limitBytes: number): void {
    const request = this.#open.get(id as number);
    if (request === undefined) return;
    const message = `The answer to ${request.method} is longer than ${limitBytes} bytes`;
    this.#deliver(request, 0, { kind: "error", error: new ConnectionError("message-too-long", message) });
  }

  /** Rejects a request whose answer is nested too deep. */
  failTooDeep(id: unknown, maxLevels: number): void {
    const request = this.#open.get(id as number);
    if (request === undefined) return;
    const message = `The answer to ${request.method} is nested deeper than ${maxLevels} levels`;
    this.#deliver(request, 0, { kind: "error", error: new ConnectionError("message-too-deep", message) });
  }

  /** Rejects all that is open: at once, or in its turn behind what arrived before the end. */
  close(error: ConnectionError, mode: "at-once" | "in-turn"): void {
    this.#closed ??= error;
    const outcome: Outcome = { kind: "error", error: this.#closed };
    for (const request of this.#open.values()) {
      if (mode === "at-once") request.settle(outcome);
      else this.#deliver(request, 0, outcome);
    }
  }

  #findObstacle(method: string, signal: AbortSignal | undefined): { error: unknown } | undefined {
    const { maxOpen } = this.#options;
    if (this.#closed !== undefined) return { error: this.#closed };
    if (signal?.aborted) return { error: signal.reason };
    if (this.#open.size < maxOpen) return undefined;
    const message = `${method} was not sent: ${maxOpen} requests wait for an answer already`;
    return { error: new ConnectionError("too-many-requests", message) };
  }

  #add(id: number | string, method: string, options: RequestOptions): OutgoingRequest {
    const { signal, orderKey } = options;
    const { promise, resolve, reject } = createDeferred<unknown>();
    const onAbort = (): void => {
      if (!request.isAnswered) this.#cancel(id);
      if (options.whenAborted !== "keep-waiting") request.settle({ kind: "error", error: signal?.reason });
    };
    const settle = (outcome: Outcome): void => {
      this.#open.delete(id);
      signal?.removeEventListener("abort", onAbort);
      if (outcome.kind === "result") resolve(outcome.result);
      else reject(outcome.error);
    };
    const request: OutgoingRequest = { method, orderKey, promise, isAnswered: false, settle };
    this.#open.set(id, request);
    signal?.addEventListener("abort", onAbort, { once: true });
    return request;
  }

  #cancel(id: number | string): void {
    const { cancelMethod, send, terminator } = this.#options;
    if (cancelMethod !== undefined) send(encodeNotification(cancelMethod, { requestId: id }, terminator));
  }

  #deliver(request: OutgoingRequest, sizeBytes: number, outcome: Outcome): void {
    request.isAnswered = true;
    const { orderKey, promise, settle } = request;
    if (orderKey === undefined) {
      settle(outcome);
      return;
    }
    this.#options.lanes.run(orderKey, sizeBytes, () => {
      settle(outcome);
      // Registered after the caller's own continuation, so it runs after it: the key is held until then.
      return promise.then(ignore, ignore);
    });
  }
}

function outcomeOf(answer: { result?: unknown; error?: unknown }): Outcome {
  const { result, error } = answer;
  if (result === undefined || (error !== undefined && error !== null)) {
    return { kind: "error", error: RpcError.fromWire(error) };
  }
  return { kind: "result", result };
}

function rejected(error: unknown): Promise<never> {
  const { promise, reject } = createDeferred<never>();
  reject(error);
  return promise;
}

function ignore(): void {
  // The caller gets the outcome; here only the moment counts.
}

// A JSON-RPC 2.0 peer: takes messages from a transport, hands them to handlers in order, and sends requests.
import { Lanes, type MessageSource } from "./lanes.ts";
import { createDeferred } from "./deferred.ts";
import { ConnectionError } from "./errors.ts";
import type { FrameReader, Framing } from "./framing.ts";
import { Inbox } from "./inbox.ts";
import { IncomingRequests, type RequestJournal } from "./incoming.ts";
import type {
  AnyNotificationHandler,
  AnyRequestHandler,
  Methods,
  NotificationHandlers,
  RequestHandlers,
} from "./methods.ts";
import { type MessageSink, Outbox, type SendFailure } from "./outbox.ts";
import { OutgoingRequests, type RequestOptions } from "./outgoing.ts";
import { encodeNotification, type RawJson } from "./wire.ts";
import { RepeatedText, type RepeatedTextOptions } from "./repeated-text.ts";
import type { WarningListener } from "./warning.ts";

/** The bounds of a connection; each has a default. */
export interface ConnectionLimits {
  /** Requests of the peer that are not answered; one more is refused with `-32029`. Default 1024. */
  incomingRequests: number;
  /** Requests of ours that are not answered; one more rejects unsent. Default 1024. */
  outgoingRequests: number;
  /** Messages of one key that wait to be handled; above it the source is paused. Default 4096. */
  queuedMessages: number;
  /** Bytes of messages of one key that wait to be handled; above it the source is paused. Default 16 MiB. */
  queuedBytes: number;
  /** Bytes that wait for a slow sink; above it the connection closes. Default 64 MiB. */
  unsentBytes: number;
  /** Objects and arrays inside each other in one message, itself included; a deeper one is refused. Default 512. */
  nestedLevels: number;
}

const DEFAULT_LIMITS: Readonly<ConnectionLimits> = {
  incomingRequests: 1024,
  outgoingRequests: 1024,
  queuedMessages: 4096,
  queuedBytes: 16 * 1024 * 1024,
  unsentBytes: 64 * 1024 * 1024,
  nestedLevels: 512,
};

/** Options of a connection. */
export interface ConnectionOptions<Local extends Methods = Methods> {
  framing: Framing;
  sink: MessageSink;
  /** Paused while too much waits to be handled. Without it nothing can be held back. */
  source?: MessageSource;
  requests?: RequestHandlers<Local>;
  notifications?: NotificationHandlers<Local>;
  /** Receives every notification without a handler. */
  onUnknownNotification?: (method: string, params: unknown) => void | Promise<void>;
  /**
   * Messages with the same key are handled one after another, in order of arrival; those without one at once. A
   * handler under a key must not wait for a later message of the peer: once the queue is full none is read.
   */
  orderKey?: (method: string, params: unknown) => string | undefined;
  /** The notification `{ requestId }` that cancels a request, both ways; without it an abort only stops the waiting. */
  cancelMethod?: string;
  /** A notification that comes in great numbers, alike but for one text; it is then read without being parsed whole. */
  repeatedText?: RepeatedTextOptions;
  limits?: Partial<ConnectionLimits>;
  onWarning?: WarningListener;
  /** Where an earlier connection to the same peer stopped; this one continues it. */
  continues?: ContinuedConnection;
  /** Takes note of the peer's requests, so that another connection can continue this one. */
  journal?: RequestJournal;
}

/** Where a connection stopped: all that the next one needs, besides its open requests. */
export interface ContinuedConnection {
  /** Everything that the peer wrote before this offset has been handled. */
  readonly handledOffset: number;
  /** The id of the last request that was sent. */
  readonly lastId: number;
}

/** One end of a JSON-RPC conversation: `Local` is what it answers, `Remote` what the peer answers. */
export class Connection<Local extends Methods = Methods, Remote extends Methods = Methods> {
  readonly #terminator: string;
  readonly #reader: FrameReader;
  readonly #inbox: Inbox;
  readonly #lanes: Lanes;
  readonly #outbox: Outbox;
  readonly #incoming: IncomingRequests;
  readonly #outgoing: OutgoingRequests;
  readonly #closed = createDeferred<ConnectionError>();
  /** `ended`: the peer is gone, but what it sent is still being handled. */
  #state: "open" | "ended" | "closed" = "open";
  #isPushing = false;

  constructor(options: ConnectionOptions<NoInfer<Local>>) {
    const { framing, cancelMethod, orderKey = () => undefined, onWarning: warn = () => undefined } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { terminator } = framing;
    const lanes = new Lanes(limits, options.source);
    const outbox = new Outbox(options.sink, limits.unsentBytes, (failure) => {
      this.#failSending(failure);
    });
    const send = outbox.send.bind(outbox);
    this.#terminator = terminator;
    this.#lanes = lanes;
    this.#outbox = outbox;
    this.#incoming = new IncomingRequests({
      handlers: mapHandlers<AnyRequestHandler>(options.requests),
      orderKey,
      lanes,
      maxOpen: limits.incomingRequests,
      terminator,
      send,
      warn,
      journal: options.journal,
    });
    this.#outgoing = new OutgoingRequests({
      lanes,
      maxOpen: limits.outgoingRequests,
      cancelMethod,
      terminator,
      send,
      lastId: options.continues?.lastId ?? 0,
    });
    this.#inbox = new Inbox({
      unparsable: framing.unparsable,
      incoming: this.#incoming,
      outgoing: this.#outgoing,
      lanes,
      notifications: mapHandlers<AnyNotificationHandler>(options.notifications),
      onUnknownNotification: options.onUnknownNotification,
      orderKey,
      cancelMethod,
      nestedLevels: limits.nestedLevels,
      repeatedText: options.repeatedText && new RepeatedText(options.repeatedText),
      warn,
    });
    this.#reader = framing.reader(this.#inbox, options.continues?.handledOffset);
    this.#inbox.readFrom(this.#reader);
  }

  /**
   * Everything that the peer wrote before this offset has been handed to its handler; the beginning of a line does not
   * count. Messages that wait for others of their key count as handled: see `isSettled`.
   */
  get handledOffset(): number {
    return this.#reader.endOffset;
  }

  /** Whether no message waits for others of its key. */
  get isSettled(): boolean {
    return this.#lanes.isIdle;
  }

  /** The id of the last request that was sent. */
  get lastId(): number {
    return this.#outgoing.lastId;
  }

  /** Waits for the response to a request that an earlier connection sent. */
  awaitAgain(id: number, method: string, options: RequestOptions = {}): Promise<unknown> {
    return this.#outgoing.awaitAgain(id, method, options);
  }

  /** Handles a request again that an earlier connection received at an offset and did not answer. */
  reopen(text: string, offset: number): void {
    this.#inbox.reopen(text, offset);
  }

  /** Resolves when the connection is over, with the error that open requests got. */
  get closed(): Promise<ConnectionError> {
    return this.#closed.promise;
  }

  /** Whether messages can still be sent and received. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Takes what the transport read; synchronous handlers have run when it returns. Not to be called by a handler. */
  push(chunk: string | Uint8Array): void {
    if (this.#state !== "open") return;
    if (this.#isPushing) throw new Error("push() was called by a handler: messages would be out of order");
    this.#isPushing = true;
    try {
      this.#reader.push(chunk);
      this.#inbox.flush();
    } finally {
      this.#isPushing = false;
    }
  }

  /**
   * The peer's stream ended. What had arrived is still handled; requests reject, those with an order key in their
   * turn.
   */
  end(cause?: unknown): void {
    if (this.#state !== "open") return;
    this.#reader.end();
    this.#finish(new ConnectionError("ended", "The peer ended the connection", { cause }), "ended");
  }

  /** Closes this side: what waits to be sent is handed to the sink, what waits to be handled is dropped. */
  close(cause?: unknown): void {
    this.#finish(new ConnectionError("closed", "The connection was closed", { cause }), "closed");
  }

  /** Makes a request. Await it directly where the order of an `orderKey` matters. */
  request<Method extends keyof Remote["requests"] & string>(
    method: Method,
    params: Remote["requests"][Method]["params"] | RawJson,
    options: RequestOptions = {},
  ): Promise<Remote["requests"][Method]["result"]> {
    return this.#outgoing.request(method, params, options);
  }

  /**
   * Sends a notification; on a closed connection it goes nowhere. `false` means that the peer reads slowly and the
   * next is better sent after `drained()`.
   */
  notify<Method extends keyof Remote["notifications"] & string>(
    method: Method,
    params: Remote["notifications"][Method] | RawJson,
  ): boolean {
    return this.#outbox.send(encodeNotification(method, params, this.#terminator));
  }

  /** Bytes that wait for the transport to take more. */
  get unsentBytes(): number {
    return this.#outbox.unsentBytes;
  }

  /** Resolves when the transport takes more, or when the connection is over. */
  drained(): Promise<void> {
    return this.#outbox.drained();
  }

  #failSending(failure: SendFailure): void {
    if (failure.kind === "write-failed") {
      const { cause } = failure;
      this.#finish(
        new ConnectionError("write-failed", "The transport takes no messages", { cause }),
        "closed",
      );
      return;
    }
    const message = `The peer reads too slowly: more than ${failure.limitBytes} bytes wait to be sent`;
    this.#finish(new ConnectionError("unsent-limit", message), "closed");
  }

  #finish(error: ConnectionError, next: "ended" | "closed"): void {
    if (this.#state === "closed") return;
    this.#state = next;
    this.#inbox.close();
    if (next === "closed") this.#lanes.clear();
    this.#outgoing.close(error, next === "closed" ? "at-once" : "in-turn");
    this.#incoming.close(error);
    this.#outbox.close(error.kind === "closed");
    this.#closed.resolve(error);
  }
}

function mapHandlers<Handler>(handlers: object | undefined): ReadonlyMap<string, Handler> {
  return new Map(Object.entries(handlers ?? {}) as [string, Handler][]);
}

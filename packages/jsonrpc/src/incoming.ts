// The peer's requests: each is answered exactly once, can be cancelled, and only so many are open at a time.
import { ErrorCode, RpcError } from "./errors.ts";
import { type AnyRequestHandler, callHandler, type RequestContext } from "./methods.ts";
import { encodeError, encodeResult } from "./wire.ts";
import type { Lanes } from "./lanes.ts";
import type { WarningListener } from "./warning.ts";
import type { MessageChunks, RpcId } from "./wire.ts";

/** One request of the peer, open until it is answered. */
class IncomingRequest implements RequestContext {
  readonly id: RpcId;
  readonly idText: string;
  readonly method: string;
  readonly offset: number;
  state: "waiting" | "running" | "answered" = "waiting";
  /** Created on first use: most handlers never need it, and it costs more than the rest of a request. */
  #controller: AbortController | undefined;
  #abortReason: { value: unknown } | undefined;

  constructor({ id, idText, method, offset }: ReceivedRequest) {
    this.id = id;
    this.idText = idText;
    this.method = method;
    this.offset = offset;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason.value);
    }
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#abortReason !== undefined;
  }

  abort(reason?: unknown): void {
    this.#abortReason ??= { value: reason };
    this.#controller?.abort(reason);
  }
}

export interface ReceivedRequest {
  id: RpcId;
  /** The JSON text of the id, which the answer repeats. */
  idText: string;
  method: string;
  params: unknown;
  sizeBytes: number;
  /** The whole message, and where it begins in the stream. */
  text: string;
  offset: number;
}

/** Takes note of requests, for a connection that is to be continued elsewhere. */
export interface RequestJournal {
  /** A request has arrived that waits for its response. */
  opened(offset: number, text: string): void;
  /** Its response was handed to the sink. */
  answered(offset: number): void;
}

/** Parts of the connection that incoming requests use. */
export interface IncomingOptions {
  handlers: ReadonlyMap<string, AnyRequestHandler>;
  orderKey: (method: string, params: unknown) => string | undefined;
  lanes: Lanes;
  maxOpen: number;
  terminator: string;
  send: (chunks: MessageChunks) => void;
  warn: WarningListener;
  journal: RequestJournal | undefined;
}

export class IncomingRequests {
  readonly #options: IncomingOptions;
  readonly #open = new Set<IncomingRequest>();
  /** The open requests by the JSON text of their parsed id, for cancellation. */
  readonly #byId = new Map<string, IncomingRequest>();
  #isClosed = false;

  constructor(options: IncomingOptions) {
    this.#options = options;
  }

  receive(received: ReceivedRequest): void {
    const { handlers, orderKey, lanes, maxOpen, warn } = this.#options;
    const { idText, method, params } = received;
    const handler = handlers.get(method);
    if (handler === undefined) {
      this.refuse(idText, new RpcError(ErrorCode.methodNotFound, `Method not found: ${method}`));
      return;
    }
    if (this.#open.size >= maxOpen) {
      warn({ kind: "too-busy", method });
      this.refuse(idText, new RpcError(ErrorCode.tooBusy, `Too busy: ${maxOpen} requests are open`));
      return;
    }
    const request = new IncomingRequest(received);
    this.#open.add(request);
    this.#options.journal?.opened(received.offset, received.text);
    this.#byId.set(JSON.stringify(received.id), request);
    let key: string | undefined;
    try {
      key = orderKey(method, params);
    } catch (error) {
      this.#fail(request, error);
      return;
    }
    const run = (): Promise<void> | undefined => this.#run(request, handler, params);
    // Without a key there is nothing to wait for, and the limit on open requests is the bound.
    if (key === undefined) void run();
    else lanes.run(key, received.sizeBytes, run);
  }

  /** Answers a request that never came to be one. */
  refuse(idText: string, error: RpcError): void {
    this.#options.send(encodeError(idText, error, this.#options.terminator));
  }

  /** Aborts the request that the peer wants no more; one that has not started is answered at once. */
  cancel(params: unknown): void {
    const requestId = (params as { requestId?: unknown } | null | undefined)?.requestId;
    const request = requestId === undefined ? undefined : this.#byId.get(JSON.stringify(requestId));
    if (request === undefined) return;
    request.abort();
    if (request.state === "waiting") this.#answer(request, cancelled(request));
  }

  /** Aborts all that is open; nothing is answered any more. */
  close(reason: Error): void {
    this.#isClosed = true;
    const open = [...this.#open];
    this.#open.clear();
    this.#byId.clear();
    for (const request of open) request.abort(reason);
  }

  #run(request: IncomingRequest, handler: AnyRequestHandler, params: unknown): Promise<void> | undefined {
    if (this.#isClosed || request.state !== "waiting") return undefined;
    request.state = "running";
    return callHandler(
      () => handler(params, request),
      (result) => {
        this.#succeed(request, result);
      },
      (error) => {
        this.#fail(request, error);
      },
    );
  }

  #succeed(request: IncomingRequest, result: unknown): void {
    let answer: MessageChunks;
    try {
      answer = encodeResult(request.idText, result, this.#options.terminator);
    } catch (error) {
      // The result has no JSON: it refers to itself or holds a bigint.
      this.#fail(request, error);
      return;
    }
    this.#finish(request, answer);
  }

  #fail(request: IncomingRequest, error: unknown): void {
    if (error instanceof RpcError) {
      this.#answer(request, error);
      return;
    }
    if (request.isAborted && error instanceof Error && error.name === "AbortError") {
      this.#answer(request, cancelled(request));
      return;
    }
    this.#options.warn({ kind: "handler-failed", method: request.method, error });
    this.#answer(request, new RpcError(ErrorCode.internalError, "Internal error"));
  }

  #answer(request: IncomingRequest, error: RpcError): void {
    this.#finish(request, encodeError(request.idText, error, this.#options.terminator));
  }

  #finish(request: IncomingRequest, answer: MessageChunks): void {
    request.state = "answered";
    this.#open.delete(request);
    const lookup = JSON.stringify(request.id);
    if (this.#byId.get(lookup) === request) this.#byId.delete(lookup);
    this.#options.send(answer);
    this.#options.journal?.answered(request.offset);
  }
}

function cancelled(request: IncomingRequest): RpcError {
  return new RpcError(ErrorCode.requestCancelled, "Request cancelled", { requestId: request.id });
}

// One connection to a host: the handshake's requests, actions in their order, and a watch on silence.
import { Connection, messageFraming, type ConnectionError } from "@holdfast/jsonrpc";
import type { HoldfastEnvelope } from "../dialects/holdfast/wire.ts";
import { ROOT_URI } from "../model/uri.ts";
import type { ClientMethods, HostMethods } from "./methods.ts";
import type { Timing } from "./timing.ts";
import { transportSink, type MessageTransport } from "./transport.ts";

/** How long a host may be silent. */
export interface Patience {
  /** After so much silence the host is asked whether it is there. */
  readonly pingAfterMs: number;
  /** After so much more silence the connection counts as lost. */
  readonly giveUpAfterMs: number;
}

/** What a link tells. */
export interface LinkListener {
  action(envelope: HoldfastEnvelope): void;
  latency(latencyMs: number): void;
  /** Something is wrong that ends the link. */
  problem(error: unknown): void;
}

/** Answers and actions share one order, so that a snapshot comes before what follows it. */
const IN_ORDER = "in order";

type Requests = HostMethods["requests"];

/** A connection, from open to closed. */
export class Link {
  readonly #connection: Connection<ClientMethods, HostMethods>;
  readonly #listener: LinkListener;
  readonly #timing: Timing;
  readonly #patience: Patience;
  #stopTimer: () => void;
  #lastHeardMs: number;

  constructor(transport: MessageTransport, listener: LinkListener, timing: Timing, patience: Patience) {
    this.#listener = listener;
    this.#timing = timing;
    this.#patience = patience;
    this.#lastHeardMs = timing.nowMs();
    this.#connection = new Connection<ClientMethods, HostMethods>({
      framing: messageFraming(),
      sink: transportSink(transport),
      notifications: {
        action: (envelope) => {
          this.#takeAction(envelope);
        },
      },
      orderKey: () => IN_ORDER,
    });
    this.#stopTimer = this.#watch(patience.pingAfterMs);
    transport.onMessage((text) => {
      this.#lastHeardMs = timing.nowMs();
      this.#connection.push(text);
    });
    transport.onClose((cause) => {
      this.#connection.end(cause);
    });
    void this.#connection.closed.then(() => {
      this.#stopTimer();
      transport.close();
    });
  }

  /** Resolves when the link is over. */
  get closed(): Promise<ConnectionError> {
    return this.#connection.closed;
  }

  /** Asks the host; code that awaits the answer runs before anything that the host said after it. */
  request<Method extends keyof Requests>(
    method: Method,
    params: Requests[Method]["params"],
  ): Promise<Requests[Method]["result"]> {
    return this.#connection.request(method, params, { orderKey: IN_ORDER });
  }

  /** Tells the host. */
  notify<Method extends keyof HostMethods["notifications"]>(
    method: Method,
    params: HostMethods["notifications"][Method],
  ): void {
    this.#connection.notify(method, params);
  }

  /** Ends the link. */
  close(cause?: unknown): void {
    this.#connection.close(cause);
  }

  #takeAction(envelope: HoldfastEnvelope): void {
    try {
      this.#listener.action(envelope);
    } catch (error) {
      this.#listener.problem(error);
      this.close(error);
    }
  }

  #watch(delayMs: number): () => void {
    return this.#timing.after(delayMs, () => {
      const silentMs = this.#timing.nowMs() - this.#lastHeardMs;
      const leftMs = this.#patience.pingAfterMs - silentMs;
      if (leftMs > 0) this.#stopTimer = this.#watch(leftMs);
      else void this.#ping();
    });
  }

  /** Asks whether the host is there; any sign of it counts as an answer. */
  async #ping(): Promise<void> {
    const askedMs = this.#timing.nowMs();
    this.#stopTimer = this.#timing.after(this.#patience.giveUpAfterMs, () => {
      if (this.#lastHeardMs < askedMs) this.close(new Error("The host has been silent for too long."));
      else this.#stopTimer = this.#watch(this.#patience.pingAfterMs);
    });
    try {
      await this.#connection.request("ping", { channel: ROOT_URI });
      this.#stopTimer();
      this.#listener.latency(this.#timing.nowMs() - askedMs);
      this.#stopTimer = this.#watch(this.#patience.pingAfterMs);
    } catch {
      // The link is over, which `closed` tells; a host that refuses the question is there all the same.
    }
  }
}

// One connection to a host: the handshake's requests, actions in their order, and a watch on silence.
import { Connection, messageFraming, type ConnectionError } from "@holdfast/jsonrpc";
import type { HoldfastEnvelope } from "../dialects/holdfast.ts";
import { ROOT_URI } from "../model/uri.ts";
import { ClientError } from "./client-error.ts";
import type { ClientMethods, HostMethods } from "./methods.ts";
import type { Timing } from "./timing.ts";
import { transportSink, type MessageTransport } from "./transport.ts";

/** How long a host may be silent. */
export interface Timeouts {
  /** After so much silence the host is asked whether it is there. */
  readonly pingAfterMs: number;
  /** After so much silence, in which the host was asked, it counts as not responding (E220). */
  readonly notRespondingAfterMs: number;
  /** After so much silence the connection counts as lost. */
  readonly giveUpAfterMs: number;
}

/** A connection that is given up because the host sent nothing, although it was asked to. */
export class HostSilentError extends Error {
  override readonly name = "HostSilentError";
}

export interface LinkListener {
  action(envelope: HoldfastEnvelope): void;
  latency(latencyMs: number): void;
  /** The host has sent nothing for too long, or has sent something again. */
  responding(isResponding: boolean): void;
  /** Something is wrong that ends the link. */
  problem(error: unknown): void;
}

/** Answers and actions share one order, so that a snapshot comes before what follows it. */
const IN_ORDER = "in order";

/** How many actions may arrive before the client is ready for them. */
const maxEarlyActions = 1024;

/** A host that sends heartbeats is pinged too, so that the latency is recent. */
const latencyEveryMs = 60_000;

type Requests = HostMethods["requests"];

/** A connection, from open to closed. */
export class Link {
  readonly #connection: Connection<ClientMethods, HostMethods>;
  readonly #listener: LinkListener;
  readonly #timing: Timing;
  readonly #timeouts: Timeouts;
  #stopTimer: () => void;
  #lastHeardMs: number;
  #lastPingMs: number;
  /** When the host was asked for a sign that has not come yet. */
  #askedMs: number | undefined;
  #isResponding = true;
  /** Actions that wait until the client has what the handshake brought; undefined from then on. */
  #early: HoldfastEnvelope[] | undefined = [];

  constructor(transport: MessageTransport, listener: LinkListener, timing: Timing, timeouts: Timeouts) {
    this.#listener = listener;
    this.#timing = timing;
    this.#timeouts = timeouts;
    this.#lastHeardMs = timing.nowMs();
    this.#lastPingMs = this.#lastHeardMs;
    this.#connection = new Connection<ClientMethods, HostMethods>({
      framing: messageFraming(),
      sink: transportSink(transport),
      notifications: {
        action: (envelope) => {
          this.#takeAction(envelope);
        },
        // That it came is all that it says.
        heartbeat: () => undefined,
      },
      orderKey: () => IN_ORDER,
    });
    this.#stopTimer = this.#watch(timeouts.pingAfterMs);
    transport.onMessage((text) => {
      this.#hear();
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

  /** When the host was last heard. */
  get lastHeardMs(): number {
    return this.#lastHeardMs;
  }

  /** Asks the host; code that awaits the answer runs before anything that the host said after it. */
  request<Method extends keyof Requests>(
    method: Method,
    params: Requests[Method]["params"],
  ): Promise<Requests[Method]["result"]> {
    return this.#connection.request(method, params, { orderKey: IN_ORDER });
  }

  /** Delivers the actions that followed the handshake, and from now on each as it arrives (E48). */
  deliverActions(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const envelope of early) this.#takeAction(envelope);
  }

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
      if (this.#early === undefined) this.#listener.action(envelope);
      else if (this.#early.length < maxEarlyActions) this.#early.push(envelope);
      else throw new ClientError("malformed", "The host sends actions before it has answered the handshake.");
    } catch (error) {
      this.#listener.problem(error);
      this.close(error);
    }
  }

  #hear(): void {
    this.#lastHeardMs = this.#timing.nowMs();
    this.#askedMs = undefined;
    if (this.#isResponding) return;
    this.#isResponding = true;
    this.#listener.responding(true);
  }

  #watch(delayMs: number): () => void {
    return this.#timing.after(delayMs, () => {
      const nextMs = this.#look(this.#timing.nowMs());
      if (nextMs !== undefined) this.#stopTimer = this.#watch(nextMs);
    });
  }

  /**
   * Does what is due after the silence so far, and gives the time of the next look. What follows the ping is counted
   * from the ping: a computer that slept has not listened.
   */
  #look(nowMs: number): number | undefined {
    const { pingAfterMs, notRespondingAfterMs, giveUpAfterMs } = this.#timeouts;
    if (this.#askedMs === undefined) {
      const leftMs = pingAfterMs - (nowMs - this.#lastHeardMs);
      if (leftMs > 0) {
        if (nowMs - this.#lastPingMs >= latencyEveryMs) void this.#ping(nowMs);
        return leftMs;
      }
      this.#askedMs = nowMs;
      void this.#ping(nowMs);
      return notRespondingAfterMs - pingAfterMs;
    }
    const silentMs = pingAfterMs + nowMs - this.#askedMs;
    if (silentMs >= giveUpAfterMs) {
      this.close(new HostSilentError("The host has been silent for too long."));
      return undefined;
    }
    if (silentMs >= notRespondingAfterMs && this.#isResponding) {
      this.#isResponding = false;
      this.#listener.responding(false);
    }
    return (silentMs < notRespondingAfterMs ? notRespondingAfterMs : giveUpAfterMs) - silentMs;
  }

  /** Asks whether the host is there; any sign of it counts as an answer. */
  async #ping(nowMs: number): Promise<void> {
    this.#lastPingMs = nowMs;
    try {
      await this.#connection.request("ping", { channel: ROOT_URI });
      this.#listener.latency(this.#timing.nowMs() - nowMs);
    } catch {
      // Either the link is closed, which `closed` reports, or the host refused the request, which proves that it responds.
    }
  }
}

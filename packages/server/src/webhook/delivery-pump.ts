// Sends deliveries for all lanes together: so many at once and no more, none longer than it may take.
import type { Log } from "@holdfast/core";
import { attemptDelivery } from "./delivery-attempt.ts";
import type { WebhookLane } from "./webhook-lane.ts";

/** What a pump needs. */
export interface DeliveryPumpParts {
  readonly log: Log;
  /** How many deliveries are under way at once. */
  readonly maxInFlight: number;
  /** How long a receiver may take to answer. */
  readonly timeoutMs: number;
  readonly nowMs: () => number;
}

/** The deliveries that are under way. Whoever makes it closes it. */
export class DeliveryPump {
  readonly #parts: DeliveryPumpParts;
  /** Lanes that have something to send, in the order in which they said so. */
  readonly #ready: WebhookLane[] = [];
  readonly #inFlight = new Map<AbortController, Promise<void>>();
  #isClosed = false;

  constructor(parts: DeliveryPumpParts) {
    this.#parts = parts;
  }

  /** Sends what a lane has, when it is its turn. */
  add(lane: WebhookLane): void {
    this.#ready.push(lane);
    this.#begin();
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#ready.length = 0;
    for (const controller of this.#inFlight.keys()) controller.abort();
    await Promise.all(this.#inFlight.values());
  }

  #begin(): void {
    while (!this.#isClosed && this.#inFlight.size < this.#parts.maxInFlight) {
      const lane = this.#ready.shift();
      if (lane === undefined) return;
      const controller = new AbortController();
      this.#inFlight.set(controller, this.#send(lane, controller));
    }
  }

  async #send(lane: WebhookLane, controller: AbortController): Promise<void> {
    const { log, timeoutMs, nowMs } = this.#parts;
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      await lane.sendNext(({ url, secret }, { id: deliveryId, event, body }) =>
        attemptDelivery({ url, secret, deliveryId, event, body, sentAtMs: nowMs() }, controller.signal),
      );
    } catch (error) {
      // What is kept could not be read or written.
      log("error", "A delivery could not be settled", { webhook: lane.webhook.id, error });
      lane.recover();
    } finally {
      clearTimeout(timer);
      this.#inFlight.delete(controller);
      this.#begin();
    }
  }
}

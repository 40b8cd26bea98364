// The deliveries of one webhook that were given up: kept up to a number, so that their owner can look at them.
import type { DeadLetter } from "@holdfast/protocol";
import type { DeadDelivery, Delivery, DeliveryRecord } from "./webhook-record.ts";
import type { WebhookStore } from "./webhook-store.ts";

/** What dead letters need. */
export interface DeadLetterParts {
  readonly webhookId: string;
  readonly store: WebhookStore;
  /** How many are kept; the oldest go. */
  readonly maxDeadLetters: number;
  readonly nowMs: () => number;
}

/** The dead letters of one webhook. Their bodies stay in the store. */
export class DeadLetters {
  readonly #parts: DeadLetterParts;
  #ids: string[] = [];

  constructor(parts: DeadLetterParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#ids.length;
  }

  /** Takes up those that were kept when the host last ended. */
  resume(deliveries: readonly DeliveryRecord[]): void {
    this.#ids = deliveries.filter(({ state }) => state === "dead").map(({ id }) => id);
  }

  /** Keeps a delivery that is given up; gives the names of those that are too many now, oldest first. */
  bury({ id, event, at, body, attempts }: Delivery, reason: string): string[] {
    const { webhookId, store, maxDeadLetters, nowMs } = this.#parts;
    const failedAt = new Date(nowMs()).toISOString();
    store.saveDelivery(webhookId, { id, event, at, body, attempts, state: "dead", failedAt, reason });
    this.#ids.push(id);
    return this.#ids.splice(0, Math.max(0, this.#ids.length - maxDeadLetters));
  }

  find(id: string): DeadDelivery | undefined {
    const { webhookId, store } = this.#parts;
    const delivery = this.#ids.includes(id) ? store.delivery(webhookId, id) : undefined;
    return delivery?.state === "dead" ? delivery : undefined;
  }

  /** Is told that one is to be delivered after all. */
  forget(id: string): void {
    this.#ids = this.#ids.filter((each) => each !== id);
  }

  /** All of them, oldest first. */
  list(): DeadLetter[] {
    return this.#ids.flatMap((id) => {
      const delivery = this.find(id);
      return delivery === undefined ? [] : [describe(delivery)];
    });
  }
}

function describe({ id, event, at, failedAt, attempts, reason, body }: DeadDelivery): DeadLetter {
  return { id, event, at, failedAt, attempts, reason, payload: JSON.parse(body) as DeadLetter["payload"] };
}

// Storage of webhooks and their undelivered events in the host's metadata.
import type { Log, Meta } from "@holdfast/core";
import type { WebhookEvent } from "@holdfast/protocol";
import type { Caller } from "../host-port.ts";

export interface WebhookRecord {
  readonly id: string;
  readonly owner: Caller;
  /** Names the credential it was registered with; without it the webhook has no right to anything. */
  readonly clientId: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly secret: string;
  readonly createdAt: string;
  /** Off once the receiver has responded with 410 Gone. */
  readonly state: "on" | "off";
  /** Dead letters that are no longer kept. */
  readonly dropped: number;
}

/** One event for one receiver. */
export interface Delivery {
  /** Grows with every delivery, so that names in their order are deliveries in theirs. */
  readonly id: string;
  readonly event: WebhookEvent;
  readonly at: string;
  /** The exact body that is sent. */
  readonly body: string;
  readonly attempts: number;
}

/** A delivery that is still to be made, not before a moment. */
export interface WaitingDelivery extends Delivery {
  readonly state: "waiting";
  readonly notBeforeMs: number;
}

export interface DeadDelivery extends Delivery {
  readonly state: "dead";
  readonly failedAt: string;
  readonly reason: string;
}

export type DeliveryRecord = WaitingDelivery | DeadDelivery;

const webhookPrefix = "webhook/";
const deliveryPrefix = "webhook-delivery/";

export class WebhookStore {
  readonly #meta: Meta;
  readonly #log: Log;

  constructor(meta: Meta, log: Log) {
    this.#meta = meta;
    this.#log = log;
  }

  webhooks(): WebhookRecord[] {
    return this.#meta
      .keys(webhookPrefix)
      .map((key) => this.#read(key) as WebhookRecord | undefined)
      .filter((webhook) => webhook !== undefined);
  }

  saveWebhook(webhook: WebhookRecord): void {
    this.#meta.set(webhookPrefix + webhook.id, JSON.stringify(webhook));
  }

  /** Removes a webhook and its undelivered events. */
  deleteWebhook(id: string): void {
    // First, so that no crash leaves a webhook behind that has lost some of its deliveries.
    this.#meta.delete(webhookPrefix + id);
    for (const key of this.#meta.keys(deliveryKey(id, ""))) this.#meta.delete(key);
  }

  /** The deliveries of a webhook, oldest first. */
  deliveries(webhookId: string): DeliveryRecord[] {
    return this.#meta
      .keys(deliveryKey(webhookId, ""))
      .map((key) => this.#read(key) as DeliveryRecord | undefined)
      .filter((delivery) => delivery !== undefined);
  }

  delivery(webhookId: string, id: string): DeliveryRecord | undefined {
    return this.#read(deliveryKey(webhookId, id)) as DeliveryRecord | undefined;
  }

  saveDelivery(webhookId: string, delivery: DeliveryRecord): void {
    this.#meta.set(deliveryKey(webhookId, delivery.id), JSON.stringify(delivery));
  }

  deleteDelivery(webhookId: string, id: string): void {
    this.#meta.delete(deliveryKey(webhookId, id));
  }

  /** The stored value of a name; undefined when there is none, or none that can be read. */
  #read(key: string): unknown {
    const text = this.#meta.get(key);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch (error) {
      this.#log("warn", "A record of a webhook cannot be read and is skipped", { key, error });
      return undefined;
    }
  }
}

function deliveryKey(webhookId: string, id: string): string {
  return `${deliveryPrefix}${webhookId}/${id}`;
}

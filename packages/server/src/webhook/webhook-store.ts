// Keeps webhooks and what they were not told yet among the host's small things.
import type { Log, Meta } from "@holdfast/core";
import type { DeliveryRecord, WebhookRecord } from "./webhook-record.ts";

const webhookPrefix = "webhook/";
const deliveryPrefix = "webhook-delivery/";

/** Webhooks and deliveries in a `Meta`. */
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

  /** Removes a webhook and everything that it was not told. */
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

  /** What this class has written under a name; undefined when there is nothing, or nothing that can be read. */
  #read(key: string): unknown {
    const text = this.#meta.get(key);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch (error) {
      this.#log("warn", "A record of a webhook cannot be read and is passed over", { key, error });
      return undefined;
    }
  }
}

function deliveryKey(webhookId: string, id: string): string {
  return `${deliveryPrefix}${webhookId}/${id}`;
}

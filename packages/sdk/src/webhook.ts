// Webhooks: where the host calls when something happens in the caller's sessions, and what it could not bring there.
import type { DeadLetter, Webhook, WebhookRequest } from "@holdfast/protocol";
import type { CallOptions, Connection } from "./connection.ts";

export type { DeadLetter, Webhook, WebhookEvent, WebhookRequest } from "@holdfast/protocol";

/** A webhook that was just registered, with the secret that signs its deliveries, which is returned only here. */
export interface NewWebhook {
  readonly webhook: Webhook;
  readonly secret: string;
}

/** The operations on webhooks. */
export class Webhooks {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Registers a URL. */
  async create(request: WebhookRequest, { signal }: CallOptions = {}): Promise<NewWebhook> {
    const path = "/sdk/webhooks";
    const answer = await this.#connection.ask({ method: "POST", path, body: request, signal });
    return { webhook: answer["webhook"] as Webhook, secret: String(answer["secret"]) };
  }

  /** The caller's webhooks. */
  list({ signal }: CallOptions = {}): Promise<Webhook[]> {
    return this.#connection.askFor("webhooks", { method: "GET", path: "/sdk/webhooks", signal });
  }

  /** Deletes a webhook with everything that was not delivered. */
  async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#connection.ask({ method: "DELETE", path: pathOf(id), signal });
  }

  /** The deliveries that were given up, the oldest first. */
  deadLetters(id: string, { signal }: CallOptions = {}): Promise<DeadLetter[]> {
    const path = `${pathOf(id)}/dead-letters`;
    return this.#connection.askFor("deadLetters", { method: "GET", path, signal });
  }

  /** Retries a delivery that was given up. */
  async redeliver(id: string, deliveryId: string, { signal }: CallOptions = {}): Promise<void> {
    const path = `${pathOf(id)}/dead-letters/${encodeURIComponent(deliveryId)}`;
    await this.#connection.ask({ method: "POST", path, signal });
  }
}

function pathOf(id: string): string {
  return `/sdk/webhooks/${encodeURIComponent(id)}`;
}

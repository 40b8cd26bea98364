// Counts what becomes of deliveries to webhooks.
import { Counter, Gauge, type Registry } from "prom-client";
import type { DeliveryOutcome } from "../webhook/webhook-lane.ts";

/** The deliveries of a server since its start. */
export class WebhookMetrics {
  readonly #deliveries: Counter<"outcome">;
  readonly #waiting: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#deliveries = new Counter({
      name: "holdfast_webhook_deliveries_total",
      help: "Deliveries by outcome: delivered, an attempt failed, given up, dropped from what was given up.",
      labelNames: ["outcome"],
      registers,
    });
    this.#waiting = new Gauge({
      name: "holdfast_webhook_deliveries_waiting",
      help: "Deliveries that are still to be made.",
      registers,
    });
  }

  count(outcome: DeliveryOutcome): void {
    this.#deliveries.inc({ outcome });
  }

  show(waiting: number): void {
    this.#waiting.set(waiting);
  }
}

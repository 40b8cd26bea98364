// Everything that is measured, in the words of Prometheus.
import { Registry } from "prom-client";
import type { HostPort } from "../host-port.ts";
import { FigureMetrics } from "./figure-metrics.ts";
import { ProcessMetrics } from "./process-metrics.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { TurnMetrics } from "./turn-metrics.ts";
import { WebhookMetrics } from "./webhook-metrics.ts";

/** What is measured beside what is counted as it happens. */
export interface HostMetricsParts {
  readonly host: Pick<HostPort, "watch" | "figures">;
  /** How many event streams are open. */
  readonly openStreams: () => number;
  /** How many deliveries to webhooks wait. */
  readonly waitingDeliveries: () => number;
}

/** The measurements of one server, in a registry of its own. Whoever makes it closes it. */
export class HostMetrics {
  readonly requests: RequestMetrics;
  readonly webhooks: WebhookMetrics;
  readonly #parts: HostMetricsParts;
  readonly #registry = new Registry();
  readonly #figures = new FigureMetrics(this.#registry);
  readonly #process = new ProcessMetrics(this.#registry);
  readonly #unwatch: () => void;

  constructor(parts: HostMetricsParts) {
    this.#parts = parts;
    this.requests = new RequestMetrics(this.#registry);
    this.webhooks = new WebhookMetrics(this.#registry);
    const turns = new TurnMetrics(this.#registry);
    this.#unwatch = parts.host.watch((event) => turns.count(event));
  }

  /** The content type of what `render` gives. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Takes a look at everything and writes it down (O8). */
  render(): Promise<string> {
    const { host, openStreams, waitingDeliveries } = this.#parts;
    this.#figures.show(host.figures());
    this.#process.show();
    this.requests.show(openStreams());
    this.webhooks.show(waitingDeliveries());
    return this.#registry.metrics();
  }

  close(): void {
    this.#unwatch();
    this.#process.close();
  }
}

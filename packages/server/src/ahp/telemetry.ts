// The metrics of the host as a channel without a state: a batch at once, then one every 10 s while somebody subscribes.
import type { HostMetrics } from "../metrics/host-metrics.ts";
import type { ClientSubscriptions } from "./client-subscriptions.ts";

/** Channel of the metrics. */
export const METRICS_URI = "ahp-otlp:/metrics";

const exportMs = 10_000;

export interface TelemetryParts {
  readonly metrics: Pick<HostMetrics, "collect">;
  readonly version: string;
  readonly report: (error: unknown) => void;
}

/** The telemetry of one server. `close` ends it. */
export class Telemetry {
  readonly #parts: TelemetryParts;
  readonly #subscribers = new Set<ClientSubscriptions>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: TelemetryParts) {
    this.#parts = parts;
  }

  /** Begins to export; false when it is another channel, or a version without telemetry. */
  subscribe(channel: string, subscriptions: ClientSubscriptions): boolean {
    if (!isTelemetry(channel, subscriptions)) return false;
    this.#subscribers.add(subscriptions);
    // The response comes first.
    setImmediate(() => this.#export([subscriptions]));
    this.#timer ??= setInterval(() => this.#export([...this.#subscribers]), exportMs).unref();
    return true;
  }

  unsubscribe(channel: string, subscriptions: ClientSubscriptions): void {
    if (channel === METRICS_URI) this.leave(subscriptions);
  }

  /** A connection is over. */
  leave(subscriptions: ClientSubscriptions): void {
    this.#subscribers.delete(subscriptions);
    if (this.#subscribers.size === 0) this.close();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#subscribers.clear();
  }

  #export(wanted: readonly ClientSubscriptions[]): void {
    const { metrics, version, report } = this.#parts;
    metrics
      .collect(version)
      .then((payload) => {
        const message = { method: "otlp/exportMetrics", params: { channel: METRICS_URI, payload } };
        for (const each of wanted) if (this.#subscribers.has(each)) each.send(message);
      })
      .catch(report);
  }
}

/** Whether a channel is one of telemetry, in a client's version. */
export function isTelemetry(channel: string, client: Pick<ClientSubscriptions, "dialect">): boolean {
  return channel === METRICS_URI && hasTelemetry(client);
}

/** Whether a client's version has telemetry: it came with 0.2. */
export function hasTelemetry({ dialect }: Pick<ClientSubscriptions, "dialect">): boolean {
  return dialect.name !== "v0_1";
}

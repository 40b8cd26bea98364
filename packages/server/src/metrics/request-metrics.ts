// Counts requests: what was asked for, how it was answered, and how long that took.
import type { ErrorCode } from "@holdfast/protocol";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

const durationBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120];

/** The requests to a server since its start. */
export class RequestMetrics {
  readonly #requests: Counter<"operation" | "status">;
  readonly #duration: Histogram<"operation">;
  readonly #authFailures: Counter<"code">;
  readonly #streams: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: "holdfast_http_requests_total",
      help: "Requests by operation and status.",
      labelNames: ["operation", "status"],
      registers,
    });
    this.#duration = new Histogram({
      name: "holdfast_http_request_duration_seconds",
      help: "How long requests took to be answered; for a stream, to begin.",
      labelNames: ["operation"],
      buckets: durationBuckets,
      registers,
    });
    this.#authFailures = new Counter({
      name: "holdfast_auth_failures_total",
      help: "Requests that were not let in, by why.",
      labelNames: ["code"],
      registers,
    });
    this.#streams = new Gauge({
      name: "holdfast_sse_streams_open",
      help: "Event streams that somebody reads.",
      registers,
    });
  }

  /** Counts an answer; `operation` is the name of a route, never what a caller wrote. */
  count(operation: string, status: number, durationMs: number): void {
    this.#requests.inc({ operation, status: String(status) });
    this.#duration.observe({ operation }, durationMs / 1000);
  }

  countAuthFailure(code: ErrorCode): void {
    this.#authFailures.inc({ code });
  }

  show(openStreams: number): void {
    this.#streams.set(openStreams);
  }
}

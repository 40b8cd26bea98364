// Metrics of one server in the Prometheus format: requests, host, turns and webhooks.
import type { HostEvent, HostStats } from "@holdfast/core";
import type { ErrorCode } from "@holdfast/protocol";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { HostPort } from "../host-port.ts";
import type { DeliveryOutcome } from "../webhook/webhook-lane.ts";
import { toOtlp } from "./otlp.ts";
import { ProcessMetrics } from "./process-metrics.ts";

type Stat = Exclude<keyof HostStats, "sessions">;

const gauges: readonly (readonly [stat: Stat, name: string, help: string])[] = [
  ["turnsRunning", "holdfast_turns_running", "Turns that run."],
  ["approvalsOpen", "holdfast_approvals_open", "Permission requests that wait for an answer."],
  ["agentsRunning", "holdfast_agents_running", "Processes of agents."],
  ["terminalsRunning", "holdfast_terminals_running", "Terminals whose command runs."],
  ["subscribers", "holdfast_subscribers", "Readers of channels."],
  ["lagEntries", "holdfast_reader_lag_entries", "How far the slowest reader of a channel is behind."],
];

const counters: readonly (readonly [stat: Stat, name: string, help: string])[] = [
  ["terminalBytes", "holdfast_terminal_bytes_total", "Bytes that terminals have written."],
  [
    "terminalSkippedBytes",
    "holdfast_terminal_skipped_bytes_total",
    "Bytes that were skipped for slow viewers.",
  ],
  [
    "survivorsEnded",
    "holdfast_survivors_ended_total",
    "Processes that outlived their command and were ended.",
  ],
];

const requestBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120];
/** From one word to an hour. */
const turnBuckets = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];

/** The states of a session's lifecycle; more may be added. */
const maxStates = 16;
/** More than the catalogue and the configuration have; bounds ids that nobody foresaw. */
const maxAgents = 64;

/** The measurements of one server, in its own registry. Its creator closes it. */
export class HostMetrics {
  readonly #host: Pick<HostPort, "stats">;
  readonly #registry = new Registry();
  readonly #process = new ProcessMetrics(this.#registry);
  readonly #unwatch: () => void;
  readonly #startedAt = new Date();

  readonly #requests = this.#counter("holdfast_http_requests_total", "Requests by operation and status.", [
    "operation",
    "status",
  ]);
  readonly #requestDuration = this.#histogram(
    "holdfast_http_request_duration_seconds",
    "Time until requests were answered; for a stream, until it began.",
    "operation",
    requestBuckets,
  );
  readonly #authFailures = this.#counter(
    "holdfast_auth_failures_total",
    "Requests that were rejected, by error code.",
    ["code"],
  );

  readonly #states = new BoundedLabel(maxStates);
  readonly #sessions = new Gauge({
    name: "holdfast_sessions",
    help: "Open sessions by the state of their agent.",
    labelNames: ["state"],
    registers: [this.#registry],
  });
  readonly #gauges = gauges.map(([stat, name, help]) => [stat, this.#gauge(name, help)] as const);
  readonly #counters = counters.map(([stat, name, help]) => [stat, this.#counter(name, help)] as const);

  readonly #agents = new BoundedLabel(maxAgents);
  readonly #turnsStarted = this.#counter("holdfast_turns_started_total", "Turns that began.", ["agent"]);
  readonly #turnsEnded = this.#counter("holdfast_turns_ended_total", "Turns that ended, by how.", [
    "agent",
    "state",
  ]);
  readonly #turnDuration = this.#histogram(
    "holdfast_turn_duration_seconds",
    "How long turns took.",
    "agent",
    turnBuckets,
  );

  readonly #deliveries = this.#counter(
    "holdfast_webhook_deliveries_total",
    "Deliveries by outcome: delivered, an attempt failed, given up, dropped from the dead letters.",
    ["outcome"],
  );
  readonly #sampled: readonly (readonly [gauge: Gauge, read: () => number])[];

  constructor(
    host: Pick<HostPort, "watch" | "stats">,
    read: { readonly openStreams: () => number; readonly waitingDeliveries: () => number },
  ) {
    this.#host = host;
    this.#sampled = [
      [this.#gauge("holdfast_sse_streams_open", "Event streams that somebody reads."), read.openStreams],
      [
        this.#gauge("holdfast_webhook_deliveries_waiting", "Deliveries that are still to be made."),
        read.waitingDeliveries,
      ],
    ];
    this.#unwatch = host.watch((event) => this.#countTurn(event));
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Counts a response; `operation` is the name of a route, never text of a caller. */
  countRequest(operation: string, status: number, durationMs: number): void {
    this.#requests.inc({ operation, status: String(status) });
    this.#requestDuration.observe({ operation }, durationMs / 1000);
  }

  countAuthFailure(code: ErrorCode): void {
    this.#authFailures.inc({ code });
  }

  countDelivery(outcome: DeliveryOutcome): void {
    this.#deliveries.inc({ outcome });
  }

  /** Samples everything and writes it out (O8). */
  render(): Promise<string> {
    this.#sample();
    return this.#registry.metrics();
  }

  /** Samples everything and gives it as OTLP (E815). */
  async collect(version: string): Promise<object> {
    this.#sample();
    const times = { startedAt: this.#startedAt, at: new Date() };
    return toOtlp(await this.#registry.getMetricsAsJSON(), times, version);
  }

  #sample(): void {
    this.#showHost(this.#host.stats());
    this.#process.show();
    for (const [gauge, read] of this.#sampled) gauge.set(read());
  }

  close(): void {
    this.#unwatch();
    this.#process.close();
  }

  #countTurn(event: HostEvent): void {
    const agent = this.#agents.of(event.agentId);
    if (event.type === "turn_started") this.#turnsStarted.inc({ agent });
    if (event.type !== "turn_done") return;
    this.#turnsEnded.inc({ agent, state: event.end.state });
    this.#turnDuration.observe({ agent }, event.durationMs / 1000);
  }

  #showHost(stats: HostStats): void {
    this.#sessions.reset();
    for (const [state, count] of Object.entries(stats.sessions)) {
      this.#sessions.inc({ state: this.#states.of(state) }, count);
    }
    for (const [stat, gauge] of this.#gauges) gauge.set(stats[stat]);
    for (const [stat, counter] of this.#counters) {
      counter.reset();
      counter.inc(stats[stat]);
    }
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.#registry] });
  }

  #counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, label: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, labelNames: [label], buckets, registers: [this.#registry] });
  }
}

/** Passes the first values of a label and replaces all later ones by `other`: each is a series for the process's lifetime. */
class BoundedLabel {
  readonly #limit: number;
  readonly #values = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  of(value: string): string {
    if (this.#values.has(value)) return value;
    if (this.#values.size >= this.#limit) return "other";
    this.#values.add(value);
    return value;
  }
}

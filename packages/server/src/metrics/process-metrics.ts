// Shows how the host's own process is: how late its loop is, and how much memory it takes.
import { monitorEventLoopDelay, type IntervalHistogram } from "node:perf_hooks";
import process from "node:process";
import { Gauge, type Registry } from "prom-client";

/** Coarse, since each look wakes the process even when it has nothing to do. */
const resolutionMs = 50;
const quantiles = [0.5, 0.99] as const;
const nanosecondsPerSecond = 1e9;

/** The process of the host. Whoever makes it closes it. */
export class ProcessMetrics {
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #delayGauge: Gauge<"quantile">;
  readonly #memoryGauge: Gauge<"kind">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#delayGauge = new Gauge({
      name: "holdfast_event_loop_delay_seconds",
      help: "How late the process came to what was due, since the last look.",
      labelNames: ["quantile"],
      registers,
    });
    this.#memoryGauge = new Gauge({
      name: "holdfast_process_memory_bytes",
      help: "Memory of the process: resident, heap in use, outside the heap.",
      labelNames: ["kind"],
      registers,
    });
    this.#delay.enable();
  }

  /** Takes a look at the process. */
  show(): void {
    for (const quantile of quantiles) {
      // What is measured is the time from one look to the next; what is beyond the interval is delay.
      const delayNs = this.#delay.percentile(quantile * 100) - resolutionMs * 1e6;
      this.#delayGauge.set({ quantile: String(quantile) }, Math.max(0, delayNs) / nanosecondsPerSecond);
    }
    this.#delay.reset();
    const { rss, heapUsed, external } = process.memoryUsage();
    this.#memoryGauge.set({ kind: "resident" }, rss);
    this.#memoryGauge.set({ kind: "heap" }, heapUsed);
    this.#memoryGauge.set({ kind: "external" }, external);
  }

  close(): void {
    this.#delay.disable();
  }
}

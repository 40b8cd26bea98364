// Metrics of the host's own process: the delay of its event loop, and its memory.
import { monitorEventLoopDelay, type IntervalHistogram } from "node:perf_hooks";
import process from "node:process";
import { Gauge, type Registry } from "prom-client";

/** Each sample wakes the process even when it has nothing to do, so samples are taken only while somebody looks. */
const resolutionMs = 50;
/** Longer than the time from one look to the next of what collects metrics; the delay before the first look is 0. */
const sampledForMs = 2 * 60_000;
const quantiles = [0.5, 0.99] as const;
const nanosecondsPerSecond = 1e9;

/** The process of the host. Its creator closes it. */
export class ProcessMetrics {
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #delayGauge: Gauge<"quantile">;
  readonly #memoryGauge: Gauge<"kind">;
  #endOfSampling: NodeJS.Timeout | undefined;

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
  }

  show(): void {
    for (const quantile of quantiles) {
      // The histogram has the time between two samples; the part beyond the interval is delay.
      const delayNs = this.#delay.percentile(quantile * 100) - resolutionMs * 1e6;
      this.#delayGauge.set({ quantile: String(quantile) }, Math.max(0, delayNs) / nanosecondsPerSecond);
    }
    this.#delay.reset();
    this.#sample();
    const { rss, heapUsed, external } = process.memoryUsage();
    this.#memoryGauge.set({ kind: "resident" }, rss);
    this.#memoryGauge.set({ kind: "heap" }, heapUsed);
    this.#memoryGauge.set({ kind: "external" }, external);
  }

  close(): void {
    clearTimeout(this.#endOfSampling);
    this.#delay.disable();
  }

  #sample(): void {
    this.#delay.enable();
    clearTimeout(this.#endOfSampling);
    this.#endOfSampling = setTimeout(() => this.#delay.disable(), sampledForMs).unref();
  }
}

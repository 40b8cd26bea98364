// Metrics as OTLP, compared with the Prometheus form of the same registry.
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, it } from "vitest";
import { toOtlp } from "./otlp.ts";

it("[E815] counters, gauges and histograms are OTLP sums, gauges and histograms", async () => {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: "turns_total", help: "Turns.", labelNames: ["agent"], registers }).inc(
    { agent: "a" },
    3,
  );
  new Gauge({ name: "sessions", help: "Sessions.", registers }).set(2);
  const durations = new Histogram({
    name: "duration_seconds",
    help: "Duration.",
    labelNames: ["agent"],
    buckets: [1, 5],
    registers,
  });
  for (const seconds of [0.5, 2, 3, 9]) durations.observe({ agent: "a" }, seconds);
  durations.observe({ agent: "b" }, 1);
  const times = { startedAt: new Date(1000), at: new Date(2000) };
  const agent = (name: string): object => ({ key: "agent", value: { stringValue: name } });
  const since = { startTimeUnixNano: "1000000000", timeUnixNano: "2000000000" };
  expect(toOtlp(await registry.getMetricsAsJSON(), times, "1.2.3")).toEqual({
    resourceMetrics: [
      {
        resource: {
          attributes: [
            { key: "service.name", value: { stringValue: "holdfast" } },
            { key: "service.version", value: { stringValue: "1.2.3" } },
          ],
        },
        scopeMetrics: [
          {
            scope: { name: "holdfast", version: "1.2.3" },
            metrics: [
              {
                name: "turns_total",
                description: "Turns.",
                sum: {
                  dataPoints: [{ attributes: [agent("a")], asDouble: 3, ...since }],
                  aggregationTemporality: 2,
                  isMonotonic: true,
                },
              },
              {
                name: "sessions",
                description: "Sessions.",
                gauge: { dataPoints: [{ attributes: [], asDouble: 2, timeUnixNano: "2000000000" }] },
              },
              {
                name: "duration_seconds",
                description: "Duration.",
                histogram: {
                  dataPoints: [
                    {
                      attributes: [agent("a")],
                      count: "4",
                      sum: 14.5,
                      explicitBounds: [1, 5],
                      bucketCounts: ["1", "2", "1"],
                      ...since,
                    },
                    {
                      attributes: [agent("b")],
                      count: "1",
                      sum: 1,
                      explicitBounds: [1, 5],
                      bucketCounts: ["1", "0", "0"],
                      ...since,
                    },
                  ],
                  aggregationTemporality: 2,
                },
              },
            ],
          },
        ],
      },
    ],
  });
});

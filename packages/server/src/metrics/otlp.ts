// Metrics as OTLP/JSON, the form of OpenTelemetry: the same measurements as `/metrics`.

/** A metric as the registry lists it; those of a histogram have the name of their series. */
export interface ListedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly ListedValue[];
}

interface ListedValue {
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly metricName?: string;
}

export interface OtlpTimes {
  /** When counting began. */
  readonly startedAt: Date;
  readonly at: Date;
}

/** From the start of counting, not since the last export. */
const cumulative = 2;

/** An `ExportMetricsServiceRequest`. */
export function toOtlp(metrics: readonly ListedMetric[], times: OtlpTimes, version: string): object {
  const attributes = attributesOf({ "service.name": "holdfast", "service.version": version });
  const scopeMetrics = [
    { scope: { name: "holdfast", version }, metrics: metrics.map((each) => showMetric(each, times)) },
  ];
  return { resourceMetrics: [{ resource: { attributes }, scopeMetrics }] };
}

function showMetric({ name, help, type, values }: ListedMetric, times: OtlpTimes): object {
  const described = { name, description: help };
  const since = { startTimeUnixNano: nanosecondsOf(times.startedAt), ...at(times) };
  switch (type) {
    case "counter": {
      const dataPoints = values.map((each) => ({ ...pointOf(each), ...since }));
      return { ...described, sum: { dataPoints, aggregationTemporality: cumulative, isMonotonic: true } };
    }
    case "histogram": {
      const dataPoints = seriesOf(values).map((series) => ({ ...showSeries(name, series), ...since }));
      return { ...described, histogram: { dataPoints, aggregationTemporality: cumulative } };
    }
    default:
      return {
        ...described,
        gauge: { dataPoints: values.map((each) => ({ ...pointOf(each), ...at(times) })) },
      };
  }
}

function pointOf({ value, labels }: ListedValue): object {
  return { attributes: attributesOf(labels), asDouble: value };
}

/** The values of a histogram that differ in the bound of their bucket alone. */
function seriesOf(values: readonly ListedValue[]): readonly (readonly ListedValue[])[] {
  const series = new Map<string, ListedValue[]>();
  for (const each of values) {
    const { le: _bound, ...labels } = each.labels;
    const key = JSON.stringify(labels);
    const known = series.get(key);
    if (known === undefined) series.set(key, [each]);
    else known.push(each);
  }
  return [...series.values()];
}

/** Prometheus counts everything up to a bound, OTLP what lies between two. */
function showSeries(name: string, series: readonly ListedValue[]): object {
  const valueOf = (suffix: string): number =>
    series.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0;
  const buckets = series.filter(({ metricName }) => metricName === `${name}_bucket`);
  const bounds = buckets.flatMap(({ labels }) => (typeof labels["le"] === "number" ? [labels["le"]] : []));
  const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
  const { le: _bound, ...labels } = series[0]?.labels ?? {};
  return {
    attributes: attributesOf(labels),
    count: String(valueOf("count")),
    sum: valueOf("sum"),
    explicitBounds: bounds,
    bucketCounts: counts.map(String),
  };
}

function attributesOf(labels: ListedValue["labels"]): object[] {
  return Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: String(value) } }));
}

function at(times: OtlpTimes): { readonly timeUnixNano: string } {
  return { timeUnixNano: nanosecondsOf(times.at) };
}

/** As a text: it has more digits than a number. */
function nanosecondsOf(time: Date): string {
  return `${time.getTime()}000000`;
}

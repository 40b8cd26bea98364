// Metrics of the host over the last minutes.
import type { ReactNode } from "react";
import { sizeWords } from "../frame/time-words.ts";
import { bytesPerSecond, type HostStats } from "./host-stats.ts";
import style from "./host-page.module.css";
import { useStats } from "./polling.ts";

export function Metrics(): ReactNode {
  const stats = useStats();
  const newest = stats.at(-1);
  if (newest === undefined) return <p className={style.hint}>Loading metrics…</p>;
  const rates = bytesPerSecond(stats);
  const counts = [
    { name: "Sessions", read: (sample: HostStats) => sample.sessions },
    { name: "Turns running", read: (sample: HostStats) => sample.turnsRunning },
    { name: "Terminals running", read: (sample: HostStats) => sample.terminalsRunning },
    { name: "Followed channels", read: (sample: HostStats) => sample.subscribers },
  ];
  return (
    <section className={style.charts} aria-label="Metrics">
      {counts.map(({ name, read }) => (
        <Sparkline key={name} name={name} values={stats.map(read)} words={String(read(newest))} />
      ))}
      <Sparkline name="Terminal output" values={rates} words={`${sizeWords(rates.at(-1) ?? 0)}/s`} />
      <Sparkline
        name="Loop delay (p99)"
        values={stats.map(({ loopDelayMs }) => loopDelayMs)}
        words={`${newest.loopDelayMs.toFixed(1)} ms`}
      />
      <Sparkline
        name="Memory"
        values={stats.map(({ memoryBytes }) => memoryBytes)}
        words={sizeWords(newest.memoryBytes)}
      />
    </section>
  );
}

interface SparklineProps {
  readonly name: string;
  readonly values: readonly number[];
  readonly words: string;
}

const width = 240;
const height = 48;

/** The chart; its scale begins at zero. */
function Sparkline({ name, values, words }: SparklineProps): ReactNode {
  const most = Math.max(...values, 1e-9);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(height - 2 - (value / most) * (height - 6)).toFixed(1)}`,
  );
  return (
    <figure className={style.chart}>
      <figcaption>
        {name} <strong>{words}</strong>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: ${words}`}
      >
        {points.length > 1 && (
          <>
            <polygon className={style.area} points={`0,${height} ${points.join(" ")} ${width},${height}`} />
            <polyline className={style.line} points={points.join(" ")} />
          </>
        )}
      </svg>
    </figure>
  );
}

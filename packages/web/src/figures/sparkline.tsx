// A small chart of the last minutes.
import type { ReactNode } from "react";
import style from "./host-page.module.css";

/** A row of values with its name and its newest value in words. */
export interface SparklineProps {
  readonly name: string;
  readonly values: readonly number[];
  readonly words: string;
}

const width = 240;
const height = 48;

/** The chart; its scale begins at zero. */
export function Sparkline({ name, values, words }: SparklineProps): ReactNode {
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

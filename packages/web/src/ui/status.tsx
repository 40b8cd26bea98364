// States in one vocabulary: running, needs you, idle, failed, closed.
import type { ReactNode } from "react";
import style from "./status.module.css";

export type WorkState = "running" | "needs-you" | "idle" | "failed" | "closed";

export const stateLabels: Readonly<Record<WorkState, string>> = {
  running: "Running",
  "needs-you": "Needs you",
  idle: "Idle",
  failed: "Failed",
  closed: "Closed",
};

export interface StatusDotProps {
  readonly state: WorkState;
  /** The name for screen readers; hidden where words stand beside the dot. */
  readonly isNamed?: boolean;
}

/** A dot; it moves while something runs. Forms differ as well as colours. */
export function StatusDot({ state, isNamed = false }: StatusDotProps): ReactNode {
  const name = isNamed
    ? ({ role: "img", "aria-label": stateLabels[state] } as const)
    : { "aria-hidden": true };
  return <span className={style.dot} data-state={state} {...name} />;
}

export interface BadgeProps {
  readonly tone?: "plain" | "accent" | "attention" | "good" | "bad";
  readonly children: ReactNode;
  readonly title?: string | undefined;
}

/** A short word or a number beside something. */
export function Badge({ tone = "plain", title, children }: BadgeProps): ReactNode {
  return (
    <span className={style.badge} data-tone={tone} title={title}>
      {children}
    </span>
  );
}

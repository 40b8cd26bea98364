// The limits in force in a session.
import { limitWords, type LimitInForce } from "@holdfast/ahp";
import type { ReactNode } from "react";
import style from "./session-header.module.css";

export function SessionLimits({
  limits = [],
}: {
  readonly limits?: readonly LimitInForce[] | undefined;
}): ReactNode {
  if (limits.length === 0) return null;
  return <p className={style.limits}>Limits: {limits.map(inForceWords).join(" · ")}</p>;
}

/** Says where a limit holds less than its name promises. */
export function inForceWords(limit: LimitInForce): string {
  if (limit.by === "none") return `${limitWords(limit)}, not enforced on this machine`;
  return limit.by === "rlimit" ? `${limitWords(limit)} in each process` : limitWords(limit);
}

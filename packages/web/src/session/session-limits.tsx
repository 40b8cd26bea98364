// The limits in force in a session.
import type { LimitInForce } from "@holdfast/ahp";
import type { ReactNode } from "react";
import { inForceWords } from "./limit-words.ts";
import style from "./session-header.module.css";

interface SessionLimitsProps {
  readonly limits?: readonly LimitInForce[] | undefined;
}

export function SessionLimits({ limits = [] }: SessionLimitsProps): ReactNode {
  if (limits.length === 0) return null;
  return <p className={style.limits}>Limits: {limits.map(inForceWords).join(" · ")}</p>;
}

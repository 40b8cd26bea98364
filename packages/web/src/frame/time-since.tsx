// Time since something began, counted while it is shown.
import type { ReactNode } from "react";
import { secondsWords, useNow } from "./time-words.ts";

/** Whole seconds; a screen reader does not announce each of them. */
export function TimeSince({ startedAt }: { readonly startedAt: string }): ReactNode {
  const nowMs = useNow(1000);
  return (
    <time dateTime={startedAt} aria-live="off">
      {secondsWords(nowMs - Date.parse(startedAt))}
    </time>
  );
}

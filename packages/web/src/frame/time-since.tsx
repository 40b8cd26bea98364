// How long something has been going on, counted while it is shown.
import type { ReactNode } from "react";
import { secondsWords } from "./time-words.ts";
import { useNow } from "./use-now.ts";

/** Whole seconds; a screen reader is not told of each. */
export function TimeSince({ startedAt }: { readonly startedAt: string }): ReactNode {
  const nowMs = useNow(1000);
  return (
    <time dateTime={startedAt} aria-live="off">
      {secondsWords(nowMs - Date.parse(startedAt))}
    </time>
  );
}

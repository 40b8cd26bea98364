// The time, for words such as "5 min ago".
import { useEffect, useState } from "react";

/** The time in milliseconds, anew every so often while it is asked to be. */
export function useNow(everyMs: number, isRunning = true): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isRunning]);
  return nowMs;
}

// Looks at the host again and again, while somebody looks at the page.
import { useEffect } from "react";

/** Calls `look` now and every so often; it must be the same function as long as it looks for the same. */
export function useLooking(everyMs: number, look: (signal: AbortSignal) => Promise<void>): void {
  useEffect(() => {
    const stop = new AbortController();
    const tryToLook = (): void => {
      // The connection's own badge says that the host does not answer; the next look may find it again.
      look(stop.signal).catch(() => undefined);
    };
    tryToLook();
    const timer = setInterval(tryToLook, everyMs);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [everyMs, look]);
}

// Polling of the host while the page is looked at.
import { useCallback, useEffect, useState } from "react";
import { hostFetch } from "../host/host-fetch.ts";
import { type HostStats, readStats } from "./host-stats.ts";

/** A value read from the newest response, which is JSON; undefined until the first one. */
export function useRepeatedly<Answer>(
  address: string,
  everyMs: number,
  read: (answer: unknown) => Answer,
): Answer | undefined {
  const [answer, setAnswer] = useState<Answer>();
  const look = useCallback(
    async (signal: AbortSignal) => {
      const found = read(await (await hostFetch(address, signal)).json());
      setAnswer(() => found);
    },
    [address, read],
  );
  useLooking(everyMs, look);
  return answer;
}

/** Calls `look` now and every so often; it must be the same function as long as it looks for the same. */
function useLooking(everyMs: number, look: (signal: AbortSignal) => Promise<void>): void {
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

const everyMs = 2000;
const kept = 90;

/** The stats of the last minutes, oldest first. */
export function useStats(): readonly HostStats[] {
  const [stats, setStats] = useState<readonly HostStats[]>([]);
  const look = useCallback(async (signal: AbortSignal) => {
    const text = await (await hostFetch("/metrics", signal)).text();
    setStats((before) => [...before, readStats(text, Date.now())].slice(-kept));
  }, []);
  useLooking(everyMs, look);
  return stats;
}

// Asks the host the same thing again and again, while somebody looks.
import { useEffect, useState } from "react";
import { hostFetch } from "../host/host-fetch.ts";

/** What is read from the newest answer, which is JSON; undefined until the first one. */
export function useRepeatedly<Answer>(
  address: string,
  everyMs: number,
  read: (answer: unknown) => Answer,
): Answer | undefined {
  const [answer, setAnswer] = useState<Answer>();
  useEffect(() => {
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      try {
        const found = read(await (await hostFetch(address, stop.signal)).json());
        setAnswer(() => found);
      } catch {
        // The connection's own badge says that the host does not answer; the next look may find it again.
      }
    };
    void look();
    const timer = setInterval(() => void look(), everyMs);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [address, everyMs, read]);
  return answer;
}

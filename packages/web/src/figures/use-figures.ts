// Follows what the host measures of itself, while somebody looks.
import { useEffect, useState } from "react";
import { hostFetch } from "../host/host-fetch.ts";
import { readFigures, type HostFigures } from "./host-figures.ts";

const everyMs = 2000;
const kept = 90;

/** The figures of the last minutes, oldest first. */
export function useFigures(): readonly HostFigures[] {
  const [figures, setFigures] = useState<readonly HostFigures[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      try {
        const text = await (await hostFetch("/metrics", stop.signal)).text();
        setFigures((before) => [...before, readFigures(text, Date.now())].slice(-kept));
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
  }, []);
  return figures;
}

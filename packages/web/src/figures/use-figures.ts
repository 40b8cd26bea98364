// Follows what the host measures of itself, while somebody looks.
import { useCallback, useState } from "react";
import { hostFetch } from "../host/host-fetch.ts";
import { readFigures, type HostFigures } from "./host-figures.ts";
import { useLooking } from "./use-looking.ts";

const everyMs = 2000;
const kept = 90;

/** The figures of the last minutes, oldest first. */
export function useFigures(): readonly HostFigures[] {
  const [figures, setFigures] = useState<readonly HostFigures[]>([]);
  const look = useCallback(async (signal: AbortSignal) => {
    const text = await (await hostFetch("/metrics", signal)).text();
    setFigures((before) => [...before, readFigures(text, Date.now())].slice(-kept));
  }, []);
  useLooking(everyMs, look);
  return figures;
}

// Asks the host the same thing again and again, while somebody looks.
import { useCallback, useState } from "react";
import { hostFetch } from "../host/host-fetch.ts";
import { useLooking } from "./use-looking.ts";

/** What is read from the newest answer, which is JSON; undefined until the first one. */
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

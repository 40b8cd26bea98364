// Finds out whether the host is there and only does not know this page any more.
import { useEffect, useState } from "react";
import type { ClientStatus } from "@holdfast/ahp/client";

/** Whether the host refuses this page; a browser does not tell why a WebSocket was not opened. */
export function useSignInLost(status: ClientStatus): boolean {
  const [isLost, setIsLost] = useState(false);
  const attempt = status.status === "waiting" ? status.attempt : -1;
  const isConnected = status.status === "connected";
  useEffect(() => {
    if (isConnected) setIsLost(false);
    if (attempt < 0) return undefined;
    const asking = new AbortController();
    fetch("/sdk/ping", { headers: { "x-holdfast-page": "1" }, signal: asking.signal }).then(
      ({ status: answer }) => setIsLost(answer === 401),
      // Nobody answers at all: that is another matter.
      () => undefined,
    );
    return () => asking.abort();
  }, [attempt, isConnected]);
  return isLost;
}

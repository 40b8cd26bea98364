// Tells a session that this page looks at it, so that others see who is here.
import { useEffect } from "react";
import type { SessionState } from "@holdfast/ahp";
import { browserName } from "../host/browser-name.ts";
import { useConnection, useHost } from "../host/use-host.ts";

/** Announces the page in a session while it is shown, again after each new connection. */
export function usePresence({ resource, lifecycle }: SessionState): void {
  const host = useHost();
  const { status } = useConnection();
  const connected = status.status === "connected" ? status : undefined;
  const isOver = lifecycle.status === "closed";
  useEffect(() => {
    if (connected === undefined || isOver) return undefined;
    const session = host.channel(resource, "session");
    const client = { clientId: host.clientId, displayName: browserName(), tools: [] };
    // Who is here is a courtesy: whether it could be told changes nothing for the person at the page.
    void session.dispatch({ type: "session/activeClientSet", client });
    return () => void session.dispatch({ type: "session/activeClientRemoved", clientId: host.clientId });
  }, [host, resource, connected, isOver]);
}

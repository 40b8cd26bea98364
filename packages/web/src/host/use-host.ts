// How components reach the host and what is followed of it.
import { createContext, useContext, useMemo, useSyncExternalStore } from "react";
import { ROOT_URI, type ChannelKind, type RootState, type TerminalUri } from "@holdfast/ahp";
import type { TerminalStream } from "../terminal/terminal-stream.ts";
import type { ChannelView } from "./channel-store.ts";
import type { ConnectionView, HostConnection } from "./host-connection.ts";

/** The connection, for all components below. */
export const HostContext = createContext<HostConnection | undefined>(undefined);

export function useHost(): HostConnection {
  const host = useContext(HostContext);
  if (host === undefined) throw new Error("A component that needs the host stands outside of its context.");
  return host;
}

export function useConnection(): ConnectionView {
  const host = useHost();
  return useSyncExternalStore(host.listen, host.view);
}

/** Whether the host gets what is sent now. */
export function useIsReachable(): boolean {
  const host = useHost();
  return useSyncExternalStore(host.listen, host.isReachable);
}

/** A channel, followed while the component is there. */
export function useChannel<Kind extends ChannelKind>(uri: string, kind: Kind): ChannelView<Kind> {
  const host = useHost();
  const store = useMemo(() => host.channel(uri, kind), [host, uri, kind]);
  return useSyncExternalStore(store.listen, store.view);
}

/** The root's state, once it is there. */
export function useRoot(): RootState | undefined {
  const view = useChannel(ROOT_URI, "root");
  return view.status === "live" ? view.state : undefined;
}

/** A terminal, followed while the component is there. */
export function useTerminal(uri: TerminalUri): {
  readonly stream: TerminalStream;
  readonly view: ChannelView<"terminal">;
} {
  const host = useHost();
  const stream = useMemo(() => host.terminal(uri), [host, uri]);
  return { stream, view: useSyncExternalStore(stream.listen, stream.view) };
}

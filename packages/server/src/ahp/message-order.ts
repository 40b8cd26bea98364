// In which order the messages of a client are handled: one after another where one depends on another.

/** Actions on one channel are taken in their order; and no state is told while another one is on its way. */
export function orderOf(method: string, params: unknown): string | undefined {
  switch (method) {
    case "initialize":
    case "reconnect":
    case "subscribe":
    case "unsubscribe":
      return "subscriptions";
    case "dispatchAction":
      return `actions ${channelOf(params)}`;
    default:
      return undefined;
  }
}

function channelOf(params: unknown): string {
  const { channel, action } = (params ?? {}) as { readonly channel?: unknown; readonly action?: unknown };
  const { session, terminal } = (action ?? {}) as { readonly session?: unknown; readonly terminal?: unknown };
  return [channel, session, terminal].find((uri) => typeof uri === "string") ?? "";
}

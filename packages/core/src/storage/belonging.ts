// Which session a channel belongs to, and so is purged with.
import { type Action, makeId, parseChannelUri, type SessionUri } from "@holdfast/ahp";
import type { KindedState } from "../channel/channel.ts";

/** That a channel belongs to a session, or to none. */
export interface Belonging {
  readonly channel: string;
  readonly session: SessionUri | undefined;
}

/** The session that a new channel belongs to. A chat with a URI of its own belongs to none until a session names it. */
export function initialSession({ kind, state }: KindedState): SessionUri | undefined {
  switch (kind) {
    case "root":
      return undefined;
    case "session":
      return state.resource;
    case "chat": {
      const address = parseChannelUri(state.resource);
      return address?.kind === "default-chat" ? address.session : undefined;
    }
    case "terminal":
      return state.claim.kind === "session" ? state.claim.session : undefined;
  }
}

/** What an action on a channel says about belonging: a terminal that a person takes over is the session's no more. */
export function changedBelonging(channel: string, action: Action): Belonging | undefined {
  if (action.type === "session/chatAdded") {
    return { channel: action.chat.resource, session: makeId("session URI", channel) };
  }
  if (action.type !== "terminal/claimed") return undefined;
  const { claim } = action;
  return { channel, session: claim.kind === "session" ? claim.session : undefined };
}

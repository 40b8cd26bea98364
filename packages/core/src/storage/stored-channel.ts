// Stored state of a channel: its owner, its next state, and how it is read back.
import {
  type Action,
  type ChannelActions,
  type ChannelKind,
  type Checked,
  type SessionUri,
  channelModels,
  makeId,
  parseChannelUri,
  reduceChat,
  reduceRoot,
  reduceSession,
  reduceTerminal,
} from "@holdfast/ahp";
import type { StateByKind } from "../channel/channel.ts";

/** The link of a channel to a session, or to none. */
export interface ChannelOwner {
  readonly channel: string;
  readonly session: SessionUri | undefined;
}

/** The session that a new channel belongs to. A chat with a client's URI belongs to none until a session names it. */
export function initialSession({ kind, state }: StateByKind): SessionUri | undefined {
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

/** The owner of a channel after an action: a terminal that a person takes over leaves its session. */
export function changedOwner(channel: string, action: Action): ChannelOwner | undefined {
  if (action.type === "session/chatAdded") {
    return { channel: action.chat.resource, session: makeId("session URI", channel) };
  }
  if (action.type !== "terminal/claimed") return undefined;
  const { claim } = action;
  return { channel, session: claim.kind === "session" ? claim.session : undefined };
}

/** The state after an action; the same object when nothing changes or the action is of another kind. */
export function reduceByKind(channel: StateByKind, action: Action): StateByKind {
  switch (channel.kind) {
    case "root": {
      if (!isActionOf("root", action)) return channel;
      const state = reduceRoot(channel.state, action);
      return state === channel.state ? channel : { kind: "root", state };
    }
    case "session": {
      if (!isActionOf("session", action)) return channel;
      const state = reduceSession(channel.state, action);
      return state === channel.state ? channel : { kind: "session", state };
    }
    case "chat": {
      if (!isActionOf("chat", action)) return channel;
      const state = reduceChat(channel.state, action);
      return state === channel.state ? channel : { kind: "chat", state };
    }
    case "terminal": {
      if (!isActionOf("terminal", action)) return channel;
      const state = reduceTerminal(channel.state, action);
      return state === channel.state ? channel : { kind: "terminal", state };
    }
  }
}

/** A value that was written down, as a state of its kind. */
export function checkByKind(kind: ChannelKind, value: unknown): Checked<StateByKind> {
  switch (kind) {
    case "root":
      return withKind(channelModels.root.checkState(value), (state) => ({ kind, state }));
    case "session":
      return withKind(channelModels.session.checkState(value), (state) => ({ kind, state }));
    case "chat":
      return withKind(channelModels.chat.checkState(value), (state) => ({ kind, state }));
    case "terminal":
      return withKind(channelModels.terminal.checkState(value), (state) => ({ kind, state }));
  }
}

function withKind<State>(
  checked: Checked<State>,
  build: (state: State) => StateByKind,
): Checked<StateByKind> {
  return checked.ok ? { ok: true, value: build(checked.value) } : checked;
}

function isActionOf<Kind extends ChannelKind>(kind: Kind, action: Action): action is ChannelActions[Kind] {
  return action.type.startsWith(`${kind}/`);
}

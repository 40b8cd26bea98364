// Finds the channel that a client means, in memory or not, and what a snapshot of it says.
import {
  defaultChatUri,
  makeId,
  ROOT_URI,
  type ChannelKind,
  type ChatState,
  type SessionState,
} from "@holdfast/ahp";
import type { Hub } from "@holdfast/core";
import type { Dialect, StateByKind, ShownChannel, WireSnapshot } from "@holdfast/ahp/dialects";
import type { AhpPort } from "../host-port.ts";

/** A channel that was found: a live one, or a stored one whose session is over. */
export type Found = { readonly uri: string; readonly kind: ChannelKind } & (
  | { readonly isLive: true }
  | { readonly isLive: false; readonly channel: StateByKind }
);

const kinds: readonly ChannelKind[] = ["root", "session", "chat", "terminal"];

export class Channels {
  readonly #port: AhpPort;

  constructor(port: AhpPort) {
    this.#port = port;
  }

  get hub(): Hub {
    return this.#port.hub;
  }

  /** The channel of a URI as a client writes it; terminals are made ready to be looked at. */
  async find(dialect: Dialect, written: string): Promise<Found | undefined> {
    const { terminals } = this.#port;
    const now = this.findNow(dialect, written);
    if (now !== undefined && now.kind !== "terminal") return now;
    // A running terminal may have a screen to draw for clients that join late.
    if (now !== undefined) return (await terminals.load(now.uri)) ? this.#look(now.uri) : undefined;
    if (await terminals.load(written)) return this.#look(written);
    // A URI that the host made has another name in older dialects.
    const own = dialect.readUri(written, (uri) => uri !== written);
    return own !== written && (await terminals.load(own)) ? this.#look(own) : undefined;
  }

  /** The same, without waiting: among what is in memory and what is kept of sessions. */
  findNow(dialect: Dialect, written: string): Found | undefined {
    return this.#look(dialect.readUri(written, (uri) => this.#look(uri) !== undefined));
  }

  /** The state of an open channel. */
  state({ uri, kind }: Found): StateByKind | undefined {
    const state = this.hub.state(uri, kind);
    // The compiler does not see that the two belong together for every kind.
    return state && ({ kind, state } as StateByKind);
  }

  /** A snapshot of any channel but a live terminal; `turns` limits the number of turns in it. */
  snapshot(dialect: Dialect, found: Found, turns?: number): WireSnapshot | undefined {
    const channel = found.isLive ? this.state(found) : found.channel;
    if (channel === undefined) return undefined;
    const shown = this.#shown(channel, turns);
    return shown && dialect.showSnapshot(found.uri, this.hub.lastSeq, shown);
  }

  /** The chat of a URI, in memory or kept. */
  chat(uri: string): ChatState | undefined {
    const found = this.#look(uri);
    const channel = found?.isLive === true ? this.state(found) : found?.channel;
    return channel?.kind === "chat" ? channel.state : undefined;
  }

  #shown(channel: StateByKind, turns: number | undefined): ShownChannel | undefined {
    switch (channel.kind) {
      case "root":
        return channel;
      case "session":
        return { ...channel, chat: withLastTurns(this.chat(chatOf(channel.state)), turns) };
      case "chat":
        return { kind: channel.kind, state: withLastTurns(channel.state, turns) };
      case "terminal":
        return undefined;
    }
  }

  #look(uri: string): Found | undefined {
    const { hub, sessions } = this.#port;
    if (!hub.has(uri)) {
      const found = sessions.find(uri);
      if (found?.kind === "kept") {
        return { uri, kind: found.channel.kind, isLive: false, channel: found.channel };
      }
    }
    const kind = uri === ROOT_URI ? "root" : kinds.find((each) => hub.state(uri, each) !== undefined);
    return kind && { uri, kind, isLive: true };
  }
}

function chatOf({ resource, defaultChat }: SessionState): string {
  return defaultChat ?? defaultChatUri(makeId("session URI", resource));
}

/** The newest turns; the oldest of them names the place from which earlier ones are fetched. */
function withLastTurns<Chat extends ChatState | undefined>(chat: Chat, count: number | undefined): Chat {
  if (chat === undefined || count === undefined || chat.turns.length <= count) return chat;
  const turns = count === 0 ? [] : chat.turns.slice(-count);
  const cursor = turns[0]?.id ?? END_OF_TURNS;
  return { ...chat, turns, turnsNextCursor: cursor };
}

/** The place after all turns. */
export const END_OF_TURNS = "end";

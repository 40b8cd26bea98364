// All channels that the client follows, and the numbers by which it and the host find each other again.
import type { ChannelActions, ChannelKind } from "../model/channel.ts";
import type { HoldfastEnvelope, HoldfastSnapshot } from "../dialects/holdfast.ts";
import { ClientError } from "./client-error.ts";
import type { PendingAction } from "./mirror.ts";
import { Subscription, type DispatchOutcome, type FollowedChannel } from "./subscription.ts";

export interface OutgoingAction extends PendingAction<object> {
  readonly channel: string;
}

export class FollowedChannels {
  readonly #clientId: string;
  readonly #maxPendingActions: number;
  readonly #channels = new Map<string, FollowedChannel>();
  /** The actions that have been on a wire: whether the host saw them is not known. */
  readonly #sent = new Set<number>();
  #lastSeenSeq = 0;
  #lastClientSeq = 0;

  constructor(clientId: string, maxPendingActions: number) {
    this.#clientId = clientId;
    this.#maxPendingActions = maxPendingActions;
  }

  /** The highest number that the host has sent, on any channel. */
  get lastSeenSeq(): number {
    return this.#lastSeenSeq;
  }

  /** The channels that have a state, with the last number of each. */
  get seen(): ReadonlyMap<string, number> {
    const live = [...this.#channels.values()].filter(({ isLive }) => isLive);
    return new Map(live.map(({ uri, seq }) => [uri, seq]));
  }

  /** The channels whose state has not arrived yet. */
  get unseen(): readonly string[] {
    return [...this.#channels.values()].filter(({ isLive }) => !isLive).map(({ uri }) => uri);
  }

  /** Whether a channel is followed. */
  has(uri: string): boolean {
    return this.#channels.has(uri);
  }

  /** The channel of that URI; a new one is to be asked for. */
  follow<Kind extends ChannelKind>(
    uri: string,
    kind: Kind,
  ): { subscription: Subscription<Kind>; isNew: boolean } {
    const found = this.#channels.get(uri);
    if (found) {
      if (!isOfKind(found, kind)) throw new ClientError("malformed", `${uri} is a ${found.kind}.`);
      return { subscription: found, isNew: false };
    }
    const subscription = new Subscription(uri, kind);
    this.#channels.set(uri, subscription);
    return { subscription, isNew: true };
  }

  /** Takes a state of the host. */
  takeSnapshot(snapshot: HoldfastSnapshot): void {
    this.#lastSeenSeq = Math.max(this.#lastSeenSeq, snapshot.fromSeq);
    this.#channels.get(snapshot.resource)?.takeSnapshot(snapshot);
  }

  /** Takes an action that the host sent. A refusal has no number. */
  takeAction(envelope: HoldfastEnvelope): void {
    const { channel, serverSeq, origin, rejectionReason, isUnchanged } = envelope;
    const ownSeq = origin?.clientId === this.#clientId ? origin.clientSeq : undefined;
    if (rejectionReason === undefined && !isUnchanged) {
      this.#lastSeenSeq = Math.max(this.#lastSeenSeq, serverSeq);
    }
    if (ownSeq !== undefined) this.#sent.delete(ownSeq);
    this.#channels.get(channel)?.take(envelope, ownSeq);
  }

  /** Applies an action of the client; `send` is called unless the limit is reached or the channel is gone. */
  dispatch<Kind extends ChannelKind>(
    subscription: Subscription<Kind>,
    action: ChannelActions[Kind],
    send: (outgoing: OutgoingAction) => void,
  ): Promise<DispatchOutcome> {
    const isFollowed = this.#channels.get(subscription.uri) === subscription;
    if (!isFollowed || subscription.pending().length >= this.#maxPendingActions) {
      return Promise.resolve({ status: "lost" });
    }
    this.#lastClientSeq += 1;
    const clientSeq = this.#lastClientSeq;
    const outcome = subscription.add(clientSeq, action);
    send({ channel: subscription.uri, clientSeq, action });
    return outcome;
  }

  /** Remembers that an action was on a wire. */
  markSent(clientSeq: number): void {
    this.#sent.add(clientSeq);
  }

  /**
   * Messages to send on a new connection, in order. A host that remembers the client does nothing twice;
   * to one that does not, only what was never sent is sent, and the rest is lost (E44).
   */
  unanswered(isRemembered: boolean): readonly OutgoingAction[] {
    const outgoing: OutgoingAction[] = [];
    for (const channel of this.#channels.values()) {
      for (const { clientSeq, action } of channel.pending()) {
        if (isRemembered || !this.#sent.has(clientSeq)) {
          outgoing.push({ channel: channel.uri, clientSeq, action });
          continue;
        }
        this.#sent.delete(clientSeq);
        channel.lose(clientSeq);
      }
    }
    return outgoing.toSorted((one, other) => one.clientSeq - other.clientSeq);
  }

  /** Stops following a channel. */
  drop(uri: string, cause?: unknown): void {
    const channel = this.#channels.get(uri);
    if (!channel) return;
    this.#channels.delete(uri);
    for (const { clientSeq } of channel.pending()) this.#sent.delete(clientSeq);
    channel.end(cause);
  }

  /** Stops following everything. */
  dropAll(cause: unknown): void {
    for (const uri of this.#channels.keys()) this.drop(uri, cause);
  }
}

function isOfKind<Kind extends ChannelKind>(
  channel: FollowedChannel,
  kind: Kind,
): channel is Subscription<Kind> {
  return channel.kind === kind;
}

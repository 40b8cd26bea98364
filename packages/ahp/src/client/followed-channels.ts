// All channels that the client follows, and the numbers by which it and the host find each other again.
import { RpcError } from "@holdfast/jsonrpc";
import type { Action, ChannelActions, ChannelKind, ChannelStates } from "../model/channel.ts";
import type { HoldfastEnvelope, HoldfastSnapshot } from "../dialects/holdfast.ts";
import { ClientError, closedError } from "./client-error.ts";
import type { Link } from "./link.ts";
import type { PendingAction } from "./mirror.ts";
import {
  Subscription,
  type ChannelListener,
  type DispatchOutcome,
  type FollowedChannel,
} from "./subscription.ts";

/** A channel in the hands of one viewer. */
export interface ChannelHandle<Kind extends ChannelKind> {
  readonly uri: string;
  /** The state with the client's own actions in it, at once. */
  readonly state: ChannelStates[Kind];
  /** The state that the host has confirmed. */
  readonly confirmed: ChannelStates[Kind];
  /** Applies an action at once and sends it; the promise resolves with the host's decision and never rejects. */
  dispatch(action: ChannelActions[Kind], options?: DispatchOptions): Promise<DispatchOutcome>;
  /** Asks for its state again, and follows it from there; of use where a channel that was over is open again. */
  refresh(): Promise<void>;
  /** Looks away; with the last viewer the client stops following. */
  close(): void;
}

/** How an action is dispatched. */
export interface DispatchOptions {
  /** Whether the state shows the action only when the host has confirmed it. */
  readonly isHidden?: boolean;
}

interface OutgoingAction extends PendingAction<Action> {
  readonly channel: FollowedChannel;
}

/** A host's knowledge of actions that were sent before. */
interface HostMemory {
  /** Whether it knows what this client did. */
  readonly isRemembered: boolean;
  /** Whether it types input with a key once, also when an earlier host got it. */
  readonly keysInput: boolean;
}

export class FollowedChannels {
  readonly #clientId: string;
  readonly #maxPendingActions: number;
  readonly #channels = new Map<string, FollowedChannel>();
  /** Names the input of this client, and of no other that may have the same id later. */
  readonly #writer = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join(
    "",
  );
  /** The actions that have been on a wire, where the host may have seen them; `keyed` ones can be sent again. */
  readonly #sent = new Map<number, "once" | "keyed">();
  #keysInput = false;
  #lastSeenSeq = 0;
  #lastClientSeq = 0;
  #link: Link | undefined;

  constructor(clientId: string, maxPendingActions: number) {
    this.#clientId = clientId;
    this.#maxPendingActions = maxPendingActions;
  }

  /** The link that they are followed on; undefined without a connection. */
  get link(): Link | undefined {
    return this.#link;
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

  /** Follows a channel from its state on, for one viewer; rejects when the host has no such channel. */
  async subscribe<Kind extends ChannelKind>(
    uri: string,
    kind: Kind,
    onEvent: ChannelListener<Kind>,
  ): Promise<ChannelHandle<Kind>> {
    const { subscription, isNew } = this.#follow(uri, kind);
    subscription.listen(onEvent);
    if (isNew && this.#link) void this.#ask(this.#link, uri);
    await whenLive(subscription);
    return this.#handle(subscription, onEvent);
  }

  /** Continues on a new link: sends the actions that wait, in order. */
  connect(link: Link, memory: HostMemory): void {
    this.#keysInput = memory.keysInput;
    for (const outgoing of this.#unanswered(memory)) this.#send(link, outgoing);
    this.#link = link;
  }

  /** The link is lost; actions wait for the next one. */
  disconnect(): void {
    this.#link = undefined;
  }

  /** Asks for the states that have not arrived yet. */
  askForUnseen(): void {
    const link = this.#link;
    if (!link) return;
    const unseen = [...this.#channels.values()].filter(({ isLive }) => !isLive);
    for (const { uri } of unseen) void this.#ask(link, uri);
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

  /** The channel of that URI; a new one is to be asked for. */
  #follow<Kind extends ChannelKind>(
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

  #handle<Kind extends ChannelKind>(
    subscription: Subscription<Kind>,
    onEvent: ChannelListener<Kind>,
  ): ChannelHandle<Kind> {
    const { uri } = subscription;
    return {
      uri,
      get state() {
        return subscription.mirror.state;
      },
      get confirmed() {
        return subscription.mirror.confirmed;
      },
      dispatch: (action, options) => this.#dispatch(subscription, action, options),
      refresh: async () => {
        if (this.#link) await this.#ask(this.#link, uri);
      },
      close: () => {
        subscription.unlisten(onEvent);
        if (subscription.hasListeners || !this.#channels.has(uri)) return;
        this.drop(uri);
        this.#link?.notify("unsubscribe", { channel: uri });
      },
    };
  }

  /** Asks for a channel's state; if the connection is lost meanwhile, the next one asks again. */
  async #ask(link: Link, uri: string): Promise<void> {
    try {
      const { snapshot } = await link.request("subscribe", { channel: uri });
      if (!snapshot) throw new ClientError("malformed", `${uri} has no state.`);
      this.takeSnapshot(snapshot);
    } catch (error) {
      const isRefused = error instanceof RpcError || error instanceof ClientError;
      if (isRefused) this.drop(uri, error);
    }
  }

  /** Applies an action of the client, and sends it unless the limit is reached or the channel is gone. */
  #dispatch<Kind extends ChannelKind>(
    subscription: Subscription<Kind>,
    action: ChannelActions[Kind],
    { isHidden = false }: DispatchOptions = {},
  ): Promise<DispatchOutcome> {
    const isFollowed = this.#channels.get(subscription.uri) === subscription;
    if (!isFollowed || subscription.pending().length >= this.#maxPendingActions) {
      return Promise.resolve({ status: "lost" });
    }
    this.#lastClientSeq += 1;
    const clientSeq = this.#lastClientSeq;
    const outcome = subscription.add({ clientSeq, action, isHidden });
    if (this.#link) this.#send(this.#link, { channel: subscription, clientSeq, action });
    return outcome;
  }

  #send(link: Link, { channel, clientSeq, action }: OutgoingAction): void {
    const isKeyed = this.#keysInput && action.type === "terminal/input" && channel.isTty;
    const key = { writer: this.#writer, number: clientSeq };
    this.#sent.set(clientSeq, isKeyed ? "keyed" : "once");
    link.notify("dispatchAction", {
      channel: channel.uri,
      clientSeq,
      action: isKeyed ? { ...action, key } : action,
    });
  }

  /**
   * Messages to send on a new connection, in order. A host that remembers the client does nothing twice; to one that
   * does not, only keyed input and what was never sent is sent, and the rest is lost (E44).
   */
  #unanswered({ isRemembered, keysInput }: HostMemory): readonly OutgoingAction[] {
    const outgoing: OutgoingAction[] = [];
    for (const channel of this.#channels.values()) {
      for (const { clientSeq, action } of channel.pending()) {
        const sent = this.#sent.get(clientSeq);
        if (isRemembered || sent === undefined || (sent === "keyed" && keysInput)) {
          outgoing.push({ channel, clientSeq, action });
          continue;
        }
        this.#sent.delete(clientSeq);
        channel.lose(clientSeq);
      }
    }
    return outgoing.toSorted((one, other) => one.clientSeq - other.clientSeq);
  }
}

function isOfKind<Kind extends ChannelKind>(
  channel: FollowedChannel,
  kind: Kind,
): channel is Subscription<Kind> {
  return channel.kind === kind;
}

/** Resolves with the first state of a channel; rejects when there is none. */
function whenLive<Kind extends ChannelKind>(subscription: Subscription<Kind>): Promise<void> {
  if (subscription.isLive) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const listener: ChannelListener<Kind> = ({ type }) => {
      if (type === "gone") reject(closedError(subscription.refusal));
      else resolve();
      subscription.unlisten(listener);
    };
    subscription.listen(listener);
  });
}

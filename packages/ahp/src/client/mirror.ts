// A channel as the client has it: what the host confirmed, and on top what the client did and the host has not seen yet.
import type { ChannelActions, ChannelKind, ChannelModel, ChannelStates } from "../model/channel.ts";

/** An action of the client that the host has not answered. */
export interface PendingAction<Action> {
  readonly clientSeq: number;
  readonly action: Action;
  /** Whether the state shows it only when the host has confirmed it. */
  readonly isHidden?: boolean;
}

/** An action that the host sent on this channel. */
interface ReceivedAction<Action> {
  readonly action: Action;
  readonly serverSeq: number;
  /** The client's own number for it, when it is the client's own. */
  readonly ownSeq?: number | undefined;
  readonly rejectionReason?: string | undefined;
  /** Whether the host says that the client's own action changed nothing. */
  readonly isUnchanged?: boolean | undefined;
}

type MirrorOutcome =
  /** It is part of the confirmed state now; `confirms` says that it was the client's own. */
  | { readonly kind: "applied"; readonly confirms: boolean }
  /** The client's own action was accepted and changed nothing, or is in the snapshot already. */
  | { readonly kind: "acknowledged" }
  | { readonly kind: "rejected"; readonly reason: string }
  /** It was there before. */
  | { readonly kind: "duplicate" };

export class Mirror<Kind extends ChannelKind> {
  readonly #model: ChannelModel<Kind>;
  #confirmed: ChannelStates[Kind];
  #shown: ChannelStates[Kind];
  #seq: number;
  #pending: readonly PendingAction<ChannelActions[Kind]>[] = [];

  constructor(model: ChannelModel<Kind>, state: ChannelStates[Kind], seq: number) {
    this.#model = model;
    this.#confirmed = state;
    this.#shown = state;
    this.#seq = seq;
  }

  /** The state to show: with the client's own actions in it, whether or not the host has seen them, except hidden ones. */
  get state(): ChannelStates[Kind] {
    return this.#shown;
  }

  /** The state that the host has confirmed. */
  get confirmed(): ChannelStates[Kind] {
    return this.#confirmed;
  }

  /** The number of the last action in the confirmed state. */
  get seq(): number {
    return this.#seq;
  }

  /** Actions that wait for the host's response, in order. */
  get pending(): readonly PendingAction<ChannelActions[Kind]>[] {
    return this.#pending;
  }

  /** Applies an action of the client at once, unless it is hidden. */
  add(pending: PendingAction<ChannelActions[Kind]>): void {
    this.#pending = [...this.#pending, pending];
    if (pending.isHidden !== true) this.#shown = this.#model.reduce(this.#shown, pending.action);
  }

  /** Forgets an action of the client that will not be answered any more. */
  forget(clientSeq: number): boolean {
    const left = this.#pending.filter((pending) => pending.clientSeq !== clientSeq);
    if (left.length === this.#pending.length) return false;
    this.#pending = left;
    this.#rebase();
    return true;
  }

  /** Starts again from a state of the host; pending actions stay on top of it. */
  restart(state: ChannelStates[Kind], seq: number): void {
    this.#confirmed = state;
    this.#seq = seq;
    this.#rebase();
  }

  /** Takes an action that the host sent, once, however often it arrives (E42). */
  take(received: ReceivedAction<ChannelActions[Kind]>): MirrorOutcome {
    const { action, serverSeq, ownSeq, rejectionReason, isUnchanged = false } = received;
    const isOwn = ownSeq !== undefined && this.#pending.some(({ clientSeq }) => clientSeq === ownSeq);
    if (rejectionReason !== undefined) {
      if (isOwn) this.forget(ownSeq);
      return isOwn ? { kind: "rejected", reason: rejectionReason } : { kind: "duplicate" };
    }
    if (isUnchanged || serverSeq <= this.#seq) {
      if (isOwn) this.forget(ownSeq);
      return { kind: isOwn ? "acknowledged" : "duplicate" };
    }
    this.#seq = serverSeq;
    this.#confirmed = this.#model.reduce(this.#confirmed, action);
    if (isOwn) this.#pending = this.#pending.filter(({ clientSeq }) => clientSeq !== ownSeq);
    this.#rebase();
    return { kind: "applied", confirms: isOwn };
  }

  /** Puts what is pending on top of what is confirmed; mostly nothing is. */
  #rebase(): void {
    this.#shown = this.#pending.reduce(
      (state, { action, isHidden }) => (isHidden === true ? state : this.#model.reduce(state, action)),
      this.#confirmed,
    );
  }
}

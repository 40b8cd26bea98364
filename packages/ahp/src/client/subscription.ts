// One channel that the client follows, for all in the program who want to see it.
import {
  channelModels,
  type Action,
  type ChannelActions,
  type ChannelKind,
  type ChannelModel,
  type ChannelStates,
} from "../model/channel.ts";
import type { TerminalPart } from "../dialects/ahp/terminal.ts";
import type { HoldfastEnvelope, HoldfastSnapshot } from "../dialects/holdfast.ts";
import { ClientError } from "./client-error.ts";
import { Mirror, type PendingAction } from "./mirror.ts";

/** Outcome of an action of the client. */
export type DispatchOutcome =
  | { readonly status: "confirmed"; readonly serverSeq: number }
  | { readonly status: "rejected"; readonly reason: string }
  /** The connection or the channel went away before the host answered; nobody knows whether it was applied. */
  | { readonly status: "lost" };

/** An event for the viewers of a channel. */
export type ChannelEvent<Kind extends ChannelKind> =
  /** The state as a whole, at first and whenever the host could not say what happened meanwhile. */
  | {
      readonly type: "snapshot";
      readonly state: ChannelStates[Kind];
      /** A terminal's content; output continues from there. */
      readonly content?: readonly TerminalPart[];
    }
  /** An action that the host confirmed; `state` has it, and on top whatever is still pending. */
  | {
      readonly type: "action";
      readonly action: ChannelActions[Kind];
      readonly state: ChannelStates[Kind];
      readonly isOwn: boolean;
    }
  /** The client's own actions on top of the state have changed: one was added, rejected or lost. */
  | { readonly type: "rebased"; readonly state: ChannelStates[Kind] }
  /** The channel is no more; nothing else will come. */
  | { readonly type: "gone" };

/** A listener to everything on one channel. */
export type ChannelListener<Kind extends ChannelKind> = (event: ChannelEvent<Kind>) => void;

/** How many actions may arrive before the snapshot that they follow. */
const MAX_EARLY_ACTIONS = 1024;

/** A followed channel of any kind. */
export interface FollowedChannel {
  readonly uri: string;
  readonly kind: ChannelKind;
  readonly isLive: boolean;
  readonly seq: number;
  /** Whether it is a terminal with a screen. */
  readonly isTty: boolean;
  pending(): readonly PendingAction<Action>[];
  lose(clientSeq: number): void;
  takeSnapshot(snapshot: HoldfastSnapshot): void;
  take(envelope: HoldfastEnvelope, ownSeq: number | undefined): void;
  end(cause?: unknown): void;
}

/** A channel on its way to the host, or live. */
export class Subscription<Kind extends ChannelKind> implements FollowedChannel {
  readonly uri: string;
  readonly kind: Kind;
  readonly #model: ChannelModel<Kind>;
  readonly #listeners = new Set<ChannelListener<Kind>>();
  readonly #outcomes = new Map<number, (outcome: DispatchOutcome) => void>();
  #mirror: Mirror<Kind> | undefined;
  #refusal: unknown;
  #early: HoldfastEnvelope[] = [];

  constructor(uri: string, kind: Kind) {
    this.uri = uri;
    this.kind = kind;
    this.#model = channelModels[kind];
  }

  /** Whether there is a state to show. */
  get isLive(): boolean {
    return this.#mirror !== undefined;
  }

  /** The number of the last action in its state. */
  get seq(): number {
    return this.#mirror?.seq ?? 0;
  }

  get isTty(): boolean {
    const state: object = this.#mirror?.state ?? {};
    return this.kind === "terminal" && "run" in state && state.run === "tty";
  }

  /** Why the channel is gone, where there is more to say. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /** The channel's two states. */
  get mirror(): Mirror<Kind> {
    if (!this.#mirror) throw new ClientError("not-connected", `There is no state of ${this.uri} yet.`);
    return this.#mirror;
  }

  /** Whether anybody looks. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Adds a viewer, and shows it the state if there is one. */
  listen(listener: ChannelListener<Kind>): void {
    this.#listeners.add(listener);
    if (this.#mirror) listener({ type: "snapshot", state: this.#mirror.state });
  }

  /** Takes a viewer away. */
  unlisten(listener: ChannelListener<Kind>): void {
    this.#listeners.delete(listener);
  }

  /** Applies an action of the client; the promise resolves with its outcome and never rejects. */
  add(pending: PendingAction<ChannelActions[Kind]>): Promise<DispatchOutcome> {
    const { clientSeq } = pending;
    this.mirror.add(pending);
    const outcome = new Promise<DispatchOutcome>((resolve) => {
      this.#outcomes.set(clientSeq, resolve);
    });
    this.#emit({ type: "rebased", state: this.mirror.state });
    return outcome;
  }

  /** The actions that the host has not answered. */
  pending(): readonly PendingAction<ChannelActions[Kind]>[] {
    return this.#mirror?.pending ?? [];
  }

  /** Gives up on an action whose answer will not come. */
  lose(clientSeq: number): void {
    if (this.#mirror?.forget(clientSeq)) this.#emit({ type: "rebased", state: this.#mirror.state });
    this.#settle(clientSeq, { status: "lost" });
  }

  /** Starts, or starts again, from a state of the host. */
  takeSnapshot({ state, fromSeq, content }: HoldfastSnapshot): void {
    const checked = this.#model.checkState(state);
    if (!checked.ok) {
      throw new ClientError("malformed", `The state of ${this.uri} is malformed: ${checked.problem}`);
    }
    if (this.#mirror) this.#mirror.restart(checked.value, fromSeq);
    else this.#mirror = new Mirror(this.#model, checked.value, fromSeq);
    this.#emit({ type: "snapshot", state: this.#mirror.state, ...(content && { content }) });
    const early = this.#early;
    this.#early = [];
    for (const envelope of early) this.take(envelope, undefined);
  }

  /** Takes an action that the host sent; `ownSeq` is the client's number for it, if it is the client's own. */
  take(envelope: HoldfastEnvelope, ownSeq: number | undefined): void {
    const mirror = this.#mirror;
    if (!mirror) {
      this.#keepEarly(envelope);
      return;
    }
    const checked = this.#model.checkAction(envelope.action);
    if (!checked.ok) {
      throw new ClientError("malformed", `An action on ${this.uri} is malformed: ${checked.problem}`);
    }
    const action = checked.value;
    const { serverSeq, rejectionReason, isUnchanged } = envelope;
    const outcome = mirror.take({ action, serverSeq, ownSeq, rejectionReason, isUnchanged });
    switch (outcome.kind) {
      case "applied":
        this.#emit({ type: "action", action, state: mirror.state, isOwn: outcome.confirms });
        break;
      case "acknowledged":
      case "rejected":
        this.#emit({ type: "rebased", state: mirror.state });
        break;
      case "duplicate":
        return;
    }
    if (ownSeq === undefined) return;
    this.#settle(
      ownSeq,
      outcome.kind === "rejected"
        ? { status: "rejected", reason: outcome.reason }
        : { status: "confirmed", serverSeq },
    );
  }

  /** The channel is no more. */
  end(cause?: unknown): void {
    this.#refusal = cause;
    for (const clientSeq of this.#outcomes.keys()) this.#settle(clientSeq, { status: "lost" });
    this.#emit({ type: "gone" });
    this.#listeners.clear();
  }

  #keepEarly(envelope: HoldfastEnvelope): void {
    if (this.#early.length >= MAX_EARLY_ACTIONS) {
      throw new ClientError("malformed", `The host sends actions of ${this.uri} without its state.`);
    }
    this.#early.push(envelope);
  }

  #settle(clientSeq: number, outcome: DispatchOutcome): void {
    this.#outcomes.get(clientSeq)?.(outcome);
    this.#outcomes.delete(clientSeq);
  }

  #emit(event: ChannelEvent<Kind>): void {
    // A listener that is added by another one is shown the state instead.
    const listeners = [...this.#listeners];
    for (const listener of listeners) listener(event);
  }
}

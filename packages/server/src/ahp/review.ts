// Channels about the review of a session's work, which have no separate log: found, followed, and dispatched to.
import type { ClientDispatch, Dialect, WireSnapshot } from "@holdfast/ahp/dialects";
import type { Submission, SubmittedBy } from "@holdfast/core";
import type { AhpPort } from "../host-port.ts";
import { Annotations } from "./annotations.ts";
import { Changesets } from "./changesets.ts";
import type { ClientSubscriptions } from "./client-subscriptions.ts";

/** A channel whose state has been read. */
export interface ReadChannel {
  /** Follows it from now on; returns the state. */
  follow(subscriptions: ClientSubscriptions): WireSnapshot;
}

/** The submission that an action on such a channel stands for, or why it is none. */
export type ReviewDispatch =
  | { readonly submit: (by: SubmittedBy) => Submission | Promise<Submission> }
  | { readonly reason: string };

/** The client that asks for a channel. */
export interface Asker {
  readonly dialect: Dialect;
  readonly submitter: SubmittedBy;
}

/** All such channels of one server. `close` ends them. */
export class Reviews {
  readonly changesets: Changesets;
  readonly #annotations: Annotations;

  constructor(port: AhpPort, report: (error: unknown) => void) {
    this.changesets = new Changesets(port, report);
    this.#annotations = new Annotations(port);
  }

  /** Reads the state of a channel; undefined when it is none of these. */
  read(channel: string, asker: Asker): Promise<ReadChannel> | undefined {
    return this.changesets.read(channel, asker) ?? this.#annotations.read(channel, asker);
  }

  /** Reads those of some channels that are of this kind; one that is gone is left out. */
  async readAll(channels: readonly string[], asker: Asker): Promise<ReadonlyMap<string, ReadChannel>> {
    const found = new Map<string, ReadChannel>();
    for (const channel of channels) {
      // Its session may be closed by now.
      const read = await this.read(channel, asker)?.catch(() => undefined);
      if (read !== undefined) found.set(channel, read);
    }
    return found;
  }

  /** Translates a dispatch; undefined when its channel is none of these. */
  translate(dispatch: ClientDispatch, asker: Asker): ReviewDispatch | undefined {
    return this.changesets.translate(dispatch, asker) ?? this.#annotations.translate(dispatch, asker);
  }

  /** How many of these channels a client follows. */
  countOf(subscriptions: ClientSubscriptions): number {
    return this.changesets.countOf(subscriptions) + this.#annotations.countOf(subscriptions);
  }

  /** Whether the entry of an action comes back to its author over the channel that it was dispatched on. */
  echoes(channel: string, subscriptions: ClientSubscriptions): boolean {
    return this.#annotations.isFollowing(channel, subscriptions);
  }

  unsubscribe(channel: string, subscriptions: ClientSubscriptions): void {
    this.changesets.unsubscribe(channel, subscriptions);
    this.#annotations.unsubscribe(channel, subscriptions);
  }

  /** A connection is over. */
  leave(subscriptions: ClientSubscriptions): void {
    this.changesets.leave(subscriptions);
    this.#annotations.leave(subscriptions);
  }

  close(): void {
    this.changesets.close();
    this.#annotations.close();
  }
}

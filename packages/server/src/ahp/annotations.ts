// Annotations as channels: what the log of a session says about them, in the words of AHP.
import {
  type ClientDispatch,
  type Dialect,
  type WireSnapshot,
  parseAnnotationsUri,
  readAnnotationAction,
  showAnnotationAction,
  showAnnotations,
  wireSeq,
  wireSeqAfter,
} from "@holdfast/ahp/dialects";
import { type LogEntry, type LogReader, accepted } from "@holdfast/core";
import { HostError } from "@holdfast/protocol";
import type { AhpPort } from "../host-port.ts";
import type { ClientSubscriptions } from "./client-subscriptions.ts";
import type { Asker, ReadChannel, ReviewDispatch } from "./review.ts";

/** The annotations channels of one server. `close` ends them. */
export class Annotations {
  readonly #port: AhpPort;
  /** The readers of sessions' logs, by channel. */
  readonly #readers = new Map<ClientSubscriptions, Map<string, LogReader>>();

  constructor(port: AhpPort) {
    this.#port = port;
  }

  /** Undefined when this is no such channel, or the dialect has none; rejects when there is no such session. */
  read(channel: string, { dialect }: Asker): Promise<ReadChannel> | undefined {
    const session = sessionOf(channel, dialect);
    if (session === undefined) return undefined;
    if (this.#port.sessions.find(session)?.kind !== "live") {
      return Promise.reject(new HostError("ACP_SESSION_NOT_FOUND"));
    }
    return Promise.resolve({
      follow: (subscriptions) => this.#follow(channel, session, subscriptions),
    });
  }

  /** How many a client follows. */
  countOf(subscriptions: ClientSubscriptions): number {
    return this.#readers.get(subscriptions)?.size ?? 0;
  }

  isFollowing(channel: string, subscriptions: ClientSubscriptions): boolean {
    return this.#readers.get(subscriptions)?.has(channel) === true;
  }

  translate({ channel, action }: ClientDispatch, { dialect }: Asker): ReviewDispatch | undefined {
    const session = sessionOf(channel, dialect);
    const state = session === undefined ? undefined : this.#port.hub.state(session, "session");
    if (session === undefined || state === undefined) return undefined;
    const read = readAnnotationAction(action, state.annotations);
    if (!read.ok) return { reason: read.problem };
    const change = read.value;
    if (change === "nothing") return { submit: () => accepted() };
    return { submit: (by) => this.#port.submit(session, change, by) };
  }

  unsubscribe(channel: string, subscriptions: ClientSubscriptions): void {
    const readers = this.#readers.get(subscriptions);
    readers?.get(channel)?.close();
    readers?.delete(channel);
    if (readers?.size === 0) this.#readers.delete(subscriptions);
  }

  leave(subscriptions: ClientSubscriptions): void {
    for (const channel of this.#readers.get(subscriptions)?.keys() ?? []) {
      this.unsubscribe(channel, subscriptions);
    }
  }

  close(): void {
    for (const subscriptions of this.#readers.keys()) this.leave(subscriptions);
  }

  /** State and place in the log are fixed in one step. */
  #follow(channel: string, session: string, subscriptions: ClientSubscriptions): WireSnapshot {
    this.unsubscribe(channel, subscriptions);
    const { snapshot, cursor } = this.#port.hub.subscribe(session, () =>
      this.#deliver(channel, subscriptions),
    );
    const readers = this.#readers.get(subscriptions) ?? new Map<string, LogReader>();
    this.#readers.set(subscriptions, readers.set(channel, cursor));
    return {
      resource: channel,
      state: showAnnotations(snapshot.kind === "session" ? snapshot.state : {}),
      fromSeq: wireSeqAfter(subscriptions.dialect, this.#port.hub.lastSeq),
    };
  }

  #deliver(channel: string, subscriptions: ClientSubscriptions): void {
    const reader = this.#readers.get(subscriptions)?.get(channel);
    if (reader === undefined) return;
    for (let next = reader.peek(); typeof next !== "string"; next = reader.peek()) {
      reader.take();
      this.#send(channel, subscriptions, next);
    }
    // It fell too far behind, which no client does that reads at all: its next reconnect brings the state.
    if (reader.peek() !== "nothing") this.unsubscribe(channel, subscriptions);
  }

  #send(channel: string, subscriptions: ClientSubscriptions, { action, origin }: LogEntry): void {
    const shown = showAnnotationAction(action);
    if (shown === undefined) return;
    const serverSeq = wireSeq(subscriptions.dialect, this.#port.hub.takeSeq(), 0);
    const params = { channel, action: shown, serverSeq, ...(origin !== undefined && { origin }) };
    subscriptions.send({ method: "action", params });
  }
}

function sessionOf(channel: string, { changesets }: Dialect): string | undefined {
  return changesets === "none" ? undefined : parseAnnotationsUri(channel);
}

// What a client that has introduced itself has on one connection: its subscriptions, and what is delivered for them.
import type { LogEntry, TerminalSubscription } from "@holdfast/core";
import type { Dialect, WireMessage, WireSnapshot } from "@holdfast/ahp/dialects";
import type { AhpPort } from "../host-port.ts";
import type { WrittenEntry } from "./channel-view.ts";
import type { ChannelViews } from "./channel-views.ts";
import type { Channels, Found } from "./channels.ts";
import type { ClientRecord, LeftBehind } from "./client-record.ts";
import { Delivery } from "./delivery.ts";
import { Feed, NOWHERE } from "./feed.ts";
import type { Outlet } from "./outlet.ts";

/** What a conversation is made from. */
export interface ConversationParts {
  readonly port: AhpPort;
  readonly channels: Channels;
  readonly views: ChannelViews;
  readonly record: ClientRecord;
  readonly outlet: Outlet;
  readonly onWritten: (entry: LogEntry, written: WrittenEntry) => void;
  readonly onLeft: (uri: string) => void;
  readonly onOverflow: () => void;
}

/** How a channel is followed. */
export interface SubscribeOptions {
  readonly maxLatencyMs?: number | undefined;
  readonly turns?: number | undefined;
}

/** Where a client that is back wants to go on. */
export interface ResumePoint {
  /** The entry after which its log is read again. */
  readonly afterSeq: number;
  /** Whether it may lack something that no log tells. */
  readonly hasHole: boolean;
}

/** One client on one connection. */
export class Conversation {
  readonly record: ClientRecord;
  readonly delivery: Delivery;
  readonly #parts: ConversationParts;
  /** How long a terminal's output may be held back for this client. */
  readonly #latencies = new Map<string, number>();

  constructor(parts: ConversationParts) {
    const { port, record } = parts;
    this.#parts = parts;
    this.record = record;
    this.delivery = new Delivery({
      ...parts,
      hub: port.hub,
      terminals: port.terminals,
      dialect: record.dialect,
      openTerminal: (uri, onReadable) => this.#openTerminal(uri, onReadable),
      resumeTerminal: (uri, afterSeq, onReadable) =>
        port.terminals.resume(uri, afterSeq, this.#viewer(uri, onReadable)),
      onClosed: ({ uri, view }) => {
        this.#latencies.delete(uri);
        parts.views.giveBack(view);
      },
    });
  }

  get dialect(): Dialect {
    return this.record.dialect;
  }

  /** How many channels are followed. */
  get size(): number {
    return this.delivery.feeds.length;
  }

  /**
   * Follows a channel from its state on: state, number and place in the log are fixed in one step (E71).
   * Undefined when this dialect has no such channel, or when it went away meanwhile.
   */
  subscribe(found: Found, { maxLatencyMs, turns }: SubscribeOptions = {}): WireSnapshot | undefined {
    const { channels, port } = this.#parts;
    // What is pending comes before the state that is told now: its numbers are lower.
    this.delivery.flush();
    const uris = this.dialect.channelsOf(found.uri, found.kind);
    if (!found.isLive || uris.length === 0) {
      return uris.length === 0 ? undefined : channels.snapshot(this.dialect, found, turns);
    }
    if (found.kind === "terminal") {
      if (maxLatencyMs !== undefined) this.#latencies.set(found.uri, maxLatencyMs);
      return this.#subscribeTerminal(found.uri);
    }
    for (const uri of uris) {
      // A chat that rests is brought into memory by looking for it.
      const isThere = port.hub.has(uri) || port.sessions.find(uri)?.kind === "live";
      if (!isThere || this.delivery.feed(uri) !== undefined) continue;
      const { cursor } = port.hub.subscribe(uri, this.#waker(uri));
      const kind = uri === found.uri ? found.kind : "chat";
      this.delivery.add(new Feed(kind, this.#view(uri), cursor));
    }
    return channels.snapshot(this.dialect, found, turns);
  }

  /** Stops following a channel. */
  unsubscribe(found: Found): void {
    for (const uri of this.dialect.channelsOf(found.uri, found.kind)) this.#drop(uri);
  }

  /** Goes on with a channel where the client stopped; false when only its state can stand for what came since. */
  resume(found: Found, pointOf: (uri: string) => ResumePoint): boolean {
    if (!found.isLive) return true;
    const { hub, sessions } = this.#parts.port;
    return this.dialect.channelsOf(found.uri, found.kind).every((uri) => {
      const point = pointOf(uri);
      if (found.kind === "terminal") return this.#resumeTerminal(uri, point);
      if (!hub.has(uri) && sessions.find(uri)?.kind !== "live") return true;
      const cursor = hub.resume(uri, point.afterSeq, this.#waker(uri));
      if (cursor === undefined) return false;
      this.delivery.add(new Feed(uri === found.uri ? found.kind : "chat", this.#view(uri), cursor));
      return true;
    });
  }

  /** Follows nothing any more. */
  unsubscribeAll(): void {
    for (const { uri } of this.delivery.feeds) this.#drop(uri);
  }

  /** Sends messages that this client alone is told. */
  tell(messages: readonly WireMessage[]): void {
    this.delivery.tell(messages);
  }

  /** Ends; what is needed to take the conversation up again is handed over. */
  leave(): LeftBehind {
    const views = this.delivery.feeds.map(({ view }) => view);
    const wholeSince = this.delivery.wholeSince();
    this.delivery.close();
    return { views, wholeSince };
  }

  #subscribeTerminal(uri: string): WireSnapshot | undefined {
    const opened = this.#openTerminal(uri, this.#waker(uri));
    if (opened === undefined) return undefined;
    this.#drop(uri, { keepLatency: true });
    const { snapshot, cursor } = opened;
    const feed = new Feed("terminal", this.#view(uri), cursor);
    feed.toldOffset = snapshot.state.output.endOffset;
    this.delivery.add(feed);
    const { state, content, seq } = snapshot;
    return this.dialect.showSnapshot(uri, seq, { kind: "terminal", state, content });
  }

  /** A terminal whose log does not tell what came since is caught up after all others (E84). */
  #resumeTerminal(uri: string, { afterSeq, hasHole }: ResumePoint): boolean {
    const viewer = this.#viewer(uri, this.#waker(uri));
    const cursor = hasHole ? undefined : this.#parts.port.terminals.resume(uri, afterSeq, viewer);
    const feed = new Feed("terminal", this.#view(uri), cursor ?? NOWHERE);
    feed.toldOffset = this.#parts.port.hub.state(uri, "terminal")?.output.endOffset ?? 0;
    this.delivery.add(feed, { left: cursor === undefined });
    return true;
  }

  #openTerminal(uri: string, onReadable: () => void): TerminalSubscription | undefined {
    return this.#parts.port.terminals.subscribe(uri, this.#viewer(uri, onReadable));
  }

  #viewer(uri: string, onReadable: () => void): Parameters<AhpPort["terminals"]["subscribe"]>[1] {
    return { onReadable, clientId: this.record.clientId, maxLatencyMs: this.#latencies.get(uri) };
  }

  /** Made here, where nothing else is in scope: a cursor keeps all that is, and through it all connections before (E116). */
  #waker(uri: string): () => void {
    const { delivery } = this;
    return () => delivery.wake(uri);
  }

  #view(uri: string): Feed["view"] {
    return this.#parts.views.take(this.dialect, uri);
  }

  #drop(uri: string, { keepLatency = false }: { readonly keepLatency?: boolean } = {}): void {
    const feed = this.delivery.remove(uri);
    if (feed !== undefined) this.#parts.views.giveBack(feed.view);
    if (!keepLatency) this.#latencies.delete(uri);
  }
}

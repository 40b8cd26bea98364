// Subscriptions of an initialized client on one connection, and the delivery of their messages.
import type { Dialect, WireMessage, WireSnapshot } from "@holdfast/ahp/dialects";
import type { LogEntry, TerminalSubscription } from "@holdfast/core";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import type { AhpPort } from "../host-port.ts";
import type { ChannelViews, WrittenEntry } from "./channel-view.ts";
import type { Channels, Found } from "./channels.ts";
import type { ClientRecord, LeftBehind } from "./client-record.ts";
import { Delivery } from "./delivery.ts";
import { ChannelSource } from "./channel-source.ts";
import type { SocketWriter } from "../socket/socket-writer.ts";

export interface ClientSubscriptionsParts {
  readonly port: AhpPort;
  readonly channels: Channels;
  readonly views: ChannelViews;
  readonly record: ClientRecord;
  readonly socket: SocketWriter;
  readonly onWritten: (entry: LogEntry, written: WrittenEntry) => void;
  readonly onLeft: (uri: string) => void;
  readonly onOverflow: () => void;
}

export interface SubscribeOptions {
  readonly maxLatencyMs?: number | undefined;
  readonly turns?: number | undefined;
}

/** Where a returning client resumes. */
export interface ResumePoint {
  /** The entry after which its log is read again. */
  readonly afterSeq: number;
  /** Whether it may lack something that is in no log. */
  readonly hasHole: boolean;
}

/** One client on one connection. */
export class ClientSubscriptions {
  readonly record: ClientRecord;
  readonly delivery: Delivery;
  readonly #parts: ClientSubscriptionsParts;
  /** How long a terminal's output may be held back for this client. */
  readonly #latencies = new Map<string, number>();
  #isOver = false;

  constructor(parts: ClientSubscriptionsParts) {
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

  get size(): number {
    return this.delivery.feeds.length;
  }

  /** Throws when the connection is over: nothing would ever end what is followed from then on (E116). */
  requireOpen(): void {
    if (this.#isOver) throw new RpcError(ErrorCode.invalidRequest, "The connection is closed.");
  }

  /**
   * Follows a channel from its state on: state, number and place in the log are fixed in one step.
   * Undefined when this dialect has no such channel, or when it went away meanwhile.
   */
  subscribe(found: Found, options: SubscribeOptions = {}): WireSnapshot | undefined {
    const snapshot = this.#subscribe(found, options);
    if (snapshot !== undefined) this.delivery.noteSnapshot(snapshot.fromSeq);
    return snapshot;
  }

  #subscribe(found: Found, { maxLatencyMs, turns }: SubscribeOptions): WireSnapshot | undefined {
    const { channels, port } = this.#parts;
    // Pending entries come before the state that is sent now: their numbers are lower.
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
      this.delivery.add(new ChannelSource(kind, this.#view(uri), cursor));
    }
    return channels.snapshot(this.dialect, found, turns);
  }

  unsubscribe(found: Found): void {
    for (const uri of this.dialect.channelsOf(found.uri, found.kind)) this.#drop(uri);
  }

  /** Resumes a channel where the client stopped; false when only its state can replace the entries since then. */
  resume(found: Found, pointOf: (uri: string) => ResumePoint): boolean {
    const { hub, sessions } = this.#parts.port;
    return this.dialect.channelsOf(found.uri, found.kind).every((uri) => {
      const point = pointOf(uri);
      if (found.kind === "terminal") return this.#resumeTerminal(uri, point);
      // An unloaded chat is brought into memory by looking for it.
      const unloaded = hub.has(uri) ? undefined : sessions.find(uri);
      // A closed channel has no log any more (E850).
      if (unloaded?.kind === "kept") return point.afterSeq >= unloaded.seq;
      if (!hub.has(uri)) return true;
      const cursor = hub.resume(uri, point.afterSeq, this.#waker(uri));
      if (cursor === undefined) return false;
      this.delivery.add(new ChannelSource(uri === found.uri ? found.kind : "chat", this.#view(uri), cursor));
      return true;
    });
  }

  unsubscribeAll(): void {
    for (const { uri } of this.delivery.feeds) this.#drop(uri);
  }

  /** Sends a message that no log keeps to this client alone, when there is capacity (E852). */
  send(message: WireMessage): void {
    this.delivery.send(message);
  }

  /** Ends; returns what a reconnecting client needs. */
  leave(): LeftBehind {
    this.#isOver = true;
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
    const source = new ChannelSource("terminal", this.#view(uri), cursor);
    source.sentOffset = snapshot.state.output.endOffset;
    this.delivery.add(source);
    const { state, content, seq } = snapshot;
    return this.dialect.showSnapshot(uri, seq, { kind: "terminal", state, content });
  }

  /** A terminal whose log lacks what came since is caught up after all others (E84). */
  #resumeTerminal(uri: string, { afterSeq, hasHole }: ResumePoint): boolean {
    const viewer = this.#viewer(uri, this.#waker(uri));
    const cursor = hasHole ? undefined : this.#parts.port.terminals.resume(uri, afterSeq, viewer);
    const source = new ChannelSource("terminal", this.#view(uri), cursor);
    source.sentOffset = this.#parts.port.hub.state(uri, "terminal")?.output.endOffset ?? 0;
    this.delivery.add(source, { left: cursor === undefined });
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

  #view(uri: string): ChannelSource["view"] {
    return this.#parts.views.take(this.dialect, uri);
  }

  #drop(uri: string, { keepLatency = false }: { readonly keepLatency?: boolean } = {}): void {
    const source = this.delivery.remove(uri);
    if (source !== undefined) this.#parts.views.giveBack(source.view);
    if (!keepLatency) this.#latencies.delete(uri);
  }
}

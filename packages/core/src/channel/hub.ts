// The hub: every channel of the host, and the one way to change any of them.
import type { Action, ChannelKind, ChannelStates } from "@holdfast/ahp";
import { estimateActionBytes } from "./action-size.ts";
import { ChannelError } from "./channel-error.ts";
import { Channel, type KindedState } from "./channel.ts";
import type { Cursor } from "./cursor.ts";
import type { Journal } from "./journal.ts";
import { LogEntry, type ActionOrigin } from "./log-entry.ts";
import { Publisher } from "./publisher.ts";
import { CountingSequence, type SequenceSource } from "./sequence.ts";

const mebibyte = 1024 * 1024;

/** How a hub works; every field has a default. */
export interface HubOptions {
  /** Where the numbers come from. Default: counted from 1. */
  readonly sequence?: SequenceSource;
  /** What keeps actions before they are told. Default: nothing does, and they may be read at once. */
  readonly journal?: Journal;
  /** How much of each channel's log is kept in memory. Default 4 MiB. */
  readonly logLimitBytes?: number;
  readonly nowMs?: () => number;
  /** Told when the journal fails or a reader throws. Default: the error ends the process like any that nobody caught. */
  readonly onFault?: (error: unknown) => void;
}

/** The state of a channel at the moment of subscribing; every later action on it has a number above `seq`. */
export type Snapshot = KindedState & { readonly uri: string; readonly seq: number };

/** A snapshot, and a cursor that goes on exactly where it ends. */
export interface Subscription {
  readonly snapshot: Snapshot;
  readonly cursor: Cursor;
}

/** An action that a client asked for and that the host itself is about to dispatch. */
export interface AskedAction {
  readonly uri: string;
  readonly type: Action["type"];
  readonly origin: ActionOrigin;
}

/** A channel in a list. */
export interface ListedChannel<Kind extends ChannelKind> {
  readonly uri: string;
  readonly state: ChannelStates[Kind];
}

/** Holds all channels of a host. */
export class Hub {
  readonly #channels = new Map<string, Channel>();
  readonly #sequence: SequenceSource;
  readonly #publisher: Publisher;
  readonly #logLimitBytes: number;
  readonly #nowMs: () => number;
  /** What is being done for a client just now, and the entry that came of it. */
  #asked: { readonly action: AskedAction; entry: LogEntry | undefined } | undefined;

  constructor(options: HubOptions = {}) {
    const { sequence = new CountingSequence(), journal, nowMs = Date.now, onFault = throwLater } = options;
    this.#sequence = sequence;
    this.#publisher = new Publisher({ journal, lastSeq: () => sequence.last, onFault });
    this.#logLimitBytes = options.logLimitBytes ?? 4 * mebibyte;
    this.#nowMs = nowMs;
  }

  /** The last number given to an action, on any channel. */
  get lastSeq(): number {
    return this.#sequence.last;
  }

  /** Opens a new channel. */
  open<Kind extends ChannelKind>(uri: string, kind: Kind, state: ChannelStates[Kind]): void {
    const opened = this.#add(uri, kind, state).kinded();
    if (this.#publisher.hasJournal) this.#publisher.record({ type: "opened", channel: uri, opened });
  }

  /** Opens a channel whose state comes from the journal, which therefore is not told of it. */
  restore<Kind extends ChannelKind>(uri: string, kind: Kind, state: ChannelStates[Kind]): void {
    this.#add(uri, kind, state);
  }

  /** Closes a channel: it is gone at once, and its readers are told when they have read the rest. */
  close(uri: string): void {
    const channel = this.#find(uri);
    this.#channels.delete(uri);
    channel.close();
    if (this.#publisher.hasJournal) this.#publisher.record({ type: "closed", channel: uri });
    this.#publisher.wakeLater(channel);
  }

  /**
   * Lets go of a channel that is kept elsewhere and that nobody reads; `restore` brings it back.
   * False when somebody does, or when something of it is not kept yet.
   */
  unload(uri: string): boolean {
    if (!this.#isAtRest(uri)) return false;
    this.#channels.delete(uri);
    return true;
  }

  /** Lets go of a channel's log, which is kept elsewhere, unless somebody reads it. */
  forgetLog(uri: string): void {
    if (this.#isAtRest(uri)) this.#find(uri).log.clear();
  }

  /** Entries up to this number are not in memory; undefined when there is no such channel. */
  logStart(uri: string): number | undefined {
    return this.#channels.get(uri)?.log.evictedSeq;
  }

  /** The readers of all channels, and how far the slowest of them is behind. */
  readers(): { readonly count: number; readonly lagEntries: number } {
    let count = 0;
    let lagEntries = 0;
    for (const channel of this.#channels.values()) {
      count += channel.readerCount;
      if (channel.readerCount > 0) lagEntries = Math.max(lagEntries, channel.lagEntries);
    }
    return { count, lagEntries };
  }

  /** Whether there is such a channel. */
  has(uri: string): boolean {
    return this.#channels.has(uri);
  }

  /** The state of a channel as it is now; undefined when there is no such channel of this kind. */
  state<Kind extends ChannelKind>(uri: string, kind: Kind): ChannelStates[Kind] | undefined {
    const channel = this.#channels.get(uri);
    return channel !== undefined && isOfKind(channel, kind) ? channel.state : undefined;
  }

  /** The channels of one kind, in the order in which they were opened. */
  list<Kind extends ChannelKind>(kind: Kind): ListedChannel<Kind>[] {
    const listed: ListedChannel<Kind>[] = [];
    for (const channel of this.#channels.values()) {
      if (isOfKind(channel, kind)) listed.push({ uri: channel.uri, state: channel.state });
    }
    return listed;
  }

  /**
   * Applies an action of the host's own, or one that was checked before: reduces it, numbers it, logs it.
   * An action that changes nothing is neither numbered nor logged, and gives undefined (H4).
   */
  dispatch(uri: string, action: Action, origin?: ActionOrigin): LogEntry | undefined {
    const channel = this.#find(uri);
    if (!channel.reduce(action) && !isToldAnyway(action, origin)) return undefined;
    const entry = new LogEntry({
      channel: channel.uri,
      serverSeq: this.#sequence.next(),
      action,
      origin: origin ?? this.#originOf(uri, action),
      sizeBytes: estimateActionBytes(action),
      atMs: this.#nowMs(),
    });
    if (entry.origin !== undefined && entry.origin === this.#asked?.action.origin) this.#asked.entry = entry;
    channel.log.append(entry, this.#publisher.publishedSeq);
    if (this.#publisher.hasJournal) this.#publisher.record({ type: "applied", entry });
    if (channel.hasReaders) this.#publisher.wakeLater(channel);
    return entry;
  }

  /** Applies a value that came from outside, if it is an action of this channel. */
  submit(uri: string, value: unknown, origin: ActionOrigin): LogEntry | undefined {
    return this.dispatch(uri, this.#find(uri).check(value), origin);
  }

  /**
   * Does what a client asked for: the first such action that is dispatched meanwhile carries the client's origin, so
   * that its author knows it for its own. Gives its entry; undefined when nothing came of it at once (H4).
   */
  attribute(action: AskedAction, run: () => void): LogEntry | undefined {
    const outer = this.#asked;
    const asked: { readonly action: AskedAction; entry: LogEntry | undefined } = { action, entry: undefined };
    this.#asked = asked;
    try {
      run();
    } finally {
      this.#asked = outer;
    }
    return asked.entry;
  }

  /** Takes a number for something that one reader alone is told and no log keeps. */
  takeSeq(): number {
    return this.#sequence.next();
  }

  /** Fixes state, number and place in the log in one step (H2). `onReadable` is called when there is something new. */
  subscribe(uri: string, onReadable?: () => void): Subscription {
    const channel = this.#find(uri);
    return {
      snapshot: { ...channel.kinded(), uri, seq: this.#sequence.last },
      cursor: channel.read(channel.log.end, onReadable),
    };
  }

  /** A cursor after an action that a reader has seen; undefined when the log no longer reaches back, or not so far (H8). */
  resume(uri: string, afterSeq: number, onReadable?: () => void): Cursor | undefined {
    const channel = this.#find(uri);
    const position = afterSeq > this.#sequence.last ? undefined : channel.log.positionAfter(afterSeq);
    if (position === undefined) return undefined;
    // There may be something to read already.
    this.#publisher.wakeLater(channel);
    return channel.read(position, onReadable);
  }

  /** Whether what happens is being kept; false from a failure of the journal until it works again. */
  get isKeeping(): boolean {
    return this.#publisher.isKeeping;
  }

  /** Resolves when everything dispatched so far is kept and told; rejects when the journal fails. */
  settled(): Promise<void> {
    return this.#publisher.settled();
  }

  #add<Kind extends ChannelKind>(uri: string, kind: Kind, state: ChannelStates[Kind]): Channel<Kind> {
    if (this.#channels.has(uri)) {
      throw new ChannelError("channel_exists", uri, `There is a channel ${uri} already`);
    }
    const seq = this.#sequence.last;
    const publishedSeq = (): number => this.#publisher.publishedSeq;
    const channel = new Channel({ uri, kind, state, logLimitBytes: this.#logLimitBytes, seq, publishedSeq });
    this.#channels.set(uri, channel);
    return channel;
  }

  #originOf(uri: string, { type }: Action): ActionOrigin | undefined {
    const asked = this.#asked;
    if (asked === undefined || asked.entry !== undefined) return undefined;
    return asked.action.uri === uri && asked.action.type === type ? asked.action.origin : undefined;
  }

  #isAtRest(uri: string): boolean {
    const channel = this.#channels.get(uri);
    if (channel === undefined || channel.hasReaders || !this.#publisher.hasJournal) return false;
    const last = channel.log.at(channel.log.end - 1);
    return last === undefined || last.serverSeq <= this.#publisher.publishedSeq;
  }

  #find(uri: string): Channel {
    const channel = this.#channels.get(uri);
    if (channel === undefined) throw new ChannelError("channel_not_found", uri, `There is no channel ${uri}`);
    return channel;
  }
}

/** What the host types into a terminal is shown, though no state comes of it; what a person types may be a password. */
function isToldAnyway(action: Action, origin: ActionOrigin | undefined): boolean {
  return action.type === "terminal/input" && origin === undefined;
}

function isOfKind<Kind extends ChannelKind>(channel: Channel, kind: Kind): channel is Channel<Kind> {
  return channel.kind === kind;
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

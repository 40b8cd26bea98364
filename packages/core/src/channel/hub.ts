// The hub: every channel of the host, and the one way to change any of them.
import type { Action, ChannelKind, ChannelStates } from "@holdfast/ahp";
import { isDurable } from "../storage/durable.ts";
import { estimateActionBytes, isTooDeep } from "./action-size.ts";
import { Channel, ChannelError, type StateByKind } from "./channel.ts";
import { CountingSequence, type Journal, type SequenceSource } from "./journal.ts";
import { type ActionOrigin, LogEntry } from "./log-entry.ts";
import type { LogReader, LogSource } from "./log-reader.ts";
import { type CommitParticipant, Publisher } from "./publisher.ts";
import { Recording } from "./recording.ts";
import { withBoundTitle } from "./title.ts";

const mebibyte = 1024 * 1024;

/** Options of a hub; every field has a default. */
export interface HubOptions {
  /** The source of the numbers. Default: counted from 1. */
  readonly sequence?: SequenceSource;
  /** Keeps actions before they are published. Default: none, and they may be read at once. */
  readonly journal?: Journal;
  /** How much of each channel's log is kept in memory. Default 4 MiB. */
  readonly logLimitBytes?: number;
  readonly nowMs?: () => number;
  /** Called when a reader throws. Default: the error ends the process like any that nobody caught. */
  readonly onFault?: (error: unknown) => void;
  /** Called once when the journal begins to fail. Default: `onFault`. */
  readonly onOutage?: ((failure: unknown) => void) | undefined;
  /** Called once when there is too little space for new work, with a sentence, and once when there is enough again. */
  readonly onRoom?: ((problem: string | undefined) => void) | undefined;
  /** Called once when a journal that failed works again. */
  readonly onRecovery?: (() => void) | undefined;
}

/** The state of a channel at the moment of subscribing; every later action on it has a number above `seq`. */
export type Snapshot = StateByKind & { readonly uri: string; readonly seq: number };

/** A snapshot, and a reader that continues exactly where it ends. */
export interface Subscription {
  readonly snapshot: Snapshot;
  readonly cursor: LogReader;
}

/** A channel in a list. */
export interface ListedChannel<Kind extends ChannelKind> {
  readonly uri: string;
  readonly state: ChannelStates[Kind];
}

/** Holds all channels of a host. */
export class Hub {
  /** Whether what happens can be recorded. */
  readonly recording: Recording;
  readonly #channels = new Map<string, Channel>();
  readonly #sequence: SequenceSource;
  readonly #publisher: Publisher;
  readonly #logLimitBytes: number;
  readonly #nowMs: () => number;
  #isFrozen = false;

  constructor(options: HubOptions = {}) {
    const { sequence = new CountingSequence(), journal, nowMs = Date.now, onFault = throwLater } = options;
    this.#sequence = sequence;
    const { onOutage = onFault, onRecovery = () => {} } = options;
    this.#publisher = new Publisher({
      journal,
      lastSeq: () => sequence.last,
      onFault,
      onOutage: (failure) => {
        onOutage(failure);
        this.recording.noteOutage();
      },
      onRecovery,
    });
    this.recording = new Recording(this.#publisher, journal, options.onRoom ?? (() => {}));
    this.#logLimitBytes = options.logLimitBytes ?? 4 * mebibyte;
    this.#nowMs = nowMs;
  }

  /** The last number given to an action, on any channel. */
  get lastSeq(): number {
    return this.#sequence.last;
  }

  /** Asks a participant for its records when this tick is committed. */
  join(participant: CommitParticipant): void {
    if (this.#isRecorded) this.#publisher.join(participant);
  }

  /** From now on nothing changes: another host continues from what is kept. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Opens a new channel. */
  open<Kind extends ChannelKind>(uri: string, kind: Kind, state: ChannelStates[Kind]): void {
    const opened = this.#add(uri, kind, state).byKind();
    if (this.#isRecorded) this.#publisher.record({ type: "opened", channel: uri, opened });
  }

  /** Opens a channel whose state comes from the journal, which therefore gets no record of it. */
  restore<Kind extends ChannelKind>(uri: string, kind: Kind, state: ChannelStates[Kind]): void {
    this.#add(uri, kind, state);
  }

  /** Opens a channel again that was closed and kept; `state` is the one that was kept. */
  reopen<Kind extends ChannelKind>(uri: string, kind: Kind, state: ChannelStates[Kind]): void {
    this.#add(uri, kind, state);
    if (this.#isRecorded) this.#publisher.record({ type: "reopened", channel: uri });
  }

  /** Closes a channel: it is gone at once, and its readers are notified when they have read the rest. */
  close(uri: string): void {
    const channel = this.#find(uri);
    this.#channels.delete(uri);
    channel.close();
    if (this.#isRecorded) this.#publisher.record({ type: "closed", channel: uri });
    this.#publisher.wakeLater(channel);
  }

  /**
   * Unloads a channel that is kept elsewhere and that nobody reads; `restore` brings it back.
   * False when somebody does, or when something of it is not kept yet.
   */
  unload(uri: string): boolean {
    if (!this.#isUnused(uri)) return false;
    this.#channels.delete(uri);
    return true;
  }

  /** Clears a channel's log, which is kept elsewhere, unless somebody reads it. */
  forgetLog(uri: string): void {
    if (this.#isUnused(uri)) this.#find(uri).log.clear();
  }

  /** Entries up to this number are not in memory; undefined when there is no such channel. */
  logStart(uri: string): number | undefined {
    return this.#channels.get(uri)?.log.evictedSeq;
  }

  /** A channel's log, for a reader that attaches to it; undefined when there is no such channel. */
  source(uri: string): LogSource | undefined {
    const channel = this.#channels.get(uri);
    // Entries may have been dispatched while it had no reader, and are not published yet.
    if (channel !== undefined) this.#publisher.wakeLater(channel);
    return channel;
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
  dispatch(uri: string, asked: Action, origin?: ActionOrigin): LogEntry | undefined {
    if (this.#isFrozen) return undefined;
    const action = withBoundTitle(asked);
    const channel = this.#find(uri);
    const sizeBytes = estimateActionBytes(action);
    if (isTooDeep(action, sizeBytes)) {
      throw new ChannelError("invalid_action", uri, `${action.type} is nested too deep to be recorded`);
    }
    if (!channel.reduce(action)) return undefined;
    const entry = new LogEntry({
      channel: channel.uri,
      serverSeq: this.#sequence.next(),
      action,
      origin,
      sizeBytes,
      atMs: this.#nowMs(),
    });
    channel.log.append(entry, this.#keptSeqFor(channel, action));
    if (this.#publisher.hasJournal) this.#publisher.record({ type: "applied", entry });
    if (channel.hasReaders) this.#publisher.wakeLater(channel);
    return entry;
  }

  /** Applies a value that came from outside, if it is an action of this channel. */
  submit(uri: string, value: unknown, origin: ActionOrigin): LogEntry | undefined {
    return this.dispatch(uri, this.#find(uri).check(value), origin);
  }

  /** Takes a number for something that is sent to one reader alone and that no log keeps. */
  takeSeq(): number {
    return this.#sequence.next();
  }

  /** Fixes state, number and place in the log in one step (H2). `onReadable` is called when there is something new. */
  subscribe(uri: string, onReadable?: () => void): Subscription {
    const channel = this.#find(uri);
    return {
      snapshot: { ...channel.byKind(), uri, seq: this.#sequence.last },
      cursor: channel.read(channel.log.end, onReadable),
    };
  }

  /** A reader after an action that a reader has seen; undefined when the log no longer reaches back, or not so far (H8). */
  resume(uri: string, afterSeq: number, onReadable?: () => void): LogReader | undefined {
    const channel = this.#find(uri);
    const position = afterSeq > this.#sequence.last ? undefined : channel.log.positionAfter(afterSeq);
    if (position === undefined) return undefined;
    // There may be something to read already.
    this.#publisher.wakeLater(channel);
    return channel.read(position, onReadable);
  }

  /** Resolves when everything dispatched so far is kept and published; rejects when the journal fails. */
  settled(): Promise<void> {
    return this.#publisher.settled();
  }

  #add<Kind extends ChannelKind>(uri: string, kind: Kind, state: ChannelStates[Kind]): Channel<Kind> {
    if (this.#channels.has(uri)) {
      throw new ChannelError("channel_exists", uri, `Channel ${uri} already exists`);
    }
    const seq = this.#sequence.last;
    const publishedSeq = (): number => this.#publisher.publishedSeq;
    const channel = new Channel({ uri, kind, state, logLimitBytes: this.#logLimitBytes, seq, publishedSeq });
    this.#channels.set(uri, channel);
    return channel;
  }

  /**
   * Up to which number a channel's log may be shortened. While the journal fails nothing above what was published may
   * go, but for a terminal's output: it would fill memory, and its readers are caught up from the terminal itself.
   */
  #keptSeqFor(channel: Channel, action: Action): number {
    const isOutput = channel.kind === "terminal" && !isDurable(action);
    if (isOutput && !this.#publisher.isStoring) return Number.POSITIVE_INFINITY;
    return this.#publisher.publishedSeq;
  }

  get #isRecorded(): boolean {
    return this.#publisher.hasJournal && !this.#isFrozen;
  }

  #isUnused(uri: string): boolean {
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

function isOfKind<Kind extends ChannelKind>(channel: Channel, kind: Kind): channel is Channel<Kind> {
  return channel.kind === kind;
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

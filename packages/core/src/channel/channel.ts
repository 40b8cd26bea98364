// One channel: its state, its log and its readers.
import {
  type Action,
  type ChannelActions,
  type ChannelKind,
  channelModels,
  type ChannelStates,
} from "@holdfast/ahp";
import { ActionLog } from "./action-log.ts";
import { LogReader, type LogSource } from "./log-reader.ts";

/** The state of a channel with its kind, for code that branches on it. */
export type StateByKind = {
  readonly [Kind in ChannelKind]: { readonly kind: Kind; readonly state: ChannelStates[Kind] };
}[ChannelKind];

export interface ChannelParts<Kind extends ChannelKind> {
  readonly uri: string;
  readonly kind: Kind;
  readonly state: ChannelStates[Kind];
  readonly logLimitBytes: number;
  /** The host's last number. */
  readonly seq: number;
  /** Entries up to this number may be read. */
  readonly publishedSeq: () => number;
}

/** A channel. Its state changes in `reduce` and nowhere else. */
export class Channel<Kind extends ChannelKind = ChannelKind> implements LogSource {
  readonly uri: string;
  readonly kind: Kind;
  readonly log: ActionLog;
  readonly #publishedSeq: () => number;
  readonly #typePrefix: string;
  readonly #readers = new Set<LogReader>();
  #state: ChannelStates[Kind];
  #isClosed = false;

  constructor({ uri, kind, state, logLimitBytes, seq, publishedSeq }: ChannelParts<Kind>) {
    this.uri = uri;
    this.kind = kind;
    this.log = new ActionLog(logLimitBytes, seq);
    this.#state = state;
    this.#publishedSeq = publishedSeq;
    this.#typePrefix = `${kind}/`;
  }

  get state(): ChannelStates[Kind] {
    return this.#state;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get publishedSeq(): number {
    return this.#publishedSeq();
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  get readerCount(): number {
    return this.#readers.size;
  }

  /** How far the slowest reader is behind. */
  get lagEntries(): number {
    let lagEntries = 0;
    for (const reader of this.#readers) lagEntries = Math.max(lagEntries, reader.lagEntries);
    return lagEntries;
  }

  /** The value as an action of this channel, if it is one. */
  check(value: unknown): ChannelActions[Kind] {
    const checked = channelModels[this.kind].checkAction(value);
    if (checked.ok) return checked.value;
    throw new ChannelError("invalid_action", this.uri, `Invalid action for ${this.uri}: ${checked.problem}`);
  }

  /** Applies an action; false when it changed nothing. */
  reduce(action: Action): boolean {
    if (!this.#isMine(action)) {
      throw new ChannelError(
        "wrong_channel",
        this.uri,
        `${action.type} is no action for ${this.uri}, a ${this.kind}`,
      );
    }
    const before = this.#state;
    this.#state = channelModels[this.kind].reduce(before, action);
    return this.#state !== before;
  }

  /** The state with its kind. */
  byKind(): StateByKind {
    // The compiler does not see that the two belong together for every kind.
    return { kind: this.kind, state: this.#state } as StateByKind;
  }

  read(position: number, onReadable: (() => void) | undefined): LogReader {
    return new LogReader({ source: this, position }, onReadable);
  }

  addReader(reader: LogReader): void {
    this.#readers.add(reader);
  }

  removeReader(reader: LogReader): void {
    this.#readers.delete(reader);
  }

  wake(onFault: (error: unknown) => void): void {
    for (const reader of this.#readers) {
      try {
        reader.wake();
      } catch (error) {
        onFault(error);
      }
    }
  }

  /** Readers are notified when they have read the rest. */
  close(): void {
    this.#isClosed = true;
  }

  #isMine(action: Action): action is ChannelActions[Kind] {
    return action.type.startsWith(this.#typePrefix);
  }
}

/** Error codes of the hub. */
export type ChannelErrorCode =
  /** No channel has this URI. */
  | "channel_not_found"
  /** A channel with this URI is open already. */
  | "channel_exists"
  /** The action belongs to another kind of channel. */
  | "wrong_channel"
  /** The value is not an action of this channel. */
  | "invalid_action";

/** A failure of the hub; each transport translates it. */
export class ChannelError extends Error {
  override readonly name = "ChannelError";
  readonly code: ChannelErrorCode;
  readonly uri: string;

  constructor(code: ChannelErrorCode, uri: string, message: string) {
    super(message);
    this.code = code;
    this.uri = uri;
  }
}

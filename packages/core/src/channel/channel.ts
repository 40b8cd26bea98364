// One channel: its state, its log and the cursors of its readers.
import {
  channelModels,
  type Action,
  type ChannelActions,
  type ChannelKind,
  type ChannelStates,
} from "@holdfast/ahp";
import { ActionLog } from "./action-log.ts";
import { ChannelError } from "./channel-error.ts";
import { Cursor, type CursorSource } from "./cursor.ts";

/** The state of a channel with its kind, for code that tells them apart. */
export type KindedState = {
  readonly [Kind in ChannelKind]: { readonly kind: Kind; readonly state: ChannelStates[Kind] };
}[ChannelKind];

/** What a channel is made from. */
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
export class Channel<Kind extends ChannelKind = ChannelKind> implements CursorSource {
  readonly uri: string;
  readonly kind: Kind;
  readonly log: ActionLog;
  readonly #publishedSeq: () => number;
  readonly #typePrefix: string;
  readonly #cursors = new Set<Cursor>();
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
    return this.#cursors.size > 0;
  }

  get readerCount(): number {
    return this.#cursors.size;
  }

  /** How far the slowest reader is behind. */
  get lagEntries(): number {
    let lagEntries = 0;
    for (const cursor of this.#cursors) lagEntries = Math.max(lagEntries, cursor.lagEntries);
    return lagEntries;
  }

  /** The value as an action of this channel, if it is one. */
  check(value: unknown): ChannelActions[Kind] {
    const checked = channelModels[this.kind].checkAction(value);
    if (checked.ok) return checked.value;
    throw new ChannelError(
      "invalid_action",
      this.uri,
      `This is no action of ${this.uri}: ${checked.problem}`,
    );
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
  kinded(): KindedState {
    // The compiler does not see that the two belong together for every kind.
    return { kind: this.kind, state: this.#state } as KindedState;
  }

  /** A cursor at a position of the log. */
  read(position: number, onReadable: (() => void) | undefined): Cursor {
    const cursor = new Cursor(this, position, onReadable);
    this.#cursors.add(cursor);
    return cursor;
  }

  forget(cursor: Cursor): void {
    this.#cursors.delete(cursor);
  }

  wake(onFault: (error: unknown) => void): void {
    for (const cursor of this.#cursors) {
      try {
        cursor.wake();
      } catch (error) {
        onFault(error);
      }
    }
  }

  /** Readers are told when they have read the rest. */
  close(): void {
    this.#isClosed = true;
  }

  #isMine(action: Action): action is ChannelActions[Kind] {
    return action.type.startsWith(this.#typePrefix);
  }
}

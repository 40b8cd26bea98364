// One host's reading of a kept run: its position in each stream, and what was reported to it.
import type { RunExit, RunSink, RunStream } from "../process/port.ts";
import type { HeldStream } from "./held-stream.ts";
import type { StreamOrder, StreamPlace } from "./stream-order.ts";

/** The run that a feed reads. */
export interface FeedSource {
  readonly streams: Readonly<Record<RunStream, HeldStream>>;
  /** The order of its streams; undefined where they are independent. */
  readonly order: StreamOrder | undefined;
  /** The first byte of each stream that is delivered. */
  readonly heldFrom: StreamPlace;
  /** The offset of `output` at which the command closed it. */
  readonly outputEndedAt: number | undefined;
  readonly exit: RunExit | undefined;
  readonly isEnded: boolean;
}

/** The sink of a host; one that is not ready gets only what is small, such as the echo of a key. */
export interface FeedSink extends RunSink {
  readonly isReady?: (() => boolean) | undefined;
}

/** The offsets that a reader begins at. */
export type StreamOffsets = Readonly<Partial<Record<RunStream, number>>>;

/** A long backlog is delivered in steps of this size, so that others get their turn. */
const stepBytes = 1024 * 1024;
/** So much is not gathered for longer. */
const gatheredBytes = 256 * 1024;
/** After a frame of this size more is expected. */
const floodBytes = 32 * 1024;
/** Given to a sink also when it is not ready. */
const smallBytes = 16 * 1024;
const streamNames = ["output", "error"] as const;

/**
 * Delivers a run to a sink, in order: bytes, exit, bytes of processes that were left behind, end. `windowBytes` are
 * on their way at most; `grant` says that the sink has taken some. A closed feed is silent.
 */
export class Feed {
  readonly #source: FeedSource;
  readonly #sink: FeedSink;
  readonly #windowBytes: number;
  readonly #onProgress: () => void;
  readonly #position: Record<RunStream, number>;
  readonly #credit: Record<RunStream, number>;
  readonly #reported = { outputEnded: false, exit: false, end: false };
  #isPumping = false;
  #isClosed = false;
  #next: NodeJS.Immediate | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #lastBytes = 0;

  constructor(
    source: FeedSource,
    sink: FeedSink,
    from: StreamOffsets,
    windowBytes: number,
    onProgress: () => void,
  ) {
    this.#source = source;
    this.#sink = sink;
    this.#windowBytes = windowBytes;
    this.#onProgress = onProgress;
    const { heldFrom } = source;
    const first = (name: RunStream): number => Math.max(from[name] ?? 0, heldFrom[name]);
    this.#position = { output: first("output"), error: first("error") };
    this.#credit = { output: windowBytes, error: windowBytes };
  }

  /** Bytes below these offsets were given to the sink. */
  get position(): StreamPlace {
    return this.#position;
  }

  /** Bytes that were not given to the sink yet. */
  unsentBytes(stream: RunStream): number {
    return this.#source.streams[stream].end - this.#position[stream];
  }

  /** The sink has taken the bytes below this offset. */
  takenTo(stream: RunStream): number {
    if (this.#windowBytes === Number.POSITIVE_INFINITY) return this.#position[stream];
    return this.#position[stream] - (this.#windowBytes - this.#credit[stream]);
  }

  /** Whether the sink has got the end. */
  get isDone(): boolean {
    return this.#reported.end || this.#isClosed;
  }

  /** The sink has taken so many bytes more. */
  grant(stream: RunStream, bytes: number): void {
    this.#credit[stream] = Math.min(this.#credit[stream] + bytes, this.#windowBytes);
    this.resume();
  }

  /** Delivers what can be delivered now, and lets a command that waited for that continue. */
  resume(): void {
    this.pump();
    this.#onProgress();
  }

  /**
   * There are new bytes. Without a window they are delivered at once. With one they are gathered, because a frame
   * costs more than its bytes: to the end of the tick, in a flood for a millisecond, but never more than 256 KiB.
   */
  notify(stream: RunStream): void {
    const unsentBytes = this.unsentBytes(stream);
    if (this.#windowBytes === Number.POSITIVE_INFINITY || unsentBytes >= gatheredBytes) this.pump();
    else if (this.#lastBytes < floodBytes) this.pumpLater();
    else this.#gathering ??= setTimeout(() => this.resume(), 1);
  }

  /** Continues in a later tick. */
  pumpLater(): void {
    this.#next ??= setImmediate(() => {
      this.#next = undefined;
      this.resume();
    });
  }

  /** Delivers what can be delivered now. */
  pump(): void {
    if (this.#isPumping) return;
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#isPumping = true;
    try {
      let leftBytes = stepBytes;
      for (let sent = this.#step(leftBytes); sent !== undefined; sent = this.#step(leftBytes)) {
        leftBytes -= sent;
        if (leftBytes <= 0) return this.pumpLater();
      }
    } finally {
      this.#isPumping = false;
    }
  }

  close(): void {
    this.#isClosed = true;
    clearImmediate(this.#next);
    clearTimeout(this.#gathering);
  }

  /** Delivers one thing; the number of its bytes, or undefined when there is nothing to deliver now. */
  #step(maxBytes: number): number | undefined {
    if (this.#isClosed || this.#reported.end) return undefined;
    const sent = this.#source.order === undefined ? this.#sendAny(maxBytes) : this.#sendNext(maxBytes);
    if (sent > 0) return sent;
    const { outputEndedAt, exit, isEnded } = this.#source;
    if (
      outputEndedAt !== undefined &&
      !this.#reported.outputEnded &&
      this.#position.output >= outputEndedAt
    ) {
      this.#reported.outputEnded = true;
      this.#sink.outputEnded?.();
      return 0;
    }
    if (exit !== undefined && !this.#reported.exit && this.#hasReached(exit)) {
      this.#reported.exit = true;
      this.#sink.exit(exit);
      return 0;
    }
    if (isEnded && this.#reported.exit && streamNames.every((name) => this.unsentBytes(name) === 0)) {
      this.#reported.end = true;
      this.#sink.end();
      return 0;
    }
    return undefined;
  }

  #sendAny(maxBytes: number): number {
    for (const stream of streamNames) {
      const sent = this.#sendBytes(stream, maxBytes);
      if (sent > 0) return sent;
    }
    return 0;
  }

  /** Bytes of the stream whose turn it is; the other one waits for them. */
  #sendNext(maxBytes: number): number {
    const { order } = this.#source;
    const turn = order?.at(this.#position.output + this.#position.error);
    if (turn === undefined) return 0;
    const { stream, sizeBytes } = turn;
    if (this.#limit(stream) > this.#position[stream]) {
      return this.#sendBytes(stream, Math.min(maxBytes, sizeBytes));
    }
    // Only for a host that began between two places of the order.
    return this.#sendBytes(stream === "output" ? "error" : "output", maxBytes);
  }

  /** Bytes of a stream from this offset on are not delivered yet. */
  #limit(stream: RunStream): number {
    const { exit, streams } = this.#source;
    const { end } = streams[stream];
    if (exit === undefined || this.#reported.exit) return end;
    return stream === "output" ? exit.finalOffset : exit.finalErrorOffset;
  }

  #sendBytes(stream: RunStream, maxBytes: number): number {
    const held = this.#source.streams[stream];
    // While no host was attached, bytes may have been dropped above the position of this one.
    if (this.#position[stream] < held.from) this.#position[stream] = held.from;
    const position = this.#position[stream];
    const limit = this.#limit(stream);
    const bound = Math.min(limit - position, this.#credit[stream], maxBytes);
    if (bound <= 0) return 0;
    if (limit - position > smallBytes && this.#sink.isReady?.() === false) return 0;
    const bytes = held.read(position, bound);
    this.#position[stream] = position + bytes.length;
    this.#credit[stream] -= bytes.length;
    this.#lastBytes = bytes.length;
    this.#sink.bytes(stream, bytes, position);
    return bytes.length;
  }

  #hasReached({ finalOffset, finalErrorOffset }: RunExit): boolean {
    return this.#position.output >= finalOffset && this.#position.error >= finalErrorOffset;
  }
}

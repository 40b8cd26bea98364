// A run that outlives its hosts: what it wrote and nobody acknowledged, its exit, and the host that is attached.
import { TerminalError, invalidRequest } from "../terminal-error.ts";
import type { HeldRun, Run, RunExit, RunRequest, RunSink, RunStream } from "../process/port.ts";
import { Feed, type FeedSink, type FeedSource, type StreamOffsets } from "./feed.ts";
import type { HeldStorage } from "./held-storage.ts";
import { HeldStream } from "./held-stream.ts";
import { InputKeys, type KeyedPiece } from "./input-keys.ts";
import { StreamOrder, type StreamPlace } from "./stream-order.ts";

/** So much is read ahead of an attached host that does not take it; then the command waits. */
const readAheadBytes = 512 * 1024;
/** How often a run that waits for room on a disk tries again. */
const retryMs = 1000;

const streamNames = ["output", "error"] as const;

/** The keeper's side of one run: it takes what the spawner reads, and feeds the sink of the attached host. */
export class KeptRun implements FeedSource {
  readonly request: RunRequest;
  readonly streams: Readonly<Record<RunStream, HeldStream>>;
  /** Of a command's two pipes; the streams of a protocol are independent. */
  readonly order: StreamOrder | undefined;
  /** For the spawner. */
  readonly sink: RunSink = {
    bytes: (stream, bytes) => this.#take(stream, bytes),
    outputEnded: () => {
      this.#outputEndedAt = this.streams.output.end;
      this.#feed?.pump();
    },
    exit: (exit) => {
      this.#exit = exit;
      this.#feed?.pump();
    },
    end: () => {
      this.#isEnded = true;
      this.#feed?.pump();
    },
  };
  readonly #storage: HeldStorage;
  readonly #awayBytes: Record<RunStream, number>;
  #outputEndedAt: number | undefined;
  #exit: RunExit | undefined;
  #isEnded = false;
  #run: Run | undefined;
  #feed: Feed | undefined;
  /** Bytes below these offsets were given to some host: their order is settled. */
  readonly #delivered: Record<RunStream, number> = { output: 0, error: 0 };
  /** Of both streams together, so many bytes were taken by a host. */
  #takenBytes = 0;
  #note: string | undefined;
  readonly #keys = new InputKeys();
  #inputOffset = 0;
  #takenInputOffset = 0;
  #isHeldByHost = false;
  #isPaused = false;
  readonly #drainListeners = new Set<() => void>();
  #retry: NodeJS.Timeout | undefined;

  constructor(request: RunRequest, storage: HeldStorage) {
    this.request = request;
    this.#storage = storage;
    this.streams = { output: new HeldStream(storage), error: new HeldStream(storage) };
    if (request.kind === "text" && request.separateError === true) this.order = new StreamOrder();
    this.#awayBytes = { output: storage.bounds.tailBytes, error: storage.bounds.tailBytes };
  }

  get outputEndedAt(): number | undefined {
    return this.#outputEndedAt;
  }

  get exit(): RunExit | undefined {
    return this.#exit;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The first byte of each stream from which nothing is missing. */
  get heldFrom(): StreamPlace {
    const from = { output: this.streams.output.from, error: this.streams.error.from };
    if (this.order === undefined) return from;
    this.#noteDelivered();
    if (streamNames.some((stream) => from[stream] > this.#delivered[stream])) this.#reorderUnread();
    return this.order.after(from);
  }

  get hasInput(): boolean {
    return this.request.kind !== "text" || this.request.hasInput === true;
  }

  get inputOffset(): number {
    return this.#inputOffset;
  }

  /** Below it, no input waits for the command to read it. */
  get takenInputOffset(): number {
    return this.#takenInputOffset;
  }

  /** The spawner's run, once it has been started. */
  get run(): Run {
    if (this.#run === undefined) throw new Error("the run has not been started");
    return this.#run;
  }

  /** The attached host has got all that there will ever be, or there is none. */
  get isDelivered(): boolean {
    return this.#feed === undefined || this.#feed.isDone;
  }

  /** The spawner has started it. */
  begin(run: Run): void {
    this.#run = run;
    if (this.#isPaused) run.hold(true);
    if (!this.hasInput) return;
    run.onDrain(() => {
      this.#takenInputOffset = this.#inputOffset;
      for (const listener of this.#drainListeners) listener();
    });
  }

  describe(): HeldRun {
    const { key, tag, kind } = this.request;
    return {
      id: this.run.id,
      pid: this.run.pid,
      kind,
      key,
      tag,
      note: this.#note,
      heldFrom: this.heldFrom,
      inputOffset: this.#inputOffset,
      hasExited: this.#exit !== undefined,
    };
  }

  /** Gives a host's sink everything from these offsets on; the host before it gets nothing more. */
  attach(sink: FeedSink, from: StreamOffsets, windowBytes: number): Feed {
    for (const stream of streamNames) {
      const { end } = this.streams[stream];
      if ((from[stream] ?? 0) > end) {
        throw invalidRequest(`from.${stream}`, `at most ${end}, the end of what the run has written`);
      }
    }
    this.#noteDelivered();
    this.#feed?.close();
    this.#drainListeners.clear();
    this.#feed = new Feed(this, sink, from, windowBytes, () => this.#pace());
    this.#isHeldByHost = false;
    return this.#feed;
  }

  /** The host of this feed is gone. */
  detach(feed: Feed): void {
    feed.close();
    if (this.#feed !== feed) return;
    this.#noteDelivered();
    this.#feed = undefined;
    this.#drainListeners.clear();
    this.#isHeldByHost = false;
    const { tailBytes } = this.#storage.bounds;
    // A host acknowledges up to the tail that it wants back: as much stays while it is away.
    for (const stream of streamNames) {
      this.#awayBytes[stream] = Math.max(tailBytes, this.streams[stream].sizeBytes);
    }
    this.#pace();
  }

  hold(isHeld: boolean): void {
    this.#isHeldByHost = isHeld;
    this.#pace();
  }

  acknowledge(stream: RunStream, offset: number, note: string | undefined): void {
    const taken = this.#feed?.takenTo(stream) ?? 0;
    this.streams[stream].dropBelow(offset, offset <= taken);
    this.order?.dropBelow({ output: this.streams.output.from, error: this.streams.error.from });
    if (note !== undefined) this.#note = note;
    this.#pace();
  }

  /**
   * Takes input that begins at an offset: what was taken before is left out, and a gap is refused. What was taken before
   * of the same key is left out, too, and counted.
   */
  writeAt(offset: number, bytes: Uint8Array, piece?: KeyedPiece): boolean {
    if (offset > this.#inputOffset) {
      throw new TerminalError(
        "invalid_request",
        `Input at ${offset} leaves a gap: the run has taken ${this.#inputOffset} bytes`,
        { field: "offset" },
      );
    }
    const fresh = bytes.subarray(Math.min(this.#inputOffset - offset, bytes.length));
    const repeatedBytes = piece === undefined ? 0 : this.#keys.repeatedBytes(piece, bytes.length);
    const typed = bytes.subarray(Math.max(bytes.length - fresh.length, repeatedBytes));
    try {
      const isReady =
        typed.length === 0 ? this.#takenInputOffset === this.#inputOffset : this.run.write(typed);
      this.#inputOffset += fresh.length;
      if (isReady) this.#takenInputOffset = this.#inputOffset;
      if (piece !== undefined) this.#keys.note(piece, bytes.length);
      return isReady;
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      // Nobody will read it: the next write begins after it nevertheless.
      if (error.code === "closed" || error.code === "input_full") this.#inputOffset += fresh.length;
      if (error.code === "closed") this.#takenInputOffset = this.#inputOffset;
      throw error;
    }
  }

  /** Calls the attached host's listener each time that waiting input has been taken. */
  onDrain(listener: () => void): void {
    if (this.hasInput) this.#drainListeners.add(listener);
    // A run without input refuses in its own words.
    else this.run.onDrain(listener);
  }

  /** Frees what is held. */
  close(): void {
    clearTimeout(this.#retry);
    this.#feed?.close();
    this.#feed = undefined;
    for (const stream of streamNames) this.streams[stream].close();
  }

  #take(stream: RunStream, bytes: Uint8Array): void {
    this.streams[stream].append(bytes);
    if (this.order !== undefined) this.#addToOrder(this.order, stream, bytes.length);
    this.#feed?.notify(stream);
    this.#trim(stream);
    this.#pace();
  }

  #addToOrder(order: StreamOrder, stream: RunStream, sizeBytes: number): void {
    this.#noteDelivered();
    const { output, error } = this.#delivered;
    // Bytes after the exit stay after those before it.
    order.add(stream, sizeBytes, this.#exit === undefined ? output + error : undefined);
    if (order.isFull) this.#boundOrder(order);
  }

  /** Forgets a part of the order: of bytes that a host has received, or else of those that none has. */
  #boundOrder(order: StreamOrder): void {
    order.dropBelow({ output: this.streams.output.from, error: this.streams.error.from });
    if (order.isFull && !order.halve(this.#takenBytes)) this.#reorderUnread();
  }

  /** Any order is right for bytes that no host has: those that were dropped come first, those after the exit last. */
  #reorderUnread(): void {
    const { output, error } = this.streams;
    const places: StreamPlace[] = [{ output: output.from, error: error.from }];
    const { finalOffset, finalErrorOffset } = this.#exit ?? {};
    if (finalOffset !== undefined && finalErrorOffset !== undefined) {
      places.push({ output: finalOffset, error: finalErrorOffset });
    }
    places.push({ output: output.end, error: error.end });
    this.order?.reorder(this.#delivered.output + this.#delivered.error, places);
  }

  #noteDelivered(): void {
    const feed = this.#feed;
    if (feed === undefined) return;
    for (const stream of streamNames) {
      this.#delivered[stream] = Math.max(this.#delivered[stream], feed.position[stream]);
    }
    this.#takenBytes = Math.max(this.#takenBytes, feed.takenTo("output") + feed.takenTo("error"));
  }

  /** Drops the oldest bytes of a tail. */
  #trim(stream: RunStream): void {
    if (this.request.whileAway === "keep") return;
    const held = this.streams[stream];
    const { takenTailBytes, streamMemoryBytes } = this.#storage.bounds;
    if (this.#feed === undefined) held.dropBelow(held.end - this.#awayBytes[stream]);
    else held.dropBelow(Math.min(this.#feed.takenTo(stream), held.end - takenTailBytes), true);
    if (!held.isOverflowing) return;
    const mayDrop = this.#feed?.takenTo(stream) ?? held.end;
    held.dropBelow(Math.min(mayDrop, held.end - streamMemoryBytes / 2));
  }

  /** Pauses the command where nothing more can be held or delivered, and lets it continue. */
  #pace(): void {
    const isPaused = this.#isHeldByHost || streamNames.some((stream) => this.#isFull(stream));
    clearTimeout(this.#retry);
    if (streamNames.some((stream) => this.streams[stream].isOverflowing)) this.#retryLater();
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    this.#run?.hold(isPaused);
  }

  #isFull(stream: RunStream): boolean {
    const held = this.streams[stream];
    if ((this.#feed?.unsentBytes(stream) ?? 0) > readAheadBytes) return true;
    if (this.request.whileAway !== "keep") return false;
    return held.sizeBytes >= this.#storage.bounds.keepBytes || held.isOverflowing;
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => {
      for (const stream of streamNames) {
        this.streams[stream].relieve();
        this.#trim(stream);
      }
      this.#pace();
    }, retryMs);
    this.#retry.unref();
  }
}

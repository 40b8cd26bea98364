// The open event streams of a server: their end when the host stops, one heartbeat timer, and a share of each tick.

/** Why a stream is ended before its source. */
export type StopCode = "HOST_STOPPING" | "STORAGE_UNAVAILABLE";

/** A stream that can be ended early. */
export interface StoppableStream {
  /** Called about twice in the longest silence. */
  beat(): void;
  stop(code: StopCode): void;
  /** Cuts the connection without a last event. */
  disconnect(): void;
}

export class OpenStreams {
  /** Shared by all streams, so that backlogs do not block the event loop. */
  readonly tick: TickBudget;
  readonly #streams = new Set<StoppableStream>();
  /** Runs while streams are open; one for all, since each timer wakes an idle host (O220). */
  #timer: NodeJS.Timeout | undefined;
  #stop: ((stream: StoppableStream) => void) | undefined;
  /** Of requests that wait for something that continues in the next host. */
  readonly #cuts = new Set<() => void>();

  constructor(nowMs: () => number = () => performance.now()) {
    this.tick = new TickBudget(nowMs);
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Adds a stream; `maxSilenceMs` is the same for all streams of a server. */
  add(stream: StoppableStream, maxSilenceMs: number): void {
    this.#streams.add(stream);
    // A stream is kept alive by its socket, never by its heartbeat.
    this.#timer ??= setInterval(() => {
      for (const each of this.#streams) each.beat();
    }, maxSilenceMs / 2).unref();
    this.#stop?.(stream);
  }

  delete(stream: StoppableStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Ends every stream, including those added later. */
  stop(): void {
    this.#stopAll((stream) => stream.stop("HOST_STOPPING"));
  }

  /** Cuts every stream, including those added later: what it shows continues in the next host. */
  disconnect(): void {
    this.#stopAll((stream) => stream.disconnect());
    for (const cut of this.#cuts) cut();
  }

  /** Calls back when streams are cut, until the returned function is called: a request that waits is cut with them. */
  onDisconnect(cut: () => void): () => void {
    this.#cuts.add(cut);
    return () => void this.#cuts.delete(cut);
  }

  #stopAll(stop: (stream: StoppableStream) => void): void {
    this.#stop = stop;
    for (const stream of this.#streams) stop(stream);
  }
}

/** How long backlogs may be written in one tick of the event loop. */
const budgetMs = 4;

/** Time that the streams of a server may spend in one tick, all together. */
class TickBudget {
  /** When work began in this tick; undefined until a stream asks. */
  #sinceMs: number | undefined;
  #waiting: (() => void)[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isSpent(): boolean {
    if (this.#sinceMs !== undefined) return this.#nowMs() - this.#sinceMs >= budgetMs;
    this.#sinceMs = this.#nowMs();
    setImmediate(() => this.#beginNext());
    return false;
  }

  /** Runs `resume` in the next tick, or in a later one if earlier waiters spend that. */
  wait(resume: () => void): void {
    this.#waiting.push(resume);
  }

  #beginNext(): void {
    this.#sinceMs = undefined;
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    let begun = 0;
    while (begun < waiting.length && !this.isSpent) waiting[begun++]?.();
    // Streams that did not run come before those that have to wait once more.
    this.#waiting.unshift(...waiting.slice(begun));
  }
}

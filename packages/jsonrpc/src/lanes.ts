// Ordered handling: messages that share a key are handled one after another, and reading stops while too many wait.
import { Fifo } from "./fifo.ts";

/** Handles one message; the promise says when it is done. It never throws and never rejects. */
type Task = () => Promise<void> | undefined;

interface Waiting {
  readonly task: Task;
  readonly sizeBytes: number;
}

/** A key with an unfinished task; a key without one has no lane at all. */
interface Lane {
  readonly gauge: Gauge;
  readonly queue: Fifo<Waiting>;
}

/** Runs tasks at once where it can, and in order of arrival where it must. */
export class Lanes {
  readonly #limits: QueueLimits;
  readonly #brake: Brake;
  readonly #lanes = new Map<string, Lane>();
  /** Tasks without a key that have not finished: they wait for nothing, but they too are bounded. */
  readonly #loose: Gauge;

  constructor(limits: QueueLimits, source: MessageSource | undefined) {
    this.#limits = limits;
    this.#brake = new Brake(source);
    this.#loose = new Gauge(limits, this.#brake);
  }

  /** Runs a task now, or after all unfinished tasks of its key. */
  run(key: string | undefined, sizeBytes: number, task: Task): void {
    if (key === undefined) {
      this.#runLoose(sizeBytes, task);
      return;
    }
    const lane = this.#lanes.get(key);
    if (lane !== undefined) {
      lane.queue.push({ task, sizeBytes });
      lane.gauge.add(sizeBytes);
      return;
    }
    const done = task();
    if (done === undefined) return;
    const opened: Lane = { gauge: new Gauge(this.#limits, this.#brake), queue: new Fifo() };
    this.#lanes.set(key, opened);
    this.#continueAfter(done, key, opened);
  }

  /** Whether a task of this key would run at once. */
  isFree(key: string | undefined): boolean {
    return key === undefined || !this.#lanes.has(key);
  }

  /** Whether no task of any key is unfinished. */
  get isIdle(): boolean {
    return this.#lanes.size === 0;
  }

  /** Drops waiting tasks; unfinished ones continue, and the source may read on (into nothing). */
  clear(): void {
    for (const lane of this.#lanes.values()) while (takeNext(lane) !== undefined);
  }

  #runLoose(sizeBytes: number, task: Task): void {
    const done = task();
    if (done === undefined) return;
    this.#loose.add(sizeBytes);
    void done.then(() => {
      this.#loose.remove(sizeBytes);
    });
  }

  #continueAfter(done: Promise<void>, key: string, lane: Lane): void {
    void done.then(() => {
      this.#advance(key, lane);
    });
  }

  #advance(key: string, lane: Lane): void {
    for (;;) {
      const task = takeNext(lane);
      if (task === undefined) {
        this.#lanes.delete(key);
        return;
      }
      const done = task();
      if (done !== undefined) {
        this.#continueAfter(done, key, lane);
        return;
      }
    }
  }
}

function takeNext(lane: Lane): Task | undefined {
  const waiting = lane.queue.take();
  if (waiting === undefined) return undefined;
  lane.gauge.remove(waiting.sizeBytes);
  return waiting.task;
}

/** The side of a transport that can be paused, such as a readable stream of Node. */
export interface MessageSource {
  pause(): unknown;
  resume(): unknown;
}

/** How much may wait before reading stops. */
interface QueueLimits {
  queuedMessages: number;
  queuedBytes: number;
}

/** Pauses the source while at least one gauge is over its limit. */
class Brake {
  readonly #source: MessageSource | undefined;
  #holders = 0;

  constructor(source: MessageSource | undefined) {
    this.#source = source;
  }

  hold(): void {
    this.#holders += 1;
    if (this.#holders === 1) this.#source?.pause();
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#source?.resume();
  }
}

/** Counts what waits in one place: holds the brake above the limits and releases it at half of them. */
class Gauge {
  readonly #limits: QueueLimits;
  readonly #brake: Brake;
  #messages = 0;
  #bytes = 0;
  #isHolding = false;

  constructor(limits: QueueLimits, brake: Brake) {
    this.#limits = limits;
    this.#brake = brake;
  }

  add(sizeBytes: number): void {
    this.#messages += 1;
    this.#bytes += sizeBytes;
    if (this.#isHolding || !this.#isOver(1)) return;
    this.#isHolding = true;
    this.#brake.hold();
  }

  remove(sizeBytes: number): void {
    this.#messages -= 1;
    this.#bytes -= sizeBytes;
    if (!this.#isHolding || this.#isOver(0.5)) return;
    this.#isHolding = false;
    this.#brake.release();
  }

  #isOver(share: number): boolean {
    const { queuedMessages, queuedBytes } = this.#limits;
    return this.#messages > queuedMessages * share || this.#bytes > queuedBytes * share;
  }
}

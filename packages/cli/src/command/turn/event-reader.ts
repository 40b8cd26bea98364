// Reads a turn's events one by one, and ahead while a question is open, so that its answer by somebody else is seen.
import type { EventStream, TurnEvent } from "@holdfast/sdk";

/** An event and the cursor after which the next one comes. */
export interface ReadEvent {
  readonly event: TurnEvent;
  readonly cursor: string | undefined;
}

/** What came first while something was awaited. */
export type First<Value> = { readonly kind: "value"; readonly value: Value } | { readonly kind: "settled" };

/** The events of one stream. Nothing is read that nobody asked for. */
export class EventReader {
  readonly #stream: EventStream<TurnEvent>;
  readonly #ahead: (ReadEvent | undefined)[] = [];
  #pulling: Promise<ReadEvent | undefined> | undefined;
  #hasEnded = false;

  constructor(stream: EventStream<TurnEvent>) {
    this.#stream = stream;
  }

  /** The next event; undefined at the end. */
  async next(): Promise<ReadEvent | undefined> {
    return this.#ahead.length > 0 ? this.#ahead.shift() : this.#take();
  }

  /** The value, or word that an event came first that settles the matter; what is read meanwhile is kept for `next`. */
  async first<Value>(
    promise: Promise<Value>,
    isSettledBy: (event: TurnEvent) => boolean,
  ): Promise<First<Value>> {
    const value = promise.then((given) => ({ kind: "value", value: given }) as const);
    if (this.#ahead.some((read) => read === undefined || isSettledBy(read.event))) return { kind: "settled" };
    for (;;) {
      const pulled = this.#pull().then(() => undefined);
      const outcome = await Promise.race([value, pulled]);
      if (outcome !== undefined) return outcome;
      const read = await this.#take();
      this.#ahead.push(read);
      if (read === undefined || isSettledBy(read.event)) return { kind: "settled" };
    }
  }

  /** Lets go of the stream: the next event is the end. */
  close(): void {
    this.#hasEnded = true;
    // What an ending stream still says is for nobody.
    this.#stream.return().catch(() => undefined);
  }

  async #take(): Promise<ReadEvent | undefined> {
    const read = await this.#pull();
    this.#pulling = undefined;
    return read;
  }

  /** One pull at a time, however many wait for it. */
  #pull(): Promise<ReadEvent | undefined> {
    this.#pulling ??= this.#read();
    return this.#pulling;
  }

  async #read(): Promise<ReadEvent | undefined> {
    if (this.#hasEnded) return undefined;
    const { value, done } = await this.#stream.next();
    return done === true ? undefined : { event: value, cursor: this.#stream.lastEventId };
  }
}

// The event streams that are open, so that a host which stops can end them in an orderly way.

/** A stream that can be told to end. */
export interface StoppableStream {
  stop(): void;
}

/** All open streams of a server. */
export class OpenStreams {
  readonly #streams = new Set<StoppableStream>();
  #isStopping = false;

  /** How many are open. */
  get size(): number {
    return this.#streams.size;
  }

  add(stream: StoppableStream): void {
    this.#streams.add(stream);
    if (this.#isStopping) stream.stop();
  }

  delete(stream: StoppableStream): void {
    this.#streams.delete(stream);
  }

  /** Tells every stream to end, those to come included. */
  stop(): void {
    this.#isStopping = true;
    for (const stream of this.#streams) stream.stop();
  }
}

// Where the numbers come from that order all actions of a host.

/** Gives out `serverSeq`s; after a restart it begins above every number it ever gave. */
export interface SequenceSource {
  /** The last number given; before the first, the number below it. */
  readonly last: number;
  next(): number;
}

/** Counts in memory. */
export class CountingSequence implements SequenceSource {
  #last: number;

  /** Begins after `last`. */
  constructor(last = 0) {
    this.#last = last;
  }

  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }
}

// The parts of a terminal's output that came from stderr, by offset, where a run has a pipe for each stream.

/** A stretch of output that came from one stream. */
export interface StreamRange {
  readonly stream: "output" | "error";
  readonly end: number;
}

/** More changes between the streams than this are forgotten, the oldest first; what they wrote counts as `output`. */
const MAX_RANGES = 65_536;

/** Which bytes came from stderr. */
export class StreamRanges {
  /** Pairs of offsets, in order: where a stretch of stderr begins and ends. */
  #borders: number[] = [];

  /** Bytes of stderr were added. */
  add(from: number, to: number): void {
    if (to <= from) return;
    if (this.#borders.at(-1) === from) this.#borders[this.#borders.length - 1] = to;
    else this.#borders.push(from, to);
    // By half, so that it is seldom done.
    if (this.#borders.length > 2 * MAX_RANGES) this.#borders = this.#borders.slice(MAX_RANGES);
  }

  /** The stream of the byte at an offset, and where its stretch ends; without an end so far, at infinity. */
  at(offset: number): StreamRange {
    let low = 0;
    let high = this.#borders.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#borders[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return {
      stream: low % 2 === 1 ? "error" : "output",
      end: this.#borders[low] ?? Number.POSITIVE_INFINITY,
    };
  }
}

// The order in which the bytes of a run's two streams were read, so that every host gets them in the same order (K742).
import type { RunStream } from "../process/port.ts";

/** An offset in each stream. */
export type StreamPlace = Readonly<Record<RunStream, number>>;

/** More changes between the streams than this are not remembered. */
const MAX_CHANGES = 262_144;
/** Bytes that no host has received are put in order in batches of this size: each change costs a frame. */
const BATCH_BYTES = 16 * 1024;
const streamNames = ["output", "error"] as const;

/** Stretches of one stream each, by their offsets in both streams joined. */
export class StreamOrder {
  readonly #maxChanges: number;
  /** Where the first stretch begins: nothing is known of the order before it. */
  readonly #from: Record<RunStream, number> = { output: 0, error: 0 };
  /** The stream of the first stretch; each one after it is of the other stream. */
  #first: RunStream = "output";
  /** Where the stretches end. */
  #ends: number[] = [];

  constructor(maxChanges = MAX_CHANGES) {
    this.#maxChanges = maxChanges;
  }

  get isFull(): boolean {
    return this.#ends.length >= this.#maxChanges;
  }

  /** Bytes of a stream were read, after all others. The order of those before the joined offset `settled` stays. */
  add(stream: RunStream, sizeBytes: number, settled = Number.POSITIVE_INFINITY): void {
    if (sizeBytes <= 0) return;
    const last = this.#ends.length - 1;
    const end = this.#end + sizeBytes;
    if (last < 0) this.#first = stream;
    if (last >= 0 && this.#streamOf(last) === stream) {
      this.#ends[last] = end;
    } else if (last > 0 && settled <= this.#ends[last - 1]! && this.#hasRoom(last - 1, sizeBytes, settled)) {
      this.#ends[last - 1]! += sizeBytes;
      this.#ends[last] = end;
    } else {
      this.#ends.push(end);
    }
  }

  /** The stream of the byte at a joined offset, and how many bytes of it follow. */
  at(joined: number): { readonly stream: RunStream; readonly sizeBytes: number } {
    const index = this.#stretchAt(joined);
    const end = this.#ends[index];
    if (end === undefined) return { stream: "output", sizeBytes: Number.POSITIVE_INFINITY };
    return { stream: this.#streamOf(index), sizeBytes: end - joined };
  }

  /**
   * The first place from which nothing is missing where the bytes below these offsets are gone. Bytes of the other
   * stream that were read before a byte that is gone are not after it.
   */
  after(gone: StreamPlace): StreamPlace {
    let place: StreamPlace = { ...this.#from };
    const at = { ...this.#from };
    let start = at.output + at.error;
    for (const [index, end] of this.#ends.entries()) {
      const stream = this.#streamOf(index);
      const sizeBytes = end - start;
      const goneBytes = Math.min(sizeBytes, gone[stream] - at[stream]);
      if (goneBytes > 0) place = { ...at, [stream]: at[stream] + goneBytes };
      at[stream] += sizeBytes;
      start = end;
    }
    return place;
  }

  /** Forgets the stretches of which nothing is left. */
  dropBelow(gone: StreamPlace): void {
    let count = 0;
    let start = this.#from.output + this.#from.error;
    for (const [index, end] of this.#ends.entries()) {
      const stream = this.#streamOf(index);
      if (this.#from[stream] + end - start > gone[stream]) break;
      this.#from[stream] += end - start;
      start = end;
      count += 1;
    }
    this.#shift(count);
  }

  /** Forgets the older half of the stretches before a joined offset, if these are half of all. */
  halve(joined: number): boolean {
    const known = this.#stretchAt(joined);
    if (known < this.#ends.length / 2) return false;
    const count = Math.floor(known / 2);
    let start = this.#from.output + this.#from.error;
    for (const [index, end] of this.#ends.slice(0, count).entries()) {
      this.#from[this.#streamOf(index)] += end - start;
      start = end;
    }
    this.#shift(count);
    return count > 0;
  }

  /**
   * Orders all bytes from a joined offset on, which no host has received: one stream after the other, up to each of
   * these places in turn.
   */
  reorder(joined: number, places: readonly StreamPlace[]): void {
    const at = this.#cut(joined);
    for (const place of places) {
      for (const stream of streamNames) {
        this.add(stream, place[stream] - at[stream]);
        at[stream] = Math.max(at[stream], place[stream]);
      }
    }
  }

  /** Whether a batch that begins with this stretch can have more bytes. */
  #hasRoom(index: number, sizeBytes: number, settled: number): boolean {
    const start = this.#ends[index - 1] ?? this.#from.output + this.#from.error;
    return this.#end + sizeBytes - Math.max(start, settled) <= BATCH_BYTES;
  }

  get #end(): number {
    return this.#ends.at(-1) ?? this.#from.output + this.#from.error;
  }

  /** Forgets everything from a joined offset on; the place there. */
  #cut(joined: number): Record<RunStream, number> {
    const at = { ...this.#from };
    let start = at.output + at.error;
    let count = 0;
    for (; start < joined && count < this.#ends.length; count += 1) {
      const end = Math.min(joined, this.#ends[count]!);
      at[this.#streamOf(count)] += end - start;
      this.#ends[count] = end;
      start = end;
    }
    this.#ends.length = count;
    return at;
  }

  #shift(count: number): void {
    if (count % 2 === 1) this.#first = otherThan(this.#first);
    this.#ends.splice(0, count);
  }

  #streamOf(index: number): RunStream {
    return index % 2 === 0 ? this.#first : otherThan(this.#first);
  }

  /** The stretch with the byte at a joined offset. */
  #stretchAt(joined: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ends[middle]! <= joined) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function otherThan(stream: RunStream): RunStream {
  return stream === "output" ? "error" : "output";
}

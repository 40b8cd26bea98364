// What is known of a spool file without reading it: how much it holds, and roughly where each offset lies.
import { frameHeadBytes, heading, type FrameHead } from "./frames.ts";

/** A frame whose place in the file is known. */
interface IndexEntry {
  readonly offset: number;
  readonly position: number;
}

/** How far entries lie apart in the file, at least: what a read may have to pass over before it finds its frame. */
const entryDistanceBytes = 16 * 1024;

/** Counts the frames of one file and remembers the place of some; frames come in the order of their offsets. */
export class SegmentIndex {
  readonly #entries: IndexEntry[] = [];
  #sizeBytes = 0;
  #keptBytes = 0;
  #endOffset = 0;

  /** Where the last whole frame ends in the file; 0 when there is none. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** The first byte that is kept. */
  get startOffset(): number {
    return this.#entries[0]?.offset ?? 0;
  }

  /** The offset after the last byte that is kept. */
  get endOffset(): number {
    return this.#endOffset;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Counts the frame that follows the last one. */
  add({ offset, length }: FrameHead): void {
    const position = Math.max(this.#sizeBytes, heading.length);
    const last = this.#entries.at(-1);
    if (last === undefined || position - last.position >= entryDistanceBytes) {
      this.#entries.push({ offset, position });
    }
    this.#sizeBytes = position + frameHeadBytes + length;
    this.#keptBytes += length;
    this.#endOffset = offset + length;
  }

  /** The position of a frame from which on an offset is found: the nearest known one that does not begin after it. */
  positionBefore(offset: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.offset ?? Infinity) <= offset) low = middle;
      else high = middle;
    }
    return this.#entries[low]?.position ?? heading.length;
  }
}

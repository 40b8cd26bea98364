// Output text of a tty run: folded in batches, at the latest before unfolded bytes leave the ring.
import type { RingBudget } from "./budget.ts";
import type { ByteRing } from "./ring.ts";
import type { OutputText } from "./output-text.ts";
import {
  type OutputTail,
  TAIL_MARGIN_BYTES,
  type JsonOutputTail,
  type SettledText,
  TextTail,
} from "./text-tail.ts";
import { TtyText } from "./tty-text.ts";
import { boundaryAtOrAfter, MAX_PARTIAL_BYTES } from "./utf8.ts";

const LINE_FEED = 0x0a;
/** Enough that folding is done in bulk; of costly output a batch is smaller. */
const MAX_BATCH_BYTES = 256 * 1024;
const MIN_BATCH_BYTES = 8 * 1024;
/** How long a batch may take, estimated from the one before it. */
const MAX_BATCH_MS = 20;
/** How long the first read of a lazy text folds before it begins again nearer to the end (T501). */
const MAX_FIRST_READ_MS = 250;
/** The largest piece that it folds without a look at the clock: lines are folded in bulk only where there are many. */
const MAX_PIECE_BYTES = 64 * 1024;

interface TtyOutputTextOptions {
  readonly ring: ByteRing;
  readonly limitBytes: number;
  readonly columns: number;
  readonly rows: number;
  readonly budget?: RingBudget | undefined;
  /** Folding begins with the first byte, or with the first read from what the ring then holds. */
  readonly begins: "atFirstByte" | "atFirstRead";
}

/** Folding under way: `offset` is where it stands. */
interface Folding {
  readonly text: TtyText;
  readonly tail: TextTail;
  readonly missesHead: boolean;
  offset: number;
}

/** Answers with what the bytes leave on a screen and above it. */
export class TtyOutputText implements OutputText {
  readonly #ring: ByteRing;
  readonly #limitBytes: number;
  readonly #budget: RingBudget | undefined;
  readonly #maxBatchBytes: number;
  #batchBytes: number;
  #columns: number;
  #rows: number;
  #folding: Folding | undefined;
  #hasExited = false;

  constructor(options: TtyOutputTextOptions) {
    this.#ring = options.ring;
    this.#limitBytes = options.limitBytes;
    this.#budget = options.budget;
    this.#columns = options.columns;
    this.#rows = options.rows;
    this.#maxBatchBytes = Math.min(MAX_BATCH_BYTES, options.ring.guaranteedBytes);
    this.#batchBytes = this.#maxBatchBytes;
    if (options.begins === "atFirstByte") this.#folding = this.#beginFolding(this.#ring.startOffset);
  }

  get allocatedBytes(): number {
    return this.#folding ? this.#folding.text.allocatedBytes + this.#folding.tail.allocatedBytes : 0;
  }

  willPush(bytes: Uint8Array, start: number, end: number): void {
    const folding = this.#folding;
    if (!folding) return;
    const endOffset = this.#ring.endOffset + end - start;
    const pendingBytes = endOffset - folding.offset;
    if (pendingBytes <= this.#batchBytes) return;
    const startedMs = performance.now();
    this.#foldPending(folding);
    if (end - start > this.#batchBytes) {
      folding.text.feed(bytes, start, end);
      folding.offset = endOffset;
    }
    this.#adaptBatch(performance.now() - startedMs, pendingBytes - (endOffset - folding.offset));
  }

  exited(): void {
    this.#hasExited = true;
  }

  /** Bytes that came before are folded at the size they were written for. */
  resize(columns: number, rows: number): void {
    this.#columns = columns;
    this.#rows = rows;
    if (!this.#folding) return;
    this.#foldPending(this.#folding);
    this.#folding.text.resize(columns, rows);
  }

  text(limitBytes?: number): OutputTail {
    const folding = this.#upToDate();
    const tail = folding.tail.text(this.#settled(folding), limitBytes);
    return { ...tail, truncated: tail.truncated || folding.missesHead };
  }

  json(): JsonOutputTail {
    const folding = this.#upToDate();
    const tail = folding.tail.json(this.#settled(folding));
    return { ...tail, truncated: tail.truncated || folding.missesHead };
  }

  dropImage(): void {
    this.#folding?.tail.dropImage();
  }

  close(): void {
    this.#folding?.text.close();
    this.#folding = undefined;
  }

  #settled({ text }: Folding): SettledText {
    return {
      settledEnd: text.committed.endOffset,
      ending: text.renderEnding(this.#hasExited),
    };
  }

  #upToDate(): Folding {
    this.#folding ??= this.#beginLate();
    this.#foldPending(this.#folding);
    return this.#folding;
  }

  /** Costly output is folded as it comes, so that no tick has to fold much of it. */
  #adaptBatch(tookMs: number, foldedBytes: number): void {
    const fittingBytes = tookMs === 0 ? this.#maxBatchBytes : (foldedBytes * MAX_BATCH_MS) / tookMs;
    const leastBytes = Math.min(MIN_BATCH_BYTES, this.#maxBatchBytes);
    this.#batchBytes = Math.max(leastBytes, Math.min(this.#maxBatchBytes, Math.floor(fittingBytes)));
  }

  /** Folds what the ring holds; of output that takes too long, only as much of its end as does not. */
  #beginLate(): Folding {
    const { startOffset, endOffset } = this.#ring;
    for (let from = startOffset; ;) {
      const folding = this.#beginFolding(from);
      const begunAt = folding.offset;
      const deadlineMs = performance.now() + MAX_FIRST_READ_MS;
      let pieceBytes = MIN_BATCH_BYTES;
      while (folding.offset < endOffset && performance.now() < deadlineMs) {
        this.#foldUpTo(folding, Math.min(folding.offset + pieceBytes, endOffset));
        pieceBytes = Math.min(2 * pieceBytes, MAX_PIECE_BYTES);
      }
      const leftBytes = endOffset - folding.offset;
      const tailBytes = Math.min(leftBytes, folding.offset - begunAt) / 2;
      // The last piece is folded whatever it takes.
      if (leftBytes === 0 || tailBytes < MIN_BATCH_BYTES / 2) return folding;
      folding.text.close();
      from = endOffset - Math.floor(tailBytes);
    }
  }

  #beginFolding(from: number): Folding {
    const text = new TtyText({
      capacityBytes: this.#limitBytes + TAIL_MARGIN_BYTES,
      columns: this.#columns,
      rows: this.#rows,
      budget: this.#budget,
    });
    return {
      text,
      tail: new TextTail(text.committed, this.#limitBytes),
      missesHead: from > 0,
      offset: this.#wholeLineFrom(from),
    };
  }

  /** Where folding can begin without half a character or half an escape sequence. */
  #wholeLineFrom(startOffset: number): number {
    const { endOffset } = this.#ring;
    if (startOffset === 0) return 0;
    let offset = startOffset;
    for (const slice of this.#ring.slices(startOffset, endOffset)) {
      const index = slice.indexOf(LINE_FEED);
      if (index >= 0) return offset + index + 1;
      offset += slice.length;
    }
    const head = this.#ring.copy(startOffset, Math.min(endOffset, startOffset + MAX_PARTIAL_BYTES));
    return startOffset + boundaryAtOrAfter(head, 0);
  }

  #foldPending(folding: Folding): void {
    this.#foldUpTo(folding, this.#ring.endOffset);
  }

  #foldUpTo(folding: Folding, endOffset: number): void {
    for (const slice of this.#ring.slices(folding.offset, endOffset)) {
      folding.text.feed(slice, 0, slice.length);
    }
    folding.offset = endOffset;
  }
}

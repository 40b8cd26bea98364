// The lines that left a screen at the top: text that no output can change any more.
import { Buffer } from "node:buffer";
import type { RingBudget } from "./budget.ts";
import { ByteRing } from "./ring.ts";
import type { ScreenRow } from "./screen-row.ts";

const LINE_FEED = 0x0a;
const LINE_FEEDS = Buffer.alloc(16 * 1024, LINE_FEED);

/** Text in UTF-8 that ends with its last visible character; the line ends after it are only counted. */
export class CommittedText {
  readonly ring: ByteRing;
  readonly #capacityBytes: number;
  #scratch = Buffer.allocUnsafeSlow(1024);
  #pendingLineEnds = 0;
  #isFirstRow = true;
  #endsWithNewline = false;

  constructor(options: { capacityBytes: number; budget?: RingBudget | undefined }) {
    this.#capacityBytes = options.capacityBytes;
    this.ring = new ByteRing(options);
  }

  /** Takes over a row that continues in the next one if that is wrapped. */
  commitRow(row: ScreenRow): void {
    this.#beginRow(row.isWrapped);
    const length = row.contentLength();
    if (length === 0) return;
    this.#reserve(row.maxEncodedBytes(length));
    const end = row.encodeInto(this.#scratch, 0, 0, length);
    this.#push(this.#scratch, end);
    this.#endsWithNewline = row.hasNewline;
  }

  /** Takes over whole lines, each ended by a line feed. */
  commitLines(lines: Uint8Array): void {
    this.#beginRow(false);
    let end = lines.length - 1;
    while (end > 0 && lines[end - 1] === LINE_FEED) end--;
    if (end > 0) {
      this.#push(lines, end);
      this.#endsWithNewline = true;
    }
    this.#pendingLineEnds += lines.length - 1 - end;
  }

  /** Text that the rows of a screen add; an incomplete character at the cursor is shown there. */
  renderEnding(rows: readonly ScreenRow[], incomplete: IncompleteCharacter | undefined): Buffer {
    const lengths = rows.map((row, y) =>
      Math.max(row.contentLength(), y === incomplete?.y ? incomplete.x + 1 : 0),
    );
    const lastRow = lengths.findLastIndex((length) => length > 0);
    if (lastRow < 0) return LINE_FEEDS.subarray(0, this.#endsWithNewline ? 1 : 0);

    const leadingLineEnds = this.#lineEndsBefore(rows[0]!);
    let capacity = leadingLineEnds + 1;
    for (const [y, row] of rows.entries()) capacity += row.maxEncodedBytes(lengths[y]!) + 1;
    const target = Buffer.allocUnsafe(capacity);
    target.fill(LINE_FEED, 0, leadingLineEnds);
    let end = leadingLineEnds;
    for (let y = 0; y <= lastRow; y++) {
      const row = rows[y]!;
      if (y > 0 && !row.isWrapped) target[end++] = LINE_FEED;
      if (y !== incomplete?.y) {
        end = row.encodeInto(target, end, 0, lengths[y]!);
        continue;
      }
      end = row.encodeInto(target, end, 0, incomplete.x);
      end += target.write(incomplete.shownAs, end);
      end = row.encodeInto(target, end, incomplete.x + 1, lengths[y]!);
    }
    if (rows[lastRow]!.hasNewline) target[end++] = LINE_FEED;
    return target.subarray(0, end);
  }

  close(): void {
    this.ring.close();
  }

  #lineEndsBefore(row: ScreenRow): number {
    const own = this.#isFirstRow || row.isWrapped ? 0 : 1;
    // More than the ring could ever hold make no difference to a tail cut from it.
    return Math.min(this.#pendingLineEnds + own, this.#capacityBytes);
  }

  #beginRow(isWrapped: boolean): void {
    if (!this.#isFirstRow && !isWrapped) this.#pendingLineEnds++;
    this.#isFirstRow = false;
  }

  #push(bytes: Uint8Array, end: number): void {
    while (this.#pendingLineEnds > 0) {
      const count = Math.min(this.#pendingLineEnds, LINE_FEEDS.length);
      this.ring.push(LINE_FEEDS, 0, count);
      this.#pendingLineEnds -= count;
    }
    this.ring.push(bytes, 0, end);
  }

  #reserve(sizeBytes: number): void {
    if (this.#scratch.length < sizeBytes) this.#scratch = Buffer.allocUnsafeSlow(sizeBytes * 2);
  }
}

/** A character whose last bytes have not come, and the cell it would be printed in. */
export interface IncompleteCharacter {
  readonly x: number;
  readonly y: number;
  readonly shownAs: string;
}

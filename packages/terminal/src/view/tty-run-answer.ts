// The answer of a tty run: its text folded in batches, at the latest before unfolded bytes leave the ring.
import type { RingBudget } from "./budget.ts";
import type { ByteRing } from "./ring.ts";
import type { RunAnswer } from "./run-answer.ts";
import {
  type Answer,
  ANSWER_MARGIN_BYTES,
  type JsonAnswer,
  type SettledText,
  TailAnswer,
} from "./tail-answer.ts";
import { TtyText } from "./tty-text.ts";
import { boundaryAtOrAfter, MAX_PARTIAL_BYTES } from "./utf8.ts";

const LINE_FEED = 0x0a;
/** Enough that folding is done in bulk, little enough that it does not hold up others. */
const MAX_BATCH_BYTES = 256 * 1024;

interface TtyRunAnswerOptions {
  readonly ring: ByteRing;
  readonly limitBytes: number;
  readonly columns: number;
  readonly rows: number;
  readonly budget?: RingBudget | undefined;
  /** Folding begins with the first byte, or with the first answer from what the ring then holds. */
  readonly begins: "atFirstByte" | "atFirstAnswer";
}

/** Folding under way: `offset` is where it stands. */
interface Folding {
  readonly text: TtyText;
  readonly tail: TailAnswer;
  readonly missesHead: boolean;
  offset: number;
}

/** Answers with what the bytes leave on a screen and above it. */
export class TtyRunAnswer implements RunAnswer {
  readonly #ring: ByteRing;
  readonly #limitBytes: number;
  readonly #budget: RingBudget | undefined;
  readonly #batchBytes: number;
  #columns: number;
  #rows: number;
  #folding: Folding | undefined;
  #hasExited = false;

  constructor(options: TtyRunAnswerOptions) {
    this.#ring = options.ring;
    this.#limitBytes = options.limitBytes;
    this.#budget = options.budget;
    this.#columns = options.columns;
    this.#rows = options.rows;
    this.#batchBytes = Math.min(MAX_BATCH_BYTES, options.ring.guaranteedBytes);
    if (options.begins === "atFirstByte") this.#folding = this.#beginFolding();
  }

  get allocatedBytes(): number {
    return this.#folding ? this.#folding.text.allocatedBytes + this.#folding.tail.allocatedBytes : 0;
  }

  willPush(bytes: Uint8Array, start: number, end: number): void {
    const folding = this.#folding;
    if (!folding) return;
    const endOffset = this.#ring.endOffset + end - start;
    if (endOffset - folding.offset <= this.#batchBytes) return;
    this.#foldPending(folding);
    if (end - start <= this.#batchBytes) return;
    folding.text.feed(bytes, start, end);
    folding.offset = endOffset;
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

  text(): Answer {
    const folding = this.#upToDate();
    const answer = folding.tail.text(this.#settled(folding));
    return { ...answer, truncated: answer.truncated || folding.missesHead };
  }

  json(): JsonAnswer {
    const folding = this.#upToDate();
    const answer = folding.tail.json(this.#settled(folding));
    return { ...answer, truncated: answer.truncated || folding.missesHead };
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
    this.#folding ??= this.#beginFolding();
    this.#foldPending(this.#folding);
    return this.#folding;
  }

  #beginFolding(): Folding {
    const text = new TtyText({
      capacityBytes: this.#limitBytes + ANSWER_MARGIN_BYTES,
      columns: this.#columns,
      rows: this.#rows,
      budget: this.#budget,
    });
    return {
      text,
      tail: new TailAnswer(text.committed, this.#limitBytes),
      missesHead: this.#ring.startOffset > 0,
      offset: this.#firstWholeLine(),
    };
  }

  /** Where folding can begin without half a character or half an escape sequence. */
  #firstWholeLine(): number {
    const { startOffset, endOffset } = this.#ring;
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
    for (const slice of this.#ring.slices(folding.offset, this.#ring.endOffset)) {
      folding.text.feed(slice, 0, slice.length);
    }
    folding.offset = this.#ring.endOffset;
  }
}

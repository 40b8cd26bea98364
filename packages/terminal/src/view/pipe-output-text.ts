// The answer of a text run: its bytes as UTF-8, nothing else.
import type { ByteRing } from "./ring.ts";
import type { RunAnswer } from "./run-answer.ts";
import { type Answer, type JsonAnswer, type SettledText, TailAnswer } from "./tail-answer.ts";
import { incompleteTailBytes, MAX_PARTIAL_BYTES, REPLACEMENT_CHARACTER } from "./utf8.ts";

const NO_ENDING = new Uint8Array(0);

/** Answers with the bytes of the ring themselves. */
export class TextRunAnswer implements RunAnswer {
  readonly #ring: ByteRing;
  readonly #tail: TailAnswer;
  #hasExited = false;

  constructor(ring: ByteRing, limitBytes: number) {
    this.#ring = ring;
    this.#tail = new TailAnswer(ring, limitBytes);
  }

  get allocatedBytes(): number {
    return this.#tail.allocatedBytes;
  }

  willPush(): void {
    // The ring alone keeps all that this answer needs.
  }

  exited(): void {
    this.#hasExited = true;
  }

  resize(): void {
    // A text run has no size.
  }

  text(limitBytes?: number): Answer {
    return this.#tail.text(this.#settled(), limitBytes);
  }

  json(): JsonAnswer {
    return this.#tail.json(this.#settled());
  }

  dropImage(): void {
    this.#tail.dropImage();
  }

  close(): void {
    this.#tail.dropImage();
  }

  #settled(): SettledText {
    const { startOffset, endOffset } = this.#ring;
    const lastBytes = this.#ring.copy(Math.max(startOffset, endOffset - MAX_PARTIAL_BYTES), endOffset);
    const heldBytes = incompleteTailBytes(lastBytes);
    return {
      settledEnd: endOffset - heldBytes,
      ending: heldBytes > 0 && this.#hasExited ? REPLACEMENT_CHARACTER : NO_ENDING,
    };
  }
}

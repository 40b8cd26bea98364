// Output text of a run on pipes: its bytes as UTF-8, nothing else.
import type { ByteRing } from "./ring.ts";
import type { OutputText } from "./output-text.ts";
import { type OutputTail, type JsonOutputTail, type SettledText, TextTail } from "./text-tail.ts";
import { incompleteTailBytes, MAX_PARTIAL_BYTES, REPLACEMENT_CHARACTER } from "./utf8.ts";

const NO_ENDING = new Uint8Array(0);

/** Answers with the bytes of the ring themselves. */
export class PipeOutputText implements OutputText {
  readonly #ring: ByteRing;
  readonly #tail: TextTail;
  #hasExited = false;

  constructor(ring: ByteRing, limitBytes: number) {
    this.#ring = ring;
    this.#tail = new TextTail(ring, limitBytes);
  }

  get allocatedBytes(): number {
    return this.#tail.allocatedBytes;
  }

  willPush(): void {
    // The ring alone keeps all that this text needs.
  }

  exited(): void {
    this.#hasExited = true;
  }

  resize(): void {
    // A text run has no size.
  }

  text(limitBytes?: number): OutputTail {
    return this.#tail.text(this.#settled(), limitBytes);
  }

  json(): JsonOutputTail {
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

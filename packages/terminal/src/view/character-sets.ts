// The two character sets a program can switch between: ASCII, and DEC's set of line drawing characters.

/** Characters of the line drawing set for ` to ~. */
const LINE_DRAWING = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";
const LINE_DRAWING_FIRST = 0x60;

/** One of the places a set can be put: G0 or G1. */
export type CharacterSetSlot = 0 | 1;

interface Selection {
  readonly isDrawing: readonly [g0: boolean, g1: boolean];
  readonly slot: CharacterSetSlot;
}

const ASCII: Selection = { isDrawing: [false, false], slot: 0 };

/** Which set is in use; saved and restored with the cursor. */
export class CharacterSets {
  #selection = ASCII;
  #saved = ASCII;

  /** Whether letters stand for line drawing characters. */
  get isDrawing(): boolean {
    return this.#selection.isDrawing[this.#selection.slot];
  }

  /** The character that is shown for one that was printed. */
  shown(codePoint: number): number {
    if (!this.isDrawing) return codePoint;
    return LINE_DRAWING[codePoint - LINE_DRAWING_FIRST]?.codePointAt(0) ?? codePoint;
  }

  designate(slot: CharacterSetSlot, isDrawing: boolean): void {
    const [g0, g1] = this.#selection.isDrawing;
    const changed: Selection["isDrawing"] = slot === 0 ? [isDrawing, g1] : [g0, isDrawing];
    this.#selection = { ...this.#selection, isDrawing: changed };
  }

  use(slot: CharacterSetSlot): void {
    this.#selection = { ...this.#selection, slot };
  }

  save(): void {
    this.#saved = this.#selection;
  }

  restore(): void {
    this.#selection = this.#saved;
  }

  reset(): void {
    this.#selection = ASCII;
    this.#saved = ASCII;
  }
}

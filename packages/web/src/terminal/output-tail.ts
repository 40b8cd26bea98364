// The end of a text that may be endless: what is appended last is kept, what is older than the bound is dropped.

/** A bounded text; appending costs the same however much was appended before. */
export class OutputTail {
  readonly #maxChars: number;
  #pieces: string[] = [];
  #length = 0;
  #droppedChars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** Characters that are kept. */
  get length(): number {
    return this.#length;
  }

  /** Characters that were dropped at the front since the last `clear` or `take`. */
  get droppedChars(): number {
    return this.#droppedChars;
  }

  /** Adds text at the end. */
  append(text: string): void {
    this.#length += text.length;
    if (text !== "") this.#pieces.push(text);
    this.#trim();
  }

  /** All that is kept. */
  read(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join("")];
    return this.#pieces[0] ?? "";
  }

  /** Removes at most this many characters from the front, with the number of those that were dropped before them. */
  take(maxChars: number): { readonly text: string; readonly droppedChars: number } {
    const droppedChars = this.#droppedChars;
    this.#droppedChars = 0;
    const taken: string[] = [];
    let takenChars = 0;
    while (takenChars < maxChars) {
      const [piece] = this.#pieces;
      if (piece === undefined) break;
      const text = piece.slice(0, cutAt(piece, maxChars - takenChars));
      taken.push(text);
      takenChars += text.length;
      if (text.length === piece.length) this.#pieces.shift();
      else {
        this.#pieces[0] = piece.slice(text.length);
        break;
      }
    }
    this.#length -= takenChars;
    return { text: taken.join(""), droppedChars };
  }

  /** Forgets everything. */
  clear(): void {
    this.#pieces = [];
    this.#length = 0;
    this.#droppedChars = 0;
  }

  #trim(): void {
    let surplus = this.#length - this.#maxChars;
    while (surplus > 0) {
      const [piece] = this.#pieces;
      if (piece === undefined) return;
      const rest = piece.length <= surplus ? "" : wholeFrom(piece, surplus);
      const dropped = piece.length - rest.length;
      if (rest === "") this.#pieces.shift();
      else this.#pieces[0] = rest;
      this.#length -= dropped;
      this.#droppedChars += dropped;
      surplus -= dropped;
    }
  }
}

/** The text from an index on, without half a character at its front. */
function wholeFrom(text: string, index: number): string {
  return text.slice(isLowHalf(text, index) ? index + 1 : index);
}

/** Where to cut so that at most so many characters come before, and none is cut in two; at least one goes. */
function cutAt(text: string, maxChars: number): number {
  if (text.length <= maxChars) return text.length;
  if (!isLowHalf(text, maxChars)) return maxChars;
  return maxChars === 1 ? 2 : maxChars - 1;
}

function isLowHalf(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}

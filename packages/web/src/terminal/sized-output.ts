// The end of a terminal's output, with the size of the screen that each part of it was written for.
import type { TerminalSize } from "@holdfast/ahp";
import { OutputTail } from "./output-tail.ts";

/** Output that was written for one size; undefined for output of a run without a screen. */
export interface SizedText {
  readonly size: TerminalSize | undefined;
  readonly text: string;
}

/** A bounded output: the oldest characters are dropped. */
export class SizedOutput {
  readonly #maxChars: number;
  /** Parts that were written for earlier sizes. */
  #earlier: SizedText[] = [];
  #size: TerminalSize | undefined;
  #isCut = false;
  readonly #tail: OutputTail;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
    this.#tail = new OutputTail(maxChars);
  }

  /** Whether older output was dropped. */
  get isCut(): boolean {
    return this.#isCut || this.#tail.droppedChars > 0;
  }

  append(text: string): void {
    this.#tail.append(text);
  }

  /** What is appended from now on is written for this size. */
  resize(size: TerminalSize | undefined): void {
    if (size?.cols === this.#size?.cols && size?.rows === this.#size?.rows) return;
    if (this.#tail.length > 0) {
      this.#isCut = this.isCut;
      this.#trim([...this.#earlier, this.#last()], this.#maxChars);
      this.#tail.clear();
    }
    this.#size = size;
  }

  /** All that is kept; the last part has the current size. */
  read(): readonly SizedText[] {
    this.#trim(this.#earlier, this.#maxChars - this.#tail.length);
    return [...this.#earlier, this.#last()];
  }

  clear(): void {
    this.#earlier = [];
    this.#tail.clear();
    this.#isCut = false;
  }

  #trim(parts: readonly SizedText[], maxChars: number): void {
    this.#isCut ||= lengthOf(parts) > maxChars;
    this.#earlier = lastParts(parts, maxChars);
  }

  #last(): SizedText {
    return { size: this.#size, text: this.#tail.read() };
  }
}

/** The characters of all parts. */
export function lengthOf(parts: readonly SizedText[]): number {
  return parts.reduce((sum, { text }) => sum + text.length, 0);
}

/** The last parts, with at most this many characters in total. */
export function lastParts(parts: readonly SizedText[], maxChars: number): SizedText[] {
  const kept: SizedText[] = [];
  let leftChars = maxChars;
  for (const { size, text } of parts.toReversed()) {
    if (leftChars <= 0) break;
    const tail = new OutputTail(leftChars);
    tail.append(text);
    if (tail.length > 0) kept.push({ size, text: tail.read() });
    leftChars -= text.length;
  }
  return kept.toReversed();
}

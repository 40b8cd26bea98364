// Collects the pieces of one word: what is known of its value, and what expansions leave open.
import type { ShellWord, WordCount } from "./shell-line.ts";

const order: Readonly<Record<WordCount, number>> = { one: 0, some: 1, any: 2 };

export class WordBuilder {
  #text = "";
  #prefix: string | undefined;
  #count: WordCount = "one";
  #why: string | undefined;
  /** The text before the first unquoted `{`, which brace expansion repeats. */
  #beforeBrace: string | undefined;
  #braceSeparates = false;
  /** Length of the text before the first quote, escape or expansion. */
  bareLength = Number.POSITIVE_INFINITY;

  get text(): string {
    return this.#text;
  }

  get isKnown(): boolean {
    return this.#prefix === undefined;
  }

  /** Everything in it stands as it is: no quotes, no escapes, no expansions. */
  get isBare(): boolean {
    return this.isKnown && this.bareLength === Number.POSITIVE_INFINITY;
  }

  add(literal: string): void {
    this.#text += literal;
    if (this.#beforeBrace !== undefined && /[,.]/.test(literal)) this.#braceSeparates = true;
  }

  quote(): void {
    this.bareLength = Math.min(this.bareLength, this.#text.length);
  }

  addUnknown(count: WordCount, why: string): void {
    this.quote();
    this.#prefix ??= this.#text;
    this.#why ??= why;
    if (order[count] > order[this.#count]) this.#count = count;
    this.#braceSeparates ||= this.#beforeBrace !== undefined;
  }

  openBrace(): void {
    this.#beforeBrace ??= this.#text;
    this.add("{");
  }

  /** Brace expansion makes several words, all beginning with what stands before the brace. */
  closeBrace(): void {
    this.add("}");
    const before = this.#beforeBrace;
    if (before === undefined || !this.#braceSeparates) return;
    // An empty alternative leaves no word at all.
    this.addUnknown(before === "" ? "any" : "some", "brace expansion");
    if (before.length < (this.#prefix ?? "").length) this.#prefix = before;
  }

  build(source: string): ShellWord {
    if (this.#prefix === undefined) {
      return { source, value: this.#text, prefix: this.#text, count: "one" };
    }
    const why = this.#why ?? "expansion";
    return { source, value: undefined, prefix: this.#prefix, count: this.#count, why };
  }
}

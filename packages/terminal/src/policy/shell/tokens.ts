// Reserved words, operators and line breaks at the cursor.
import type { HereDocuments } from "./here-document.ts";
import { endingWords, reserved } from "./reserved-words.ts";
import type { ShellSyntaxError, Source } from "./source.ts";

export class Tokens {
  readonly #source: Source;
  readonly #documents: HereDocuments;

  constructor(source: Source, documents: HereDocuments) {
    this.#source = source;
    this.#documents = documents;
  }

  /** Whether no further command of a list begins here. */
  endsList(): boolean {
    const source = this.#source;
    if (source.isAtEnd || source.peek() === ")" || source.startsWith(";;") || source.startsWith(";&")) {
      return true;
    }
    return endingWords.has(this.peekReserved() ?? "");
  }

  /** Moves past a reserved word that must be here. */
  expect(word: string): void {
    this.skipLines();
    if (this.peekReserved() !== word) throw this.#source.error(`${word} is missing`);
    this.#source.at += word.length;
  }

  peekReserved(): string | undefined {
    this.#source.skipBlanks();
    return this.#source.match(reserved)?.[0];
  }

  takeAny(tokens: readonly string[]): boolean {
    return tokens.some((token) => this.#source.take(token));
  }

  /** Blanks, comments and line breaks, with the here-documents that follow them. */
  skipLines(): void {
    const source = this.#source;
    source.skipBlanks();
    while (source.peek() === "\n") {
      source.at += 1;
      this.#documents.readBodies();
      source.skipBlanks();
    }
  }

  unexpected(at = this.#source.at): ShellSyntaxError {
    const found = this.#source.text.charAt(at);
    const reason = found === "" ? "unexpected end" : `unexpected ${JSON.stringify(found)}`;
    return this.#source.error(reason, at);
  }
}

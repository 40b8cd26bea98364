// Here-documents: announced by an operator, read at the next line break.
import type { Source } from "./source.ts";
import type { ShellWord } from "./shell-line.ts";

interface Announced {
  readonly end: string;
  readonly stripsTabs: boolean;
  readonly isLiteral: boolean;
}

/** Text in an unquoted document that runs something. */
const substitutes = /`|\$[({[]/;

export class HereDocuments {
  readonly #source: Source;
  readonly #onSubstitution: (at: number) => void;
  #announced: Announced[] = [];

  constructor(source: Source, onSubstitution: (at: number) => void) {
    this.#source = source;
    this.#onSubstitution = onSubstitution;
  }

  announce(delimiter: ShellWord, isBare: boolean, stripsTabs: boolean): void {
    const { value, source } = delimiter;
    // Shells read a delimiter without expanding it, which none of these would survive.
    if (value === undefined || value.includes("\n") || /[$`~]/.test(source)) {
      throw this.#source.error("delimiter of a here-document");
    }
    this.#announced.push({ end: value, stripsTabs, isLiteral: !isBare });
  }

  /** Fails where the text ends before the documents do. */
  expectNone(): void {
    if (this.#announced.length > 0) throw this.#source.error("here-document without a body");
  }

  /** Reads the documents that were announced before this line break. */
  readBodies(): void {
    const announced = this.#announced;
    this.#announced = [];
    for (const document of announced) this.#readBody(document);
  }

  #readBody({ end, stripsTabs, isLiteral }: Announced): void {
    const source = this.#source;
    const start = source.at;
    for (;;) {
      if (source.isAtEnd) throw source.error("here-document without an end", start);
      const found = source.text.indexOf("\n", source.at);
      const next = found === -1 ? source.text.length : found;
      const line = source.text.slice(source.at, next);
      const lineStart = source.at;
      source.at = Math.min(next + 1, source.text.length);
      if ((stripsTabs ? line.replace(/^\t+/, "") : line) === end) return;
      if (isLiteral) continue;
      if (substitutes.test(line)) this.#onSubstitution(lineStart);
      if (line.endsWith("\\")) throw source.error("line continuation inside a here-document", lineStart);
    }
  }
}

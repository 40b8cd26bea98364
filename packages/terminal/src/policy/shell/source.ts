// A cursor over the text of a line, and the error for what the grammar does not understand.

/** Thrown for whatever is not understood: a line is then asked about, never allowed. */
export class ShellSyntaxError extends Error {
  readonly at: number;

  constructor(reason: string, at: number) {
    super(reason);
    this.at = at;
  }
}

/** Characters that end an unquoted word. */
const meta = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")", ""]);

export function isMeta(character: string): boolean {
  return meta.has(character);
}

/** The text that is being read. */
export class Source {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** The character `ahead` of the cursor; empty after the end. */
  peek(ahead = 0): string {
    return this.text.charAt(this.at + ahead);
  }

  startsWith(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  /** Whether a line continuation stands at the cursor, or `ahead` of it. */
  isContinuation(ahead = 0): boolean {
    return this.text.startsWith("\\\n", this.at + ahead);
  }

  /** Moves past the token if it is there. Shells join lines before they read operators, which is not imitated. */
  take(token: string): boolean {
    if (!this.startsWith(token)) return false;
    this.at += token.length;
    if (this.isContinuation()) throw this.error("line continuation after an operator");
    return true;
  }

  /** Whether a sticky expression matches at the cursor. */
  isAt(expression: RegExp): boolean {
    return this.match(expression) !== null;
  }

  /** Matches a sticky expression at the cursor, without moving. */
  match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.at;
    return expression.exec(this.text);
  }

  /** Blanks, continuations, and a comment where a word could begin. */
  skipBlanks(): void {
    for (;;) {
      const character = this.peek();
      if (character === " " || character === "\t") this.at += 1;
      else if (this.isContinuation()) this.at += 2;
      else break;
    }
    if (this.peek() !== "#") return;
    const end = this.text.indexOf("\n", this.at);
    this.at = end === -1 ? this.text.length : end;
  }

  error(reason: string, at = this.at): ShellSyntaxError {
    return new ShellSyntaxError(reason, at);
  }
}

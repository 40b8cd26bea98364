// Reads a notification that comes again and again with nothing changed but one text, without parsing the rest again.

/** A kind of notification that repeats itself but for one text, such as the pieces of an answer. */
export interface RepeatedTextOptions {
  readonly method: string;
  /** The text that changes; undefined where the parameters have none. */
  read(params: unknown): string | undefined;
  /** Takes a notification whose parameters are these with another text; it must not wait. */
  handle(params: unknown, text: string): void;
}

/** What stands before and after the text in a message, and the parameters that they mean. */
interface Template {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly params: unknown;
}

const QUOTE = 34;
const BACKSLASH = 92;
const FIRST_PRINTABLE = 32;
/** The characters that a JSON string cannot hold as they are. */
const needsEscape = /["\\\u0000-\u001f]/;

/**
 * Remembers the last message of its kind. A message that begins and ends like it, with a JSON string between, can mean
 * nothing else than the same with another text: so it is exact, and a message that differs elsewhere is simply parsed.
 */
export class RepeatedText {
  readonly #options: RepeatedTextOptions;
  readonly #decoder = new TextDecoder();
  #template: Template | undefined;

  constructor(options: RepeatedTextOptions) {
    this.#options = options;
  }

  get method(): string {
    return this.#options.method;
  }

  /** The parameters that the remembered message had. */
  get params(): unknown {
    return this.#template?.params;
  }

  /** The text of a message that is like the remembered one; undefined for any other. */
  match(bytes: Uint8Array, start: number, end: number): string | undefined {
    if (this.#template === undefined) return undefined;
    const { before, after } = this.#template;
    const from = start + before.length;
    const to = end - after.length;
    if (to < from || !isAt(bytes, to, after) || !isAt(bytes, start, before)) return undefined;
    return this.#readString(bytes, from, to);
  }

  handle(text: string): void {
    this.#options.handle(this.#template?.params, text);
  }

  /** Remembers a message that was parsed; one whose text stands in it more than once teaches nothing. */
  learn(message: string, params: unknown): void {
    const text = this.#options.read(params);
    if (text === undefined || text === "" || needsEscape.test(text)) return;
    const literal = `"${text}"`;
    const at = message.indexOf(literal);
    if (at === -1 || message.includes(literal, at + 1)) return;
    const encoder = new TextEncoder();
    this.#template = {
      before: encoder.encode(message.slice(0, at + 1)),
      after: encoder.encode(message.slice(at + literal.length - 1)),
      params,
    };
  }

  /** The text that a JSON string without its quotes stands for; undefined when it is not one string. */
  #readString(bytes: Uint8Array, from: number, to: number): string | undefined {
    let isPlain = true;
    for (let at = from; at < to && isPlain; at += 1) {
      const byte = bytes[at] ?? 0;
      isPlain = byte !== QUOTE && byte !== BACKSLASH && byte >= FIRST_PRINTABLE;
    }
    const inside = this.#decoder.decode(bytes.subarray(from, to));
    if (isPlain) return inside;
    try {
      return JSON.parse(`"${inside}"`) as string;
    } catch {
      // An unescaped quote or control character: more than a text has changed.
      return undefined;
    }
  }
}

function isAt(bytes: Uint8Array, start: number, wanted: Uint8Array): boolean {
  for (let at = 0; at < wanted.length; at += 1) if (bytes[start + at] !== wanted[at]) return false;
  return true;
}

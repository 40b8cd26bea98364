// Reads a notification that comes again and again with nothing changed but one text, without parsing the rest again.

/** A kind of notification that repeats itself but for one text, such as the pieces of an answer. */
export interface RepeatedTextOptions {
  readonly method: string;
  /** The text that changes; undefined where the parameters have none. */
  read(params: unknown): string | undefined;
  /** Takes a notification whose parameters are these with another text; it must not wait. */
  handle(params: unknown, text: string): void;
  /** Whether the texts of notifications that directly follow each other may be handled as one. Default: no. */
  joins?(params: unknown): boolean;
}

/** Bytes before and after the text in a message, and the parameters that they stand for. */
interface Template {
  readonly before: DataView;
  readonly after: DataView;
  readonly params: unknown;
}

const noBytes = new DataView(new ArrayBuffer(0));
/** A larger buffer is not kept for the next texts. */
const MAX_KEPT_BYTES = 64 * 1024;
/** The characters that a JSON string cannot hold as they are. */
const needsEscape = /["\\\u0000-\u001f]/;

/**
 * Remembers the last message of its kind. A message that begins and ends like it, with a JSON string between, can mean
 * nothing else than the same with another text: so it is exact, and a message that differs elsewhere is simply parsed.
 */
export class RepeatedText {
  readonly #options: RepeatedTextOptions;
  // A text may begin with a byte order mark: it is kept, as JSON.parse keeps it.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #template: Template | undefined;
  /** Buffer of the last message: the next is nearly always in the same one. */
  #view: DataView = noBytes;
  /** The texts that wait to be handled as one. */
  #joined: DataView = noBytes;
  #joinedBytes = 0;
  #isJoining = false;

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

  /** Whether texts wait to be handled as one. */
  get isJoining(): boolean {
    return this.#isJoining;
  }

  /** Whether a message is the remembered one but for what stands in the place of its text. */
  resembles(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#template === undefined) return false;
    const { before, after } = this.#template;
    const to = end - after.byteLength;
    if (start + before.byteLength > to) return false;
    const view = this.#viewOf(bytes);
    return isAt(view, bytes.byteOffset + to, after) && isAt(view, bytes.byteOffset + start, before);
  }

  /** The text of a message that resembles the remembered one; undefined when more than a text has changed. */
  read(bytes: Uint8Array, start: number, end: number): string | undefined {
    const { from, to } = this.#placeOfText(start, end);
    const inside = this.#decoder.decode(bytes.subarray(from, to));
    if (!needsEscape.test(inside)) return inside;
    try {
      return JSON.parse(`"${inside}"`) as string;
    } catch {
      // An unescaped quote or control character.
      return undefined;
    }
  }

  /** Whether the texts of messages like the remembered one may be joined. */
  get mayJoin(): boolean {
    return this.#options.joins?.(this.params) ?? false;
  }

  /**
   * Adds the text of a message that resembles the remembered one to those that wait: one text is decoded, not many.
   * False when its bytes cannot simply follow theirs; then they must be handled first.
   */
  join(bytes: Uint8Array, start: number, end: number): boolean {
    const { from, to } = this.#placeOfText(start, end);
    // Such a byte could complete a broken character before it.
    if (isContinuationByte(bytes[from] ?? 0)) return false;
    const joined = this.#makeRoom(to - from);
    const offset = bytes.byteOffset;
    const isPlain = copyPlain(this.#viewOf(bytes), offset + from, offset + to, joined, this.#joinedBytes);
    if (!isPlain) return false;
    this.#joinedBytes += to - from;
    this.#isJoining = true;
    return true;
  }

  /** Takes the texts that were joined. */
  takeJoined(): string {
    const text = this.#decoder.decode(new Uint8Array(this.#joined.buffer, 0, this.#joinedBytes));
    this.#joinedBytes = 0;
    this.#isJoining = false;
    if (this.#joined.byteLength > MAX_KEPT_BYTES) this.#joined = noBytes;
    return text;
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
    this.#template = {
      before: encode(message.slice(0, at + 1)),
      after: encode(message.slice(at + literal.length - 1)),
      params,
    };
  }

  #placeOfText(start: number, end: number): { readonly from: number; readonly to: number } {
    const { before, after } = this.#template ?? { before: noBytes, after: noBytes };
    return { from: start + before.byteLength, to: end - after.byteLength };
  }

  /** All of the buffer that the bytes are in. */
  #viewOf({ buffer }: Uint8Array): DataView {
    if (this.#view.buffer !== buffer) this.#view = new DataView(buffer);
    return this.#view;
  }

  #makeRoom(addedBytes: number): DataView {
    const neededBytes = this.#joinedBytes + addedBytes;
    if (neededBytes > this.#joined.byteLength) {
      const grown = new Uint8Array(Math.max(neededBytes, this.#joined.byteLength * 2));
      grown.set(new Uint8Array(this.#joined.buffer, 0, this.#joinedBytes));
      this.#joined = new DataView(grown.buffer);
    }
    return this.#joined;
  }
}

function isContinuationByte(byte: number): boolean {
  return byte >>> 6 === 2;
}

function encode(text: string): DataView {
  const { buffer, byteOffset, byteLength } = new TextEncoder().encode(text);
  return new DataView(buffer, byteOffset, byteLength);
}

const QUOTE = 34;
const BACKSLASH = 92;
const FIRST_PRINTABLE = 32;
/** A byte in all four places of a word. */
const EACH = 0x01_01_01_01;
const HIGH_BITS = 0x80_80_80_80;

/** Four bytes at a time, here and below, take a third of the CPU that one at a time takes. */
function isAt(bytes: DataView, start: number, wanted: DataView): boolean {
  const { byteLength } = wanted;
  let at = 0;
  for (; at + 4 <= byteLength; at += 4) {
    if (bytes.getInt32(start + at, true) !== wanted.getInt32(at, true)) return false;
  }
  for (; at < byteLength; at += 1) {
    if (bytes.getUint8(start + at) !== wanted.getUint8(at)) return false;
  }
  return true;
}

/** Copies bytes; false when one of them cannot stand for itself in a JSON string, and then only some are copied. */
function copyPlain(
  bytes: DataView,
  start: number,
  end: number,
  target: DataView,
  targetStart: number,
): boolean {
  const shift = targetStart - start;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = bytes.getInt32(at, true);
    if (hasSpecial(word)) return false;
    target.setInt32(at + shift, word, true);
  }
  for (; at < end; at += 1) {
    const byte = bytes.getUint8(at);
    if (byte === QUOTE || byte === BACKSLASH || byte < FIRST_PRINTABLE) return false;
    target.setUint8(at + shift, byte);
  }
  return true;
}

/** Whether a byte of the word is a quote, a backslash or a control character: https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord */
function hasSpecial(word: number): boolean {
  const quotes = word ^ (EACH * QUOTE);
  const backslashes = word ^ (EACH * BACKSLASH);
  const below =
    ((word - EACH * FIRST_PRINTABLE) & ~word) |
    ((quotes - EACH) & ~quotes) |
    ((backslashes - EACH) & ~backslashes);
  return (below & HIGH_BITS) !== 0;
}

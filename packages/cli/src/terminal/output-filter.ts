// Filter for the output of programs that a person watches: takes out what acts on the person's terminal beyond its screen (C624).

const ESC = 0x1b;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const BACKSLASH = 0x5c;
const SEMICOLON = 0x3b;
const DELETE = 0x7f;
/** The first byte of the 8-bit controls as UTF-8 writes them; alone, their bytes occur within other characters. */
const C1_LEAD = 0xc2;
const C1_STRING_END = 0x9c;

/** The kind of a sequence: the byte after ESC. */
const CONTROL = 0x5b;
const COMMAND = 0x5d;
/** DCS, SOS, PM, APC; and the title of screen and tmux. */
const strings: ReadonlySet<number> = new Set([0x50, 0x58, 0x5e, 0x5f, 0x6b]);
const c1Forms: ReadonlyMap<number, number> = new Map([
  [0x90, 0x50],
  [0x98, 0x58],
  [0x9b, CONTROL],
  [0x9d, COMMAND],
  [0x9e, 0x5e],
  [0x9f, 0x5f],
]);

/** The only OSC that pass: colours, set, asked for and reset. */
const harmlessCommands: ReadonlySet<number> = new Set([
  4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 104, 105, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119,
]);
/** Window operations that only report a size. The others move, resize and hide the window, or report its title. */
const harmlessWindowOperations: ReadonlySet<number> = new Set([14, 16, 18]);
const WINDOW_OPERATION = 0x74; // t
const MEDIA_COPY = 0x69; // i
/** ESC % leaves UTF-8, where single bytes become controls; ESC SP makes the terminal answer in 8-bit controls. */
const closedIntermediates: ReadonlySet<number> = new Set([0x20, 0x25]);

/** No sequence that passes is longer. */
const maxSequenceBytes = 1024;
/** A string that is longer was never ended: what follows is shown. */
const maxStringBytes = 1024 * 1024;

const nothing = new Uint8Array();

/** The sequence at an index. */
type Found =
  | { readonly kind: "kept" | "dropped"; readonly end: number }
  /** Everything up to its end is dropped. */
  | { readonly kind: "string"; readonly end: number; readonly isCommand: boolean }
  /** The next chunk decides. */
  | { readonly kind: "unfinished" };

/**
 * Passes everything else on byte for byte, the same at any split of the input. Plain text costs a native search.
 * A sequence that is cut off by another one is dropped, so that its rest cannot join with what follows.
 */
export class OutputFilter {
  #held: Uint8Array = nothing;
  #string: { readonly isCommand: boolean; bytes: number } | undefined;

  /** The next bytes without what must not be shown. */
  push(chunk: Uint8Array): Uint8Array {
    const data = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = nothing;
    const kept: Uint8Array[] = [];
    const search = new IntroducerSearch(data);
    let index = 0;
    while (index < data.length) {
      if (this.#string !== undefined) {
        index = this.#skipString(data, index);
        continue;
      }
      const start = search.next(index);
      if (start > index) kept.push(data.subarray(index, start));
      if (start === data.length) break;
      const found = readSequence(data, start);
      if (found.kind === "unfinished") {
        this.#held = data.slice(start);
        break;
      }
      if (found.kind === "kept") kept.push(data.subarray(start, found.end));
      if (found.kind === "string") this.#string = { isCommand: found.isCommand, bytes: 0 };
      index = found.end;
    }
    const [only = nothing] = kept;
    return kept.length > 1 ? Buffer.concat(kept) : only;
  }

  /** The same for text; text without any control costs one search. */
  pushText(text: string): string {
    const isPlain = this.#string === undefined && this.#held.length === 0;
    if (isPlain && !/[\u001B\u0080-\u009F]/.test(text)) return text;
    return Buffer.from(this.push(Buffer.from(text))).toString();
  }

  /** Returns the index after what it has skipped. */
  #skipString(data: Uint8Array, from: number): number {
    const string = this.#string;
    if (string === undefined) return from;
    for (let index = from; index < data.length; index++) {
      const byte = data[index]!;
      const isEnd = byte === CAN || byte === SUB || (byte === BEL && string.isCommand);
      if (isEnd) return this.#endString(index + 1);
      if (byte === ESC || byte === C1_LEAD) {
        if (index + 1 === data.length) {
          this.#held = data.slice(index);
          return data.length;
        }
        const next = data[index + 1]!;
        if (byte === ESC ? next === BACKSLASH : next === C1_STRING_END) return this.#endString(index + 2);
        // Another sequence cuts it off.
        if (byte === ESC || c1Forms.has(next)) return this.#endString(index);
      }
      string.bytes += 1;
      if (string.bytes > maxStringBytes) return this.#endString(index + 1);
    }
    return data.length;
  }

  #endString(end: number): number {
    this.#string = undefined;
    return end;
  }
}

/** Finds the bytes that begin a sequence, or may, with one native search for each occurrence. */
class IntroducerSearch {
  readonly #data: Uint8Array;
  #escape = -1;
  #lead = -1;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  /** The first one from an index on; the end of the data when there is none. */
  next(from: number): number {
    const data = this.#data;
    if (this.#escape < from) this.#escape = find(data, ESC, from);
    if (this.#lead < from) this.#lead = find(data, C1_LEAD, from);
    while (this.#lead < this.#escape) {
      const next = data[this.#lead + 1];
      if (next === undefined || next === ESC || next === C1_LEAD || c1Forms.has(next)) return this.#lead;
      this.#lead = find(data, C1_LEAD, this.#lead + 1);
    }
    return this.#escape;
  }
}

function find(data: Uint8Array, byte: number, from: number): number {
  const at = data.indexOf(byte, from);
  return at === -1 ? data.length : at;
}

function readSequence(data: Uint8Array, start: number): Found {
  if (data[start] === C1_LEAD) {
    const next = data[start + 1];
    if (next === undefined) return { kind: "unfinished" };
    const form = c1Forms.get(next);
    // Otherwise it is half a character before a sequence that may be dropped, and must not meet another half then.
    return form === undefined ? { kind: "dropped", end: start + 1 } : readBody(data, start, start + 2, form);
  }
  const at = skipControls(data, start + 1);
  const byte = data[at];
  if (isTooLong(start, at)) return { kind: "dropped", end: start + maxSequenceBytes };
  if (byte === undefined) return { kind: "unfinished" };
  if (byte === CAN || byte === SUB) return { kind: "kept", end: at + 1 };
  if (byte === ESC || byte > DELETE) return { kind: "dropped", end: at };
  if (byte >= 0x20 && byte < 0x30) return readCharset(data, start, at);
  return readBody(data, start, at + 1, byte);
}

/** Reads what follows the introducer of a sequence. */
function readBody(data: Uint8Array, start: number, from: number, form: number): Found {
  if (form === CONTROL) return readControl(data, start, from);
  if (form === COMMAND) return readCommand(data, start, from);
  if (strings.has(form)) return { kind: "string", end: from, isCommand: false };
  return { kind: "kept", end: from };
}

/** Terminals obey other control characters within a sequence, and the sequence continues. */
function skipControls(data: Uint8Array, from: number): number {
  let at = from;
  while (at < data.length && isControl(data[at]!)) at += 1;
  return at;
}

function isControl(byte: number): boolean {
  return byte === DELETE || (byte < 0x20 && byte !== ESC && byte !== CAN && byte !== SUB);
}

/** ESC, intermediate bytes, and a final byte. */
function readCharset(data: Uint8Array, start: number, from: number): Found {
  for (let at = from; at < data.length; at++) {
    const byte = data[at]!;
    if (byte === ESC || byte > DELETE || isTooLong(start, at)) return { kind: "dropped", end: at };
    if (byte === CAN || byte === SUB) return { kind: "kept", end: at + 1 };
    if (byte >= 0x30 && byte < DELETE) {
      return { kind: closedIntermediates.has(data[from]!) ? "dropped" : "kept", end: at + 1 };
    }
  }
  return { kind: "unfinished" };
}

function readControl(data: Uint8Array, start: number, from: number): Found {
  for (let at = from; at < data.length; at++) {
    const byte = data[at]!;
    if (byte === ESC || byte > DELETE || isTooLong(start, at)) return { kind: "dropped", end: at };
    if (byte === CAN || byte === SUB) return { kind: "kept", end: at + 1 };
    if (byte >= 0x40 && byte < DELETE) {
      return { kind: isHarmlessControl(data, from, at) ? "kept" : "dropped", end: at + 1 };
    }
  }
  return { kind: "unfinished" };
}

function isHarmlessControl(data: Uint8Array, from: number, final: number): boolean {
  const byte = data[final];
  if (byte === MEDIA_COPY) return false;
  if (byte !== WINDOW_OPERATION) return true;
  return harmlessWindowOperations.has(readNumber(data, from, final));
}

/** An operating system command: one that passes is read to its end, all others are dropped from here on. */
function readCommand(data: Uint8Array, start: number, from: number): Found {
  const dropped: Found = { kind: "string", end: from, isCommand: true };
  let isCode = true;
  for (let at = from; at < data.length; at++) {
    const byte = data[at]!;
    if (isTooLong(start, at)) return dropped;
    if (isCode && (byte < 0x30 || byte > 0x39)) {
      if (byte !== SEMICOLON && byte !== BEL && byte !== ESC && byte !== C1_LEAD) return dropped;
      if (!harmlessCommands.has(readNumber(data, from, at))) return dropped;
      isCode = false;
    }
    if (byte === BEL) return { kind: "kept", end: at + 1 };
    if (byte === ESC || byte === C1_LEAD) {
      const next = data[at + 1];
      if (next === undefined) return { kind: "unfinished" };
      if (byte === ESC ? next === BACKSLASH : next === C1_STRING_END) return { kind: "kept", end: at + 2 };
      return dropped;
    }
    if (byte < 0x20 || byte >= DELETE) return dropped;
  }
  return { kind: "unfinished" };
}

/** The decimal number at the start of a range; NaN where there is none. */
function readNumber(data: Uint8Array, from: number, end: number): number {
  const [digits = ""] = /^\d*/.exec(Buffer.from(data.subarray(from, end)).toString("latin1")) ?? [];
  return digits === "" ? Number.NaN : Number(digits);
}

function isTooLong(start: number, at: number): boolean {
  return at - start >= maxSequenceBytes;
}

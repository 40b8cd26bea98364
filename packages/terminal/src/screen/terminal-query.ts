// What programs ask of their terminal, found in their output at any split.
const ESC = 0x1b;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
/** Longer than any question; what is longer asks nothing. */
const MAX_LENGTH = 128;

/** A question of a program. */
export type TerminalQuery =
  /** Primary, secondary or tertiary device attributes (DA1, DA2, DA3): which terminal are you? */
  | { readonly kind: "attributes"; readonly level: 1 | 2 | 3 }
  /** Its name and version (XTVERSION). */
  | { readonly kind: "version" }
  /** Whether it is well (DSR 5). */
  | { readonly kind: "status" }
  /** Where the cursor is (CPR; `isExtended` for DECXCPR). */
  | { readonly kind: "cursor"; readonly isExtended: boolean }
  /** Whether a mode is set (DECRQM). */
  | { readonly kind: "mode"; readonly number: number; readonly isPrivate: boolean }
  /** A colour: of the palette (`code` 4 and an index), foreground (10), background (11) or cursor (12). */
  | {
      readonly kind: "color";
      readonly code: 4 | 10 | 11 | 12;
      readonly index: number;
      /** How the question ended, which is how the answer ends. */
      readonly terminator: "\x07" | "\x1b\\";
    };

/** A question and the offset after it. */
export interface AskedQuery {
  readonly query: TerminalQuery;
  readonly offset: number;
}

/** Reads a stream for questions; plain output costs one native search. */
export class QueryReader {
  #offset: number;
  /** The sequence that is being read, without its ESC; undefined between sequences. */
  #sequence: string | undefined;

  /** `offset`: that of the first byte it will be given. */
  constructor(offset = 0) {
    this.#offset = offset;
  }

  /** The questions that end in these bytes. */
  push(bytes: Uint8Array): readonly AskedQuery[] {
    const asked: AskedQuery[] = [];
    let index = 0;
    while (index < bytes.length) {
      if (this.#sequence === undefined) {
        index = bytes.indexOf(ESC, index);
        if (index === -1) break;
        this.#sequence = "";
      } else {
        const offset = this.#offset + index + 1;
        for (const query of this.#step(bytes[index]!)) asked.push({ query, offset });
      }
      index++;
    }
    this.#offset += bytes.length;
    return asked;
  }

  #step(byte: number): readonly TerminalQuery[] {
    const sequence = this.#sequence ?? "";
    if (byte === ESC) {
      // The end of a string, of which the backslash is still to come; or of anything else.
      this.#sequence = sequence.startsWith("]") && !sequence.endsWith("\x1b") ? `${sequence}\x1b` : "";
      return [];
    }
    if (sequence.endsWith("\x1b")) {
      this.#sequence = undefined;
      if (byte === 0x5c) return readColorQuery(sequence.slice(1, -1), "\x1b\\");
      this.#sequence = "";
      return this.#step(byte);
    }
    if (byte === CAN || byte === SUB || sequence.length === MAX_LENGTH) {
      this.#sequence = undefined;
    } else if (sequence === "") {
      this.#sequence = byte === 0x5b || byte === 0x5d ? String.fromCodePoint(byte) : undefined;
    } else if (sequence.startsWith("]")) {
      if (byte !== BEL) {
        this.#sequence = sequence + String.fromCodePoint(byte);
        return [];
      }
      this.#sequence = undefined;
      return readColorQuery(sequence.slice(1), "\x07");
    } else if (byte >= 0x20) {
      const grown = sequence + String.fromCodePoint(byte);
      this.#sequence = byte < 0x40 ? grown : undefined;
      if (byte >= 0x40) return readControlQuery(grown.slice(1));
    }
    return [];
  }
}

const controlQueries: Readonly<Record<string, TerminalQuery>> = {
  c: { kind: "attributes", level: 1 },
  ">c": { kind: "attributes", level: 2 },
  "=c": { kind: "attributes", level: 3 },
  ">q": { kind: "version" },
  "5n": { kind: "status" },
  "6n": { kind: "cursor", isExtended: false },
  "?6n": { kind: "cursor", isExtended: true },
};

function readControlQuery(control: string): readonly TerminalQuery[] {
  // A lone 0 is the same as nothing.
  const query = controlQueries[control.replace(/^([>=]?)0(?=[cq]$)/, "$1")];
  if (query !== undefined) return [query];
  const [, prefix, number] = /^(\??)(\d{1,5})\$p$/.exec(control) ?? [];
  return number === undefined ? [] : [{ kind: "mode", number: Number(number), isPrivate: prefix === "?" }];
}

function readColorQuery(command: string, terminator: "\x07" | "\x1b\\"): readonly TerminalQuery[] {
  const [code, ...fields] = command.split(";");
  if (code === "4") {
    return fields.flatMap((field, at): TerminalQuery[] =>
      at % 2 === 0 && fields[at + 1] === "?" && /^\d{1,3}$/.test(field) && Number(field) < 256
        ? [{ kind: "color", code: 4, index: Number(field), terminator }]
        : [],
    );
  }
  const first = Number(code);
  if (first < 10 || first > 12 || !/^1[012]$/.test(code ?? "")) return [];
  // Each further field is about the next of the three.
  return fields.flatMap((field, at): TerminalQuery[] => {
    const asked = first + at;
    if (field !== "?" || (asked !== 10 && asked !== 11 && asked !== 12)) return [];
    return [{ kind: "color", code: asked, index: 0, terminator }];
  });
}

// Answers what programs ask of their terminal, where nobody's own terminal does (T94).
import { type AskedQuery, QueryReader, type TerminalQuery } from "./terminal-query.ts";
import type { TerminalScreen } from "./terminal-screen.ts";

/** Colours as `0xRRGGBB`. */
export interface ColorScheme {
  readonly foreground: number;
  readonly background: number;
  readonly cursor: number;
  /** The first 16 of the palette; the others are the same everywhere. */
  readonly palette: readonly number[];
}

/** What is answered when nobody has chosen colours: a dark terminal. */
export const DEFAULT_COLORS: ColorScheme = {
  foreground: 0xd0d0d0,
  background: 0x101010,
  cursor: 0xd0d0d0,
  palette: [
    0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5, 0x666666, 0xf14c4c,
    0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff,
  ],
};

/** What an answerer needs. */
export interface QueryAnswererOptions {
  /** The screen as it is at an offset of the stream; asked only for cursors and modes. */
  readonly screenAt: (offset: number) => Promise<TerminalScreen>;
  readonly colors?: ColorScheme;
  /** The offset of the first byte it will be given. */
  readonly offset?: number;
}

/** Finds questions in a stream and answers them. Each is found once; who answers it is the caller's choice. */
export class QueryAnswerer {
  readonly #reader: QueryReader;
  readonly #screenAt: QueryAnswererOptions["screenAt"];
  readonly #colors: ColorScheme;

  constructor({ screenAt, colors = DEFAULT_COLORS, offset }: QueryAnswererOptions) {
    this.#reader = new QueryReader(offset);
    this.#screenAt = screenAt;
    this.#colors = colors;
  }

  /** The questions that end in these bytes. */
  push(bytes: Uint8Array): readonly AskedQuery[] {
    return this.#reader.push(bytes);
  }

  /** What to write to the program. */
  async answer({ query, offset }: AskedQuery): Promise<string> {
    switch (query.kind) {
      case "attributes":
        return attributes[query.level];
      case "version":
        return "\x1bP>|holdfast\x1b\\";
      case "status":
        return "\x1b[0n";
      case "color":
        return this.#answerColor(query);
      case "cursor": {
        const { row, column } = (await this.#screenAt(offset)).cursor;
        return `\x1b[${query.isExtended ? "?" : ""}${row + 1};${column + 1}R`;
      }
      case "mode": {
        const state = (await this.#screenAt(offset)).modeState(query.number, query.isPrivate);
        return `\x1b[${query.isPrivate ? "?" : ""}${query.number};${modeStates[state]}$y`;
      }
    }
  }

  #answerColor({ code, index, terminator }: Extract<TerminalQuery, { kind: "color" }>): string {
    const { foreground, background, cursor, palette } = this.#colors;
    const color = { 4: palette[index] ?? standardColor(index), 10: foreground, 11: background, 12: cursor }[
      code
    ];
    const parts = [color >>> 16, (color >>> 8) & 0xff, color & 0xff].map((part) =>
      part.toString(16).padStart(2, "0").repeat(2),
    );
    return `\x1b]${code};${code === 4 ? `${index};` : ""}rgb:${parts.join("/")}${terminator}`;
  }
}

/** A VT100 with advanced video; the rest as the terminal of our page says. */
const attributes = {
  1: "\x1b[?1;2c",
  2: "\x1b[>0;276;0c",
  3: "\x1bP!|00000000\x1b\\",
} as const;

const modeStates = { unknown: 0, set: 1, reset: 2 } as const;

/** The colours of the palette after the first 16: a cube of 6 × 6 × 6 and 24 greys. */
function standardColor(index: number): number {
  if (index >= 232) return (8 + (index - 232) * 10) * 0x010101;
  const at = Math.max(index - 16, 0);
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  return (level(Math.floor(at / 36)) << 16) | (level(Math.floor(at / 6) % 6) << 8) | level(at % 6);
}

// Replies to the queries of programs, where no viewer's own terminal replies (T94).
import type { TerminalQuery } from "../view/terminal-query.ts";
import type { ScreenSize } from "../screen-size.ts";
import type { ContentSource } from "../view/content-parts.ts";
import type { TerminalScreen } from "./terminal-screen.ts";

/** Colours as `0xRRGGBB`. */
export interface ColorScheme {
  readonly foreground: number;
  readonly background: number;
  readonly cursor: number;
  /** The first 16 of the palette; the others are the same everywhere. */
  readonly palette: readonly number[];
}

/** The colours in replies when none are chosen: those of a dark terminal. */
export const DEFAULT_COLORS: ColorScheme = {
  foreground: 0xd0d0d0,
  background: 0x101010,
  cursor: 0xd0d0d0,
  palette: [
    0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5, 0x666666, 0xf14c4c,
    0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff,
  ],
};

/** A screen is drawn from this much of what was written last: enough for any screen, and done in milliseconds. */
const screenBytes = 128 * 1024;
/** A program whose output takes longer to draw gets no reply that needs its screen (T401). */
const mostDrawingMs = 500;
/** A program that sends queries faster than they are replied to gets no more replies than this. */
const maxWaiting = 16;

/** Parts of the terminal that replies use. */
export interface QueriedTerminal {
  readonly output: ContentSource;
  readonly size: () => ScreenSize;
  /** Types a reply. */
  readonly reply: (bytes: Uint8Array) => void;
  readonly onFault: (error: unknown) => void;
}

/** Replies to the queries of one terminal's program, in their order. */
export class QueryReplies {
  readonly #terminal: QueriedTerminal;
  #replying: Promise<void> = Promise.resolve();
  #waitingCount = 0;

  constructor(terminal: QueriedTerminal) {
    this.#terminal = terminal;
  }

  /** Replies to a query that ended at an offset of the output. */
  take(query: TerminalQuery, offset: number): void {
    if (this.#waitingCount === maxWaiting) return;
    this.#waitingCount += 1;
    this.#replying = this.#replying
      .then(async () => {
        const reply = await replyTo(query, () => this.#drawScreen(offset));
        if (reply !== undefined) this.#terminal.reply(Buffer.from(reply));
      })
      .catch(this.#terminal.onFault)
      .finally(() => {
        this.#waitingCount -= 1;
      });
  }

  async #drawScreen(endOffset: number): Promise<TerminalScreen | undefined> {
    const { output, size } = this.#terminal;
    const to = Math.min(endOffset, output.endOffset);
    const from = Math.min(Math.max(output.startOffset, to - screenBytes), to);
    const bytes = from < output.startOffset ? new Uint8Array() : output.bytes(from, to);
    // An emulator takes ten megabytes, and few programs send a query that needs one.
    const { TerminalScreen: Screen } = await import("./terminal-screen.ts");
    const screen = await Screen.buildWithin({ ...size(), scrollbackLines: 0, bytes }, mostDrawingMs);
    // It is read in this tick, and not afterwards.
    if (screen !== undefined) setImmediate(() => screen.close());
    return screen;
  }
}

/** The reply for the program; undefined when it needs a screen that costs too much (T401). */
export async function replyTo(
  query: TerminalQuery,
  drawScreen: () => Promise<TerminalScreen | undefined>,
  colors: ColorScheme = DEFAULT_COLORS,
): Promise<string | undefined> {
  switch (query.kind) {
    case "attributes":
      return attributes[query.level];
    case "version":
      return "\x1bP>|holdfast\x1b\\";
    case "status":
      return "\x1b[0n";
    case "color":
      return colorReply(query, colors);
    case "cursor": {
      const screen = await drawScreen();
      if (screen === undefined) return undefined;
      const { row, column } = screen.cursor;
      return `\x1b[${query.isExtended ? "?" : ""}${row + 1};${column + 1}R`;
    }
    case "mode": {
      const screen = await drawScreen();
      if (screen === undefined) return undefined;
      const state = screen.modeState(query.number, query.isPrivate);
      return `\x1b[${query.isPrivate ? "?" : ""}${query.number};${modeStates[state]}$y`;
    }
  }
}

function colorReply(
  { code, index, terminator }: Extract<TerminalQuery, { kind: "color" }>,
  { foreground, background, cursor, palette }: ColorScheme,
): string {
  const color = { 4: palette[index] ?? standardColor(index), 10: foreground, 11: background, 12: cursor }[
    code
  ];
  const parts = [color >>> 16, (color >>> 8) & 0xff, color & 0xff].map((part) =>
    part.toString(16).padStart(2, "0").repeat(2),
  );
  return `\x1b]${code};${code === 4 ? `${index};` : ""}rgb:${parts.join("/")}${terminator}`;
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

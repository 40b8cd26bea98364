// Folded text against a full terminal emulator, on random programs of text and control functions.
import headless from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TerminalOutput } from "./output.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const numRuns = isLong ? 30_000 : 80;

interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** The text of the emulator: its lines, wrapped rows joined, empty lines at the end left out. */
async function emulatedText(program: string, size: Size): Promise<string> {
  const terminal = new headless.Terminal({
    ...size,
    scrollback: 100_000,
    allowProposedApi: true,
    logLevel: "off",
  });
  await new Promise<void>((resolve) => terminal.write(program, resolve));
  const lines: string[] = [];
  const buffer = terminal.buffer.normal;
  for (let y = 0; y < buffer.length; y++) {
    const row = buffer.getLine(y)!;
    const text = row.translateToString(true);
    if (row.isWrapped && lines.length > 0) lines.push(`${lines.pop()}${text}`);
    else lines.push(text);
  }
  terminal.dispose();
  return lines.join("\n").replace(/\n+$/, "");
}

function foldedText(program: string, { cols, rows }: Size): string {
  const output = new TerminalOutput({
    kind: "tty",
    textLimitBytes: 1 << 20,
    replayBytes: 1 << 16,
    columns: cols,
    rows,
  });
  output.push(Buffer.from(program));
  return output.tail().output.replace(/\n$/, "");
}

/** Tabs as they look, and without blanks at the end: the emulator does not remember tabs. */
function withoutTabs(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      let shown = "";
      for (const character of line) {
        const column = shown.replaceAll(/\p{M}/gu, "").length;
        shown += character === "\t" ? " ".repeat(8 - (column % 8)) : character;
      }
      return shown.trimEnd();
    })
    .join("\n")
    .replace(/\n+$/, "");
}

const small = fc.integer({ min: 0, max: 6 });
const place = fc.integer({ min: 0, max: 25 });
const narrowText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...Array.from("abcXYZ 0189.,é—π")), minLength: 1, maxLength: 25 }),
  fc.constantFrom("\r\n", "\r\n", "\r\n", "hello", "e\u0301", "x\u0323\u0301"),
);
const wideText = fc.string({
  unit: fc.constantFrom("漢", "字", "か", "a", "한"),
  minLength: 1,
  maxLength: 9,
});

function control(parameters: fc.Arbitrary<number>, finals: string): fc.Arbitrary<string> {
  return fc
    .tuple(parameters, fc.constantFrom(...Array.from(finals)))
    .map(([count, final]) => `\x1b[${count}${final}`);
}

const movements = fc.oneof(
  control(small, "ABCDEFae"),
  control(place, "Gd`"),
  fc.tuple(place, place, fc.constantFrom("H", "f")).map(([y, x, final]) => `\x1b[${y};${x}${final}`),
  fc.constantFrom(
    "\r",
    "\n",
    "\b",
    "\x1b7",
    "\x1b8",
    "\x1b[s",
    "\x1b[u",
    "\x1bM",
    "\x1bD",
    "\x1bE",
    "\x0b",
    "\u0084",
  ),
);
const changes = fc.oneof(
  control(small, "LMP@XST"),
  control(fc.nat(2), "b"),
  fc.constantFrom("\x1b[J", "\x1b[2J", "\r\x1b[1J", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[?K", "\x1b[?2J"),
  fc.tuple(small, small).map(([top, bottom]) => `\x1b[${top};${bottom}r`),
  fc.constantFrom("\x1b[4h", "\x1b[4l", "\x1b[?1049h", "\x1b[?1049l", "\x1b[?47h", "\x1b[?47l", "\x1b[!p"),
);
const changesWithoutReset = fc.oneof(
  control(small, "P@X"),
  fc.constantFrom("\x1b[K", "\x1b[2K", "\x1b[4h", "\x1b[4l"),
);
const silent = fc.oneof(
  fc.constantFrom(
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[38;2;1;2;3m",
    "\x1b[4:3m",
    "\x1b]0;title\x07",
    "\x1b]8;;url\x1b\\",
  ),
  fc.constantFrom(
    "\x1bPq\x1b\\",
    "\x1b_x\x1b\\",
    "\x1b^x\x1b\\",
    "\x1b[?25l",
    "\x1b[>0q",
    "\x1b[1 q",
    "\x1b[1;2:3\x18",
  ),
  fc.constantFrom(
    "\x1b\x1b[m",
    "\x1b[\x1b[m",
    "\x1b]\x1a",
    "\x07",
    "\x7f",
    "\x00",
    "\u009b1m",
    "\u009dtitle\u009c",
  ),
);
const sizes = fc.record({ cols: fc.integer({ min: 2, max: 24 }), rows: fc.integer({ min: 2, max: 7 }) });

function programs(...tokens: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.array(fc.oneof(narrowText, ...tokens), { maxLength: 60 }).map((pieces) => pieces.join(""));
}

describe("folding against a terminal emulator", () => {
  it("[T67] text, wide characters, movements, erasures and modes leave the same text", async () => {
    await fc.assert(
      fc.asyncProperty(programs(wideText, movements, changes, silent), sizes, async (program, size) => {
        expect(foldedText(program, size)).toBe(await emulatedText(program, size));
      }),
      { numRuns },
    );
  });

  it("[T67] without wrapping, and in the line drawing set, the same text is left", async () => {
    const modes = fc.constantFrom(
      "\x1b[?7l",
      "\x1b[?7h",
      "\x1b(0",
      "\x1b(B",
      "\x1b)0",
      "\x0e",
      "\x0f",
      "lqqk",
    );
    // The effect of a restored cursor on the character set differs from terminal to terminal.
    const steps = fc.oneof(control(small, "ABCD"), control(place, "G"), fc.constantFrom("\r", "\n", "\b"));
    await fc.assert(
      fc.asyncProperty(programs(modes, steps, changesWithoutReset), sizes, async (program, size) => {
        expect(foldedText(program, size)).toBe(await emulatedText(program, size));
      }),
      { numRuns: numRuns / 2 },
    );
  });

  it("[T68] tabs move as far as they do there", async () => {
    const tabs = fc.oneof(fc.constantFrom("\t", "\t", "\x1bH", "\x1b[g", "\x1b[3g"), control(small, "IZ"));
    const size = { cols: 400, rows: 5 };
    const stopsKept = fc.oneof(fc.constantFrom("\t", "\t\t"), control(small, "IZ"));
    await fc.assert(
      fc.asyncProperty(programs(stopsKept, movements, changes), async (program) => {
        expect(withoutTabs(foldedText(program, size))).toBe(withoutTabs(await emulatedText(program, size)));
      }),
      { numRuns: numRuns / 2 },
    );
    await fc.assert(
      fc.asyncProperty(
        programs(
          tabs.map((tab) => (tab === "\t" ? "\x1b[I" : tab)),
          movements,
        ),
        sizes,
        async (program, narrow) => {
          expect(foldedText(program, narrow)).toBe(await emulatedText(program, narrow));
        },
      ),
      { numRuns: numRuns / 2 },
    );
  });
});

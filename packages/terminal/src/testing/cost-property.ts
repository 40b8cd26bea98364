// The cost property: on the largest screen no output takes long in one tick, in the emulator or in the text screen.
import fc from "fast-check";
import { TerminalScreen } from "../screen/terminal-screen.ts";
import { TtyText } from "../view/tty-text.ts";
import { costlyOutput, repeated } from "./costly-output.ts";

const columns = 1000;
const rows = 500;
const tickMs = 10;
const drawnMs = 200;
/** The text of 8 KiB is made at once. */
const textBytes = 8 * 1024;
/** On a machine that is busy; without the bounds it would be seconds to minutes. */
const mostTickMs = 1000;

/** Expensive sequences, alone and with any control functions between them. */
export const costlyPrograms: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(...Object.values(costlyOutput)),
      fc
        .tuple(
          fc.constantFrom("", "?", ">", "!"),
          fc.constantFrom("", "0", "2", "7;3", "500", "1000", "65536", "2147483647"),
          fc.constantFrom("", " ", "'", "$", '"'),
          fc.integer({ min: 0x40, max: 0x7e }),
        )
        .map(
          ([prefix, numbers, middle, final]) =>
            `\x1b[${prefix}${numbers}${middle}${String.fromCharCode(final)}`,
        ),
      fc.constantFrom(
        "\x1b7",
        "\x1b8",
        "\x1bH",
        "\x1bD",
        "\x1bE",
        "\x1bM",
        "\t",
        "\r\n",
        "text",
        "漢字",
        "\u0301",
      ),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) => pieces.join(""));

/** Draws a program again and again; throws when the event loop would have waited. */
export async function checkCost(program: string): Promise<void> {
  const bytes = repeated(program, textBytes);
  const screen = await TerminalScreen.build({ columns, rows, bytes: Buffer.alloc(columns * rows, "x") });
  try {
    for (let drawn = 0, spentMs = 0; drawn < bytes.length && spentMs < drawnMs;) {
      const startedMs = performance.now();
      drawn += screen.drawUntil(bytes.subarray(drawn), startedMs + tickMs);
      const tookMs = performance.now() - startedMs;
      spentMs += tookMs;
      if (tookMs > mostTickMs) throw new Error(`the emulator took ${Math.round(tookMs)} ms in one tick`);
    }
  } finally {
    screen.close();
  }
  const text = new TtyText({ capacityBytes: 1024 * 1024, columns, rows });
  try {
    const startedMs = performance.now();
    text.feed(bytes, 0, bytes.length);
    const tookMs = performance.now() - startedMs;
    if (tookMs > mostTickMs) throw new Error(`the text of 8 KiB took ${Math.round(tookMs)} ms`);
  } finally {
    text.close();
  }
}

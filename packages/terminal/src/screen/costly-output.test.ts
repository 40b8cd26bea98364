// Cost of hostile programs in the emulator: each piece takes milliseconds, on the largest screen.
import { describe, expect, it } from "vitest";
import { costlyOutput, processorMs, repeated, shortestMs } from "../testing/costly-output.ts";
import { TerminalScreen } from "./terminal-screen.ts";

const columns = 1000;
const rows = 500;
const isLong = process.env["HOLDFAST_LONG"] !== undefined;
/** Three times as long where other tests take the machine's time as well. */
const mostBlockMs = isLong ? 100 : 300;
/** How long each sequence is repeated, in pieces of 10 ms. */
const drawingMs = isLong ? 400 : 40;

/** Time that the work took, without the time in which other programs had the processor. */
function timed(work: () => void): number {
  const startedMs = performance.now();
  const usedMs = processorMs(work);
  return Math.min(performance.now() - startedMs, usedMs);
}

/** The longest time that a piece of the output took. */
async function longestPieceMs(bytes: Buffer): Promise<number> {
  const screen = await TerminalScreen.build({ columns, rows });
  await screen.write(Buffer.from(`\x1b[31m${"x".repeat(columns * rows)}${"\r\n".repeat(1500)}`));
  let longestMs = 0;
  let spentMs = 0;
  for (let drawn = 0; drawn < bytes.length && spentMs < drawingMs;) {
    const tookMs = timed(() => {
      drawn += screen.drawUntil(bytes.subarray(drawn), performance.now() + 10);
    });
    longestMs = Math.max(longestMs, tookMs);
    spentMs += tookMs;
  }
  screen.close();
  return longestMs;
}

describe("[T400] the emulator at 1000×500", () => {
  it.each(Object.entries(costlyOutput))("[T400] %s", async (_name, sequence) => {
    const longest = (): Promise<number> => longestPieceMs(repeated(sequence, 16 * 1024));
    expect(await shortestMs(mostBlockMs, longest)).toBeLessThan(mostBlockMs);
  });

  it("[T400] marks without end on one character, repeated", async () => {
    const measure = async (): Promise<number> => {
      const screen = await TerminalScreen.build({ columns, rows });
      await screen.write(Buffer.from(`a${"\u0301".repeat(200_000)}`));
      const tookMs = timed(() => screen.drawUntil(Buffer.from("\x1b[1000b"), performance.now()));
      screen.close();
      return tookMs;
    };
    expect(await shortestMs(mostBlockMs, measure)).toBeLessThan(mostBlockMs);
  });

  it("[T401] a screen that takes longer than it may is given up", async () => {
    const bytes = repeated("\x1b#8", 64 * 1024);
    expect(await TerminalScreen.buildWithin({ columns, rows, bytes }, 50)).toBeUndefined();
    const screen = await TerminalScreen.buildWithin({ columns, rows, bytes: Buffer.from("text") }, 5000);
    expect(screen?.text[0]).toBe("text");
    screen?.close();
  });
});

describe("[T203] lines moved at once are where they would be one by one", () => {
  const setup = `${Array.from({ length: 12 }, (_, row) => `\x1b[4${row % 8}mrow ${row}`).join("\r\n")}\x1b[3;9r`;
  it.each(
    ["L", "M", "S", "T"].flatMap((final) =>
      [2, 3, 7, 8, 50].flatMap((count) =>
        ["\x1b[5;4H", "\x1b[1;4H", "\x1b[3;1H", "\x1b[9;2H"].map((move) => [final, count, move] as const),
      ),
    ),
  )("[T203] %s by %i after %j", async (final, count, move) => {
    const build = (bytes: string): Promise<TerminalScreen> =>
      TerminalScreen.build({ columns: 20, rows: 12, bytes: Buffer.from(bytes) });
    const atOnce = await build(`${setup}${move}\x1b[45m\x1b[${count}${final}`);
    const oneByOne = await build(`${setup}${move}\x1b[45m${`\x1b[${final}`.repeat(count)}`);
    expect(atOnce.snapshot()).toEqual(oneByOne.snapshot());
    atOnce.close();
    oneByOne.close();
  });
});

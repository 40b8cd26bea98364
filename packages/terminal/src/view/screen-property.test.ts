// The text screen against a terminal emulator: rows, cursor and scrollback, in both buffers, through resizes.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { screenPrograms } from "../testing/screen-programs.ts";
import { checkScreen } from "../testing/screen-property.ts";
import { TerminalOutput } from "./output.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;

describe("a text screen", () => {
  it("[T202] shows what an emulator shows after any bytes and resizes from 2×1 to 1000×500", () => {
    fc.assert(
      fc.property(screenPrograms(), (program) => checkScreen(program)),
      { numRuns: isLong ? 20_000 : 60 },
    );
  });

  it("[T202] unwraps the row below what is erased, also with lines above the screen", () => {
    const steps = ["aaaaa", "\r\n", "\x1b[?1048l", "\x1b[500a", "\x1b[1J"];
    expect(() => checkScreen({ columns: 2, rows: 3, steps })).not.toThrow();
  });

  it.each(["\x1b[5G", "\x1b[5`"])("[T202] stays in its row by %j in origin mode", (move) => {
    const steps = ["\x1b[2;4r", "\x1b[?6h", "a\r\nb", move, "c"];
    expect(() => checkScreen({ columns: 9, rows: 5, steps })).not.toThrow();
  });

  it.each([
    ["a saved cursor", "\x1b[4;9H\x1b7\x1b[H"],
    ["a scroll region", "\x1b[2;3r\x1b[3;1H"],
    ["a pending wrap", "0123456789"],
    ["a pending wrap behind a wide character", "01234567漢"],
    ["origin mode", "\x1b[2;4r\x1b[?6h\x1b[2;2H"],
    ["no wrapping", "\x1b[?7l0123456789abc"],
    ["its own tab stops", "\x1b[3g\x1b[5G\x1bH\r"],
    ["text below the cursor", "one\r\ntwo\r\nthree\r\nfour\x1b[2;1H"],
    ["an alternate screen", "main\x1b[?1049h\x1b[3;3Halternate\x1b7"],
  ])("[T202] continues the same after resizes with %s", (_, before) => {
    for (const [columns, rows] of [
      [2, 1],
      [10, 1],
      [2, 5],
      [5, 3],
      [20, 9],
      [1000, 500],
    ] as const) {
      const after = ["x", "漢", "\x1b8y", "\r\nz", "\x1b[2Iq", "\x1b[?1049lend"];
      const start = { columns: 10, rows: 5 };
      const steps = [latin1(before), { columns, rows }, ...after.map(latin1)];
      const backAgain = [latin1(before), { columns, rows }, start, ...after.map(latin1)];
      expect(() => checkScreen({ ...start, steps })).not.toThrow();
      expect(() => checkScreen({ ...start, steps: backAgain })).not.toThrow();
    }
  });

  it.each([
    "A",
    "B",
    "C",
    "D",
    "E",
    "F",
    "G",
    "I",
    "L",
    "M",
    "P",
    "S",
    "T",
    "X",
    "Z",
    "@",
    "`",
    "a",
    "b",
    "d",
    "e",
  ])("[T203] a number of 2,147,483,647 to %s costs no more than a screenful", (final) => {
    const output = new TerminalOutput({
      kind: "tty",
      textLimitBytes: 1 << 20,
      replayBytes: 0,
      columns: 1000,
      rows: 500,
    });
    const startedMs = performance.now();
    for (const count of ["999999999", "2147483647", "99999999999999999999"]) {
      output.push(Buffer.from(`text\x1b[?1049h.\x1b[${count}${final}\x1b[?1049l.\x1b[${count}${final}`));
      output.push(Buffer.from(`\x1b[${count};${count}H\x1b[${count};${count}r`));
    }
    output.tail();
    expect(performance.now() - startedMs).toBeLessThan(5000);
  });
});

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

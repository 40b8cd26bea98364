// Snapshots against the emulator itself: a client that draws one sees the same as clients that drew every byte.
import { readdirSync, readFileSync } from "node:fs";
import type { IBuffer, IBufferCell, Terminal } from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INITIAL_MODES, StreamScanner } from "../view/index.ts";
import { attributesOf, coreOf, type CoreBuffer } from "./emulator-core.ts";
import { Emulator } from "./emulator.ts";
import { currentPen, erasedPen, type Pen, penOf, savedPen, showsOnBlank } from "./pen.ts";
import { TerminalScreen } from "./terminal-screen.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const numRuns = isLong ? 20_000 : 100;

interface Size {
  readonly cols: number;
  readonly rows: number;
}

function draw(bytes: string | Uint8Array, { cols, rows }: Size): Terminal {
  const emulator = new Emulator({ columns: cols, rows, scrollbackLines: 50 });
  emulator.write(bytes);
  expect(emulator.faults).toBe(0);
  return emulator.terminal;
}

/** Everything about an emulator that can be seen, or that the next bytes could make seen. */
function describeTerminal(terminal: Terminal): unknown {
  const core = coreOf(terminal);
  const { active, normal, alternate } = terminal.buffer;
  const isAlternate = active.type === "alternate";
  return {
    active: active.type,
    normal: describeBuffer(terminal, normal, core.buffers.normal),
    alternate: isAlternate && describeBuffer(terminal, alternate, core.buffers.alt),
    pen: describePen(terminal, currentPen(core._inputHandler._curAttrData)),
    modes: terminal.modes,
    isCursorHidden: core.coreService.isCursorHidden,
    cursorStyle: core.coreService.decPrivateModes.cursorStyle,
    mouse: core.coreMouseService.activeEncoding,
    drawing: Array.from({ length: 4 }, (_, level) => {
      const { charset, glevel, _charsets } = core._charsetService;
      return (level === glevel ? charset : _charsets[level])?.["q"];
    }),
    glevel: core._charsetService.glevel,
  };
}

function describeBuffer(terminal: Terminal, buffer: IBuffer, core: CoreBuffer): unknown {
  const rows: string[] = [];
  for (let row = 0; row < buffer.length; row++) {
    const line = buffer.getLine(row)!;
    const cells: string[] = [];
    for (let column = 0; column < terminal.cols; column++) {
      // The second half of a wide character; the emulator leaves some without a first.
      const isHalf = column > 0 && line.getCell(column - 1)!.getWidth() === 2;
      if (!isHalf) cells.push(describeCell(terminal, line.getCell(column)!));
    }
    // Whether the first row continues one that is not kept is unknown.
    rows.push((line.isWrapped && row > 0 ? "↪" : "") + cells.join(""));
  }
  const { x, y, ybase, scrollTop, scrollBottom } = core;
  // A place beyond the screen is restored as the nearest on it.
  const savedRow = Math.min(Math.max(core.savedY - ybase, 0), terminal.rows - 1);
  const saved = [Math.min(core.savedX, terminal.cols - 1), savedRow, savedPen(core.savedCurAttrData)];
  return { rows, x, y, ybase, scrollTop, scrollBottom, saved };
}

/** Whether the second half of a wide character stands alone somewhere: inserting between the two leaves it so. */
function hasLoneHalf({ buffer, cols }: Terminal): boolean {
  return [buffer.normal, buffer.alternate].some((screen) =>
    Array.from({ length: screen.length }, (_, row) => screen.getLine(row)).some((line) =>
      Array.from({ length: cols }, (_, column) => column).some(
        (column) =>
          line?.getCell(column)?.getWidth() === 0 &&
          (column === 0 || line.getCell(column - 1)?.getWidth() !== 2),
      ),
    ),
  );
}

/** A place with nothing on it is as one with a space, but only its background counts, unless more shows. */
function describeCell(terminal: Terminal, cell: IBufferCell): string {
  const pen = penOf(attributesOf(cell));
  const isPlain = cell.getChars() === "" && !showsOnBlank(pen);
  const look = describePen(terminal, isPlain ? erasedPen(pen) : pen);
  return (cell.getChars() || " ") + (look === "0,0,0,0," ? "" : `{${look}}`);
}

function describePen(terminal: Terminal, pen: Pen): string {
  const uri = coreOf(terminal)._oscLinkService.getLinkData(pen.linkId)?.uri ?? "";
  return [pen.foreground, pen.background, pen.underlineStyle, pen.underlineColor, uri].join(",");
}

/**
 * Without links, which the emulator forgets by the lines they were seen on; without wraps, because the first row's moves;
 * and with one style of underlines, because the emulator saves none with a cursor: a restored one has that of the last.
 */
function inTheLongRun(terminal: Terminal): unknown {
  return JSON.parse(
    JSON.stringify(describeTerminal(terminal))
      .replaceAll(/http:\/\/example\.org|↪/g, "")
      .replaceAll(/(-?\d+,-?\d+),[1-5],-?\d+,/g, "$1,1,0,")
      .replaceAll("{0,0,0,0,}", ""),
  );
}

async function expectSameScreen(bytes: Uint8Array, size: Size, later: string): Promise<void> {
  const original = draw(bytes, size);
  const screen = await TerminalScreen.build({
    columns: size.cols,
    rows: size.rows,
    scrollbackLines: 50,
    bytes,
  });
  const { text, pendingBytes } = screen.snapshot();
  screen.close();
  const copy = draw(text, size);
  const pending = bytes.subarray(bytes.length - pendingBytes);
  coreOf(copy).writeSync(pending);
  expect(describeTerminal(copy)).toEqual(describeTerminal(original));
  // Next to half of a wide character the emulator continues in its own way, and a snapshot has a blank there.
  if (hasLoneHalf(original)) return;
  // Later output is drawn the same on both.
  coreOf(original).writeSync(later);
  coreOf(copy).writeSync(later);
  expect(inTheLongRun(copy)).toEqual(inTheLongRun(original));
  original.dispose();
  copy.dispose();
}

const small = fc.integer({ min: 0, max: 5 });
const place = fc.integer({ min: 1, max: 14 });
const sgr = fc
  .array(
    fc.constantFrom(
      "0",
      "1",
      "2",
      "3",
      "4",
      "4:3",
      "21",
      "5",
      "7",
      "8",
      "9",
      "22",
      "27",
      "53",
      "31",
      "97",
      "42",
      "104",
      "38;5;200",
      "48;5;17",
      "38;2;1;2;3",
      "48;2;9;8;7",
      "58;5;9",
      "39",
      "49",
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((codes) => `\x1b[${codes.join(";")}m`);
const pieces = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.string({
      unit: fc.constantFrom("a", "b", " ", "é", "漢", "字", "e\u0301", "🎉", "q"),
      maxLength: 16,
    }),
  },
  { weight: 4, arbitrary: fc.constantFrom("\r\n", "\n", "\r", "\b", "\t", "\x0e", "\x0f") },
  { weight: 4, arbitrary: sgr },
  {
    weight: 4,
    arbitrary: fc
      .tuple(small, fc.constantFrom(...Array.from("ABCDEFGLMPSTX@db")))
      .map(([n, final]) => `\x1b[${n}${final}`),
  },
  { weight: 3, arbitrary: fc.tuple(place, place).map(([row, column]) => `\x1b[${row};${column}H`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom("\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[K", "\x1b[1K", "\x1b[2K"),
  },
  { weight: 2, arbitrary: fc.tuple(place, place).map(([top, bottom]) => `\x1b[${top};${bottom}r`) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "\x1b7",
      "\x1b8",
      "\x1bM",
      "\x1bD",
      "\x1b(0",
      "\x1b(B",
      "\x1b)0",
      "\x1b[4h",
      "\x1b[4l",
      "\x1b[r",
      "\x1b]8;;http://example.org\x07",
      "\x1b]8;;\x07",
      "\x1b[3 q",
      "\x1b[6 q",
      "\x1b[!p",
      "\x1bc",
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom(1, 6, 7, 25, 45, 47, 66, 9, 1000, 1002, 1003, 1004, 1006, 1016, 1047, 1049, 2004),
        fc.constantFrom("h", "l"),
      )
      .map(([number, final]) => `\x1b[?${number}${final}`),
  },
);
/** Without wrapping, the emulator lets half of a wide character stand at the edge: such streams have none. */
const streams = fc
  .tuple(
    fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join("")),
    fc.boolean(),
  )
  .map(([stream, isNarrow]) =>
    isNarrow ? stream.replaceAll(/[漢字🎉]/gu, "w") : stream.replaceAll("\x1b[?7l", ""),
  );
/**
 * Without what a snapshot cannot foresee: a character to be repeated or to get an accent, for which the NUL stands
 * between; and which characters were designated but not in use after a cursor had been restored.
 */
function foreseeable(later: string): string {
  return `\0${later.replaceAll(/[\x0e\x0f]/g, "")}`;
}

const sizes = fc.record({ cols: fc.integer({ min: 2, max: 14 }), rows: fc.integer({ min: 2, max: 8 }) });

const recordingFolder = new URL("../testing/recordings/", import.meta.url);
const recordings = readdirSync(recordingFolder).map((name): [string, Buffer] => [
  name,
  readFileSync(new URL(name, recordingFolder)),
]);

describe("[T92] a snapshot", () => {
  it("[T92] shows the same cells, cursors and modes, and continues the same", async () => {
    await fc.assert(
      fc.asyncProperty(streams, sizes, streams, (stream, size, later) =>
        expectSameScreen(Buffer.from(stream), size, foreseeable(later)),
      ),
      { numRuns },
    );
  });

  it.each([
    [
      "a cursor saved on the alternate screen, which was left",
      "\x1b[?47h\x1b[1;2H\x1b7\x1b[?47l",
      "\x1b[?47h\x1b8x",
    ],
    ["a cursor saved there while drawing lines", "\x1b[?47h\x1b(0\x1b7\x1b(B\x1b[?47l", "\x1b[?47h\x1b8q"],
    ["half of a wide character, underlined", "\x1b[4maa漢\x1b[1;4H\x1b[@", "x"],
    ["half of a wide character on a background", "\x1b[42ma漢\x1b[1;3H\x1b[@", "x"],
    ["a blank before the wrap, as a wide character leaves it", "\x1b[5;42maaa漢漢\x1b[T", "x"],
    ["the place before a wide character that wrapped", "\x1b[21maaa漢", "\x1b[?45h\x1b[E\x1b[A\bx"],
    ["a cursor that came back above the region", "\x1b[?6h\x1b[2;3r\x1b[?47h\x1b[1;2r\x1b[?47l", "x\r\ny"],
    ["a cursor that came back below it", "\x1b[?6h\x1b[1;2r\x1b[?47h\x1b[3;2H\x1b[?47l", "x\r\ny"],
    ["one that came back to the last column", "\x1b[?6h\x1b[1;2r\x1b[?47h\x1b[3;1Habcd\x1b[?47l", "x"],
  ])("[T92] with %s", async (_what, stream, later) => {
    await expectSameScreen(Buffer.from(stream), { cols: 4, rows: 3 }, later);
  });

  it("[T92] after the lines above the screen were erased", async () => {
    const lines = Array.from({ length: 30 }, (_, number) => `line ${number}`).join("\r\n");
    await expectSameScreen(Buffer.from(`${lines}\x1b[3J`), { cols: 20, rows: 5 }, "\r\nnext");
  });

  it.each(recordings)("[T92] of %s, wherever it is taken", async (_name, bytes) => {
    const step = isLong ? 1 : 397;
    for (let end = 0; end <= bytes.length + step; end += step) {
      await expectSameScreen(bytes.subarray(0, end), { cols: 80, rows: 24 }, "next\r\n");
    }
  });

  it("[T92] has the lines above the screen, or as many as are wanted", async () => {
    const lines = Array.from({ length: 30 }, (_, number) => `line ${number}`).join("\r\n");
    const screen = await TerminalScreen.build({ columns: 20, rows: 5, bytes: Buffer.from(lines) });
    const whole = draw(screen.snapshot().text, { cols: 20, rows: 5 });
    const part = draw(screen.snapshot({ scrollbackLines: 2 }).text, { cols: 20, rows: 5 });
    const none = draw(screen.snapshot({ scrollbackLines: 0 }).text, { cols: 20, rows: 5 });
    expect([whole, part, none].map(({ buffer }) => buffer.active.length)).toEqual([30, 7, 5]);
    expect(none.buffer.active.getLine(0)?.translateToString(true)).toBe("line 25");
    screen.close();
  });

  it("[T92] replaces what the viewer saw, and does not set the title", async () => {
    const screen = await TerminalScreen.build({
      columns: 20,
      rows: 5,
      bytes: Buffer.from("\x1b]0;title\x07shared"),
    });
    const snapshot = screen.snapshot().text;
    expect(snapshot).not.toContain("title");
    const viewer = draw(`old\r\n\x1b[?1049h\x1b[31mother${snapshot}`, { cols: 20, rows: 5 });
    const fresh = draw(snapshot, { cols: 20, rows: 5 });
    expect(describeTerminal(viewer)).toEqual(describeTerminal(fresh));
    screen.close();
  });
});

describe("functions that count", () => {
  it.each(["L", "M", "S", "T", "I", "Z", "b", "A", "C", "P", "@", "X"])(
    "[T203] a number of 2,147,483,647 to %s does what a screenful of it does, at once",
    (final) => {
      const size = { cols: 20, rows: 6 };
      const before = "one\r\ntwo\r\nthree\r\nfour\x1b[2;10Hx";
      const startedMs = performance.now();
      const bounded = draw(`${before}\x1b[20${final}`, size);
      for (const count of ["999999999", "2147483647"]) {
        const shown = draw(`${before}\x1b[${count}${final}`, size);
        expect(describeTerminal(shown)).toEqual(describeTerminal(bounded));
      }
      expect(performance.now() - startedMs).toBeLessThan(5000);
    },
  );
});

describe("[T93] a screen", () => {
  it("[T93] is made of what is kept and the modes before it: here within the alternate screen", async () => {
    const before = "$ vim\r\n\x1b[?1049h\x1b[?2004h\x1b[?25l";
    let modes = INITIAL_MODES;
    const reader = new StreamScanner();
    reader.scan(Buffer.from(before));
    ({ modes } = reader);
    const bytes = [Buffer.from("\x1b[2J\x1b[H"), Buffer.from("file text")];
    const screen = await TerminalScreen.build({ columns: 20, rows: 4, bytes, modes });
    expect(screen.text).toEqual(["file text", "", "", ""]);
    expect(screen.cursor).toEqual({ column: 9, row: 0 });
    const viewer = draw(screen.snapshot().text, { cols: 20, rows: 4 });
    expect(viewer.buffer.active.type).toBe("alternate");
    expect(viewer.modes.bracketedPasteMode).toBe(true);
    expect(coreOf(viewer).coreService.isCursorHidden).toBe(true);
    screen.close();
  });

  it("[T93] takes more bytes and another size", async () => {
    const screen = await TerminalScreen.build({ columns: 10, rows: 3, bytes: Buffer.from("0123456789") });
    await screen.write(Buffer.from("abc\r\n"));
    screen.resize(20, 4);
    expect([screen.columns, screen.rows]).toEqual([20, 4]);
    expect(screen.text[0]).toBe("0123456789abc");
    screen.close();
  });

  it("[T93] is not brought down by a stream that the emulator cannot bear", async () => {
    const corner = "\x1b[3;10Hx\x1b[1J";
    const screen = await TerminalScreen.build({ columns: 10, rows: 3, bytes: Buffer.from(`abc${corner}`) });
    await screen.write(Buffer.from("\x1b[Hstill here"));
    expect(screen.text).toEqual(["still here", "", ""]);
    screen.close();
  });

  it("[T93] continues from what was drawn when the emulator fails", () => {
    const emulator = new Emulator({ columns: 10, rows: 3, scrollbackLines: 5 });
    emulator.write("\x1b[?2004h\x1b[31mbefore ");
    emulator.terminal.parser.registerEscHandler({ final: "z" }, () => {
      throw new Error("a fault of the emulator");
    });
    emulator.write("fault\x1bz lost");
    emulator.write("ok");
    expect(emulator.faults).toBe(1);
    expect(emulator.terminal.buffer.active.getLine(0)?.translateToString()).toBe("before fau");
    expect(emulator.terminal.buffer.active.getLine(1)?.translateToString(true)).toBe("ltok");
    expect(emulator.terminal.modes.bracketedPasteMode).toBe(true);
    emulator.close();
  });
});

// Output text of a tty run: what is folded, what is kept, and that splits and polls make no difference.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TerminalOutput, type TerminalOutputOptions } from "./output.ts";

function openTty(options: Partial<TerminalOutputOptions> = {}): TerminalOutput {
  return new TerminalOutput({ kind: "tty", textLimitBytes: 1 << 20, replayBytes: 1 << 16, ...options });
}

/** The folded text of output that comes in one piece. */
function fold(text: string | Uint8Array, options: Partial<TerminalOutputOptions> = {}): string {
  const output = openTty(options);
  output.push(Buffer.from(text));
  return output.tail().output;
}

describe("folding", () => {
  it.each([
    ["a line", "hi\r\n", "hi\n"],
    ["a line without end", "hi", "hi"],
    ["nothing", "", ""],
    ["empty lines between, not after", "a\r\n\r\nb\r\n\r\n\r\n", "a\n\nb\n"],
    ["empty lines before", "\r\n\r\na", "\n\na"],
    ["CR CR LF", "a\r\r\nb", "a\nb"],
    ["printed spaces at the end", "a  \r\nb ", "a  \nb "],
  ])("[T66] [T69] keeps lines as they are: %s", (_, input, text) => {
    expect(fold(input)).toBe(text);
  });

  it.each([
    ["colours", "\x1b[1;38;5;196mred\x1b[0m \x1b[4:3mcurly\x1b[m", "red curly"],
    ["title", "\x1b]0;title\x07a\x1b]2;other\x1b\\b", "ab"],
    ["hyperlink", "\x1b]8;;http://example.com\x1b\\link\x1b]8;;\x1b\\", "link"],
    [
      "device control, application, privacy strings",
      "a\x1bPq#1\x1b\\b\x1b_G漢\x1b\\c\x1b^x\x1b\\d\x1bXy\x1b\\e",
      "abcde",
    ],
    ["C1 as UTF-8", "a\u009b31mb\u009dtitle\u009cc\u0085d", "abc\nd"],
    ["modes and queries", "\x1b[?2004h\x1b[?25l\x1b[c\x1b[6n\x1b[>4;2mx\x1b[!p\x1b=\x1b>", "x"],
    ["an unfinished sequence", "abc\x1b[12;3", "abc"],
    ["a cancelled sequence", "a\x1b[12\x18b\x1b]x\x1ac", "abc"],
    ["controls inside a sequence", "ab\x1b[\r2Cc", "abc"],
    ["delete and null", "a\x7f\x00b\x07", "ab"],
    ["invalid bytes", Buffer.from([0x61, 0xff, 0xe2, 0x82, 0x62]), "a\uFFFD\uFFFDb"],
  ])("[T66] removes escape sequences: %s", (_, input, text) => {
    expect(fold(input)).toBe(text);
  });

  it.each([
    ["carriage return", "10%\r100%\r\n", "100%\n"],
    ["a shorter line over a longer one", "abcdef\rxy", "xycdef"],
    ["backspace", "abc\b\bX", "aXc"],
    ["erase to the end", "abcdef\r\x1b[Kxy", "xy"],
    ["cursor up", "one\r\ntwo\r\n\x1b[2A\x1b[2KONE\r\n\x1b[2KTWO\r\n", "ONE\nTWO\n"],
    ["clear screen", "old\r\n\x1b[H\x1b[2Jnew\r\n", "new\n"],
    ["insert and delete characters", "abcd\x1b[3G\x1b[@X\x1b[1G\x1b[P", "bXcd"],
    ["insert and delete lines", "a\r\nb\r\nc\x1b[1;1H\x1b[Lz\x1b[3;1H\x1b[M", "z\na\nc"],
    ["repeat", "a\x1b[3b|", "aaaa|"],
    ["erase to the cursor, all of a row that went on", "0123456789abc\x1b[1;10H\x1b[1J", "\nabc"],
    ["save and restore", "a\x1b7bc\x1b8X", "aXc"],
    ["absolute position", "\x1b[2;3Hx\x1b[1;1Hy", "y\n  x"],
    ["line drawing", "\x1b(0lqk\x1b(B lqk", "┌─┐ lqk"],
    ["origin at the margin", "\x1b[2;4r\x1b[?6h\x1b[1;1Hx\x1b[?6l\x1b[ry", "y\nx"],
    ["no wrapping", "\x1b[?7l0123456789abcdef\x1b[?7h", "012345678f"],
    ["full reset", "junk\x1b[4h\x1b[?7l\x1bcab\rX", "Xb"],
  ])("[T67] folds what was overwritten or erased: %s", (_, input, text) => {
    expect(fold(input, { columns: 10, rows: 5 })).toBe(text);
  });

  it.each([
    ["wrapped rows", "0123456789abcdefghijKLM\r\nnext", "0123456789abcdefghijKLM\nnext"],
    ["wide characters at the margin", "123456789漢字", "123456789漢字"],
    ["half a wide character overwritten", "漢字\x1b[2GX", " X字"],
    ["combining marks", "e\u0301\u0323x\x1b[1b", "e\u0301\u0323xx"],
    ["an overwritten character with its marks", "e\u0301\rX", "X"],
    ["tabs", "a\tb\r\n\tc", "a\tb\n\tc"],
    ["tabs at the margin", "1234567890\tab\r\n123456789\t\tx", "1234567890\tab\n123456789\t\tx"],
    ["a tab overwritten", "a\tb\rxyz", "xyz     b"],
    ["a tab moved by an insertion", "\tb\x1b[1G\x1b[@", "         b"],
    ["a tab over text", "abcdefghij\r\tX", "abcdefghXj"],
  ])("[T68] keeps text whole: %s", (_, input, text) => {
    expect(fold(input, { columns: 10, rows: 5 })).toBe(text);
  });

  it("[T68] drops what the alternate screen showed, also while it is shown", () => {
    const output = openTty();
    output.push(Buffer.from("before\r\n\x1b[?1049h\x1b[Hsecret\r\n"));
    expect(output.tail().output).toBe("before\n");
    output.push(Buffer.from("more\x1b[?1049lafter\r\n"));
    expect(output.tail().output).toBe("before\nafter\n");
  });

  it("[T68] keeps many lines that scrolled off, and their tabs and wraps", () => {
    const line = (number: number) => `${number}\t${"wide text ".repeat(number % 12)}é漢`;
    const lines = Array.from({ length: 5000 }, (_, number) => line(number));
    expect(fold(lines.map((text) => `${text}\r\n`).join(""), { columns: 40 })).toBe(`${lines.join("\n")}\n`);
  });

  it("[T63] shows half a character after exit where it would be printed, and completes it", () => {
    const output = openTty({ columns: 4 });
    output.push(Buffer.from("abc"));
    output.push(Buffer.from([0xe2, 0x82]));
    expect(output.tail().output).toBe("abc");
    output.exited();
    expect(output.tail().output).toBe("abc\uFFFD");
    output.push(Buffer.from([0xac, 0xc3]));
    expect(output.tail().output).toBe("abc€\uFFFD");
  });

  it("[T66] [T76] swallows an unterminated string without holding it", () => {
    const output = openTty({ replayBytes: 0 });
    output.push(Buffer.from("a\x1b]0;"));
    output.tailJson();
    const before = output.allocatedBytes;
    for (let round = 0; round < 100; round++) output.push(Buffer.alloc(100_000, "x"));
    expect(output.tail().output).toBe("a");
    // The ring of raw bytes may fill up; nothing else grows.
    expect(output.allocatedBytes).toBeLessThanOrEqual(before + 64 * 1024);
    output.push(Buffer.from("\x07b"));
    expect(output.tail().output).toBe("ab");
  });

  it("[T76] bounds marks on one cell and the size of a repeat", () => {
    expect(fold(`a${"\u0301".repeat(1000)}`)).toBe(`a${"\u0301".repeat(16)}`);
    expect(fold("ab\x1b[2147483647b", { columns: 10 })).toBe(`ab${"b".repeat(10)}`);
  });
});

describe("output text of a tty run", () => {
  it("[T62] cuts the folded text to the limit, on a character boundary", () => {
    const output = openTty({ textLimitBytes: 10, rows: 2 });
    for (const [text, tail, truncated] of [
      ["one\r\n", "one\n", false],
      ["two\r\n", "one\ntwo\n", false],
      ["öö", "ne\ntwo\nöö".slice(-8), true],
      ["\r\n", "e\ntwo\nöö\n".slice(-8), true],
      ["12345678901234567890", "1234567890", true],
    ] as const) {
      output.push(Buffer.from(text));
      const { output: given, truncated: wasCut } = output.tail();
      expect([given, wasCut]).toEqual([tail, truncated]);
      expect(Buffer.concat(output.tailJson().output).toString()).toBe(JSON.stringify(tail));
      expect(output.tailJson().truncated).toBe(truncated);
    }
  });

  it("[T70] when lazy, holds nothing until it is asked for, then folds from the first whole line kept", () => {
    const output = openTty({ folding: "lazy", replayBytes: 0 });
    for (let number = 0; number < 20_000; number++) {
      output.push(Buffer.from(`\x1b[32mline ${number}\x1b[0m\r\n`));
    }
    expect(output.allocatedBytes).toBe(64 * 1024);
    const { output: text, truncated } = output.tail();
    expect(truncated).toBe(true);
    const lines = text.split("\n");
    expect(lines[0]).toMatch(/^line \d+$/);
    expect(lines.slice(-2)).toEqual(["line 19999", ""]);
    output.push(Buffer.from("more"));
    expect(output.tail()).toEqual({ output: `${text}more`, truncated: true });
  });

  it("[T70] when lazy, misses nothing while everything is still kept", () => {
    const output = openTty({ folding: "lazy" });
    output.push(Buffer.from("\x1b[1mone\x1b[m\r\ntwo"));
    expect(output.tail()).toEqual({ output: "one\ntwo", truncated: false });
  });

  it("[T66] loses no text when more is pushed at once than the ring holds", () => {
    const output = openTty({ replayBytes: 0 });
    const lines = Array.from({ length: 30_000 }, (_, number) => `line ${number}`);
    output.push(Buffer.from("start\r\n"));
    output.push(Buffer.from(lines.map((line) => `${line}\r\n`).join("")));
    expect(output.tail()).toEqual({ output: `start\n${lines.join("\n")}\n`, truncated: false });
  });

  it("[T71] keeps lines when the size changes, and wraps what follows at the new width", () => {
    const output = openTty({ columns: 20, rows: 4 });
    output.push(Buffer.from("one\r\ntwo\r\na long line of text\r\nfour"));
    output.resize(10, 2);
    expect(output.tail().output).toBe("one\ntwo\na long line of text\nfour");
    output.push(Buffer.from(" and some more\r\n"));
    output.resize(40, 10);
    output.push(Buffer.from("end"));
    expect(output.tail().output).toBe("one\ntwo\na long line of text\nfour and some more\nend");
  });

  it("[T71] takes any size of whole numbers, and no other", () => {
    const output = openTty({ columns: 0, rows: 0 });
    output.push(Buffer.from("text\r\nmore"));
    output.resize(1_000_000_000, 1_000_000_000);
    expect(output.tail().output).toBe("text\nmore");
    expect(output.allocatedBytes).toBeLessThan(16 * 1024 * 1024);
    expect(() => output.resize(Number.NaN, 24)).toThrow(/columns/);
    expect(() => openTty({ rows: 1.5 })).toThrow(/rows/);
  });

  it.each([
    ["empty", ""],
    ["full, with the cursor at its end", "row\r\n".repeat(30)],
    ["full, with the cursor at its top", `${"row\r\n".repeat(30)}\x1b[H`],
  ])("[T202] shrinks and grows an alternate screen that is %s", (_, content) => {
    const output = openTty();
    output.push(Buffer.from(`before\r\n\x1b[?1049h${content}`));
    for (const [columns, rows] of [
      [40, 10],
      [20, 4],
      [2, 1],
      [200, 60],
    ] as const) {
      output.resize(columns, rows);
    }
    output.push(Buffer.from("\x1b[?1049lafter\r\n"));
    expect(output.tail().output).toBe("before\nafter\n");
  });

  it("[T71] gives up empty rows below the cursor before text above it", () => {
    const output = openTty({ rows: 10 });
    output.push(Buffer.from("one\r\ntwo"));
    output.resize(80, 2);
    output.push(Buffer.from("\x1b[1;1HONE"));
    expect(output.tail().output).toBe("ONE\ntwo");
  });
});

describe("real output", () => {
  const folder = new URL("fixtures/", import.meta.url);
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".in"))
    .map((name) => name.slice(0, -3));

  it.each(names)("[T67] folds to the text a person would have copied: %s", (name) => {
    const input = readFileSync(new URL(`${name}.in`, folder));
    expect(fold(input)).toBe(readFileSync(new URL(`${name}.text`, folder), "utf8"));
  });
});

it.each([0, 3, 70_000])(
  "[T705] an output that begins at a later byte gives all from there on: %i",
  (startOffset) => {
    const output = openTty({ startOffset });
    expect(output.tail()).toEqual({ output: "", truncated: startOffset > 0 });
    const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index}\r\n`).join("");
    for (let at = 0; at < lines.length; at += 50_000) output.push(Buffer.from(lines.slice(at, at + 50_000)));
    expect(output.tail()).toEqual({ output: lines.replaceAll("\r\n", "\n"), truncated: startOffset > 0 });
  },
);
